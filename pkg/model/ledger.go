package model

import (
	"slices"
	"time"
)

// Ledger is what the status branch holds: the only memory of D-AROS.
type Ledger struct {
	Identity  LedgerIdentity
	Commit    string // the source commit that it reflects
	Source    SourceState
	Platform  *Platform   // last good platform layer
	Tenants   []Tenant    // last good tenant layers
	Instances []Instance  // by application; one for each application ever seen
	Decisions []Decision  // by application; the last one about each
	Pools     []Pool      // capacity that the decisions were made on
	Problems  []Problem   // what could not be evaluated
	Orphans   []Inventory // by application: objects of the fleet in the cluster that no record knows
	OverQuota []OverQuota // of groups and then of tenants, each by name
	PastUse   *PastUse    // nil: weights do not follow it

	// Damaged are the records that cannot be read, by application. Instances and
	// Decisions have what the history of the branch last said of these applications,
	// where it says anything. It follows from the branch and is never saved.
	Damaged []DamagedRecord

	// Unsaved is what the last pass was shown of instances whose records said something
	// else then. Shown.At is that of the record. It is never written: counts are saved
	// at most once in CountsEvery, and what was seen meanwhile is not forgotten.
	Unsaved map[AppID]*Shown `json:"-"`

	// Plans are those of the nodes of each pool, which were made when the ledger was saved.
	// They follow from it and from those before. Nil: this process has not saved it.
	Plans map[string][]byte `json:"-"`

	Revision Revision `json:"-"` // of all of it
}

// WithObjects returns, by tenant, the applications whose objects are to exist, and the
// room that their pods need. What an application with a damaged record has stays.
func (l *Ledger) WithObjects() map[string]Occupancy {
	all := map[string]Occupancy{}
	for i := range l.Instances {
		if inst := &l.Instances[i]; inst.HasObjects() {
			o := all[inst.App.Tenant]
			o.Apps, o.Room, o.Limits = append(o.Apps, inst.App), o.Room.Add(inst.Room()), o.Limits.Max(inst.MaxLimits())
			o.Reads = append(o.Reads, inst.Reads()...)
			all[inst.App.Tenant] = o
		}
	}
	for i := range l.Damaged {
		app := l.Damaged[i].App
		if o := all[app.Tenant]; !slices.Contains(o.Apps, app) {
			o.Apps = append(o.Apps, app)
			slices.SortFunc(o.Apps, AppID.Compare)
			all[app.Tenant] = o
		}
	}
	return all
}

// Find returns the instance record of an application.
func (l *Ledger) Find(app AppID) (*Instance, bool) {
	return findSorted(l.Instances, app)
}

// Decision returns the last decision about an application.
func (l *Ledger) Decision(app AppID) (*Decision, bool) {
	return findSorted(l.Decisions, app)
}

// Phase is where an application instance stands in its life.
type Phase string

const (
	PhaseCreated    Phase = "Created"
	PhaseAdmitted   Phase = "Admitted"
	PhaseRejected   Phase = "Rejected"
	PhaseScheduled  Phase = "Scheduled"
	PhaseRunning    Phase = "Running"
	PhaseDegraded   Phase = "Degraded"
	PhaseTerminated Phase = "Terminated"
)

// Phases lists all phases in the order of a life.
var Phases = []Phase{PhaseCreated, PhaseAdmitted, PhaseRejected, PhaseScheduled, PhaseRunning, PhaseDegraded, PhaseTerminated}

// Reasons of transitions. A rejection or a degradation carries the reason of
// its decision instead.
const (
	ReasonDeclared         Reason = "Declared"
	ReasonAdmissionPassed  Reason = "AdmissionPassed"
	ReasonGranted          Reason = "Granted"
	ReasonReady            Reason = "Ready"
	ReasonStartIncomplete  Reason = "StartIncomplete"
	ReasonStartFailed      Reason = "StartFailed"
	ReasonApplyFailed      Reason = "ApplyFailed"
	ReasonComponentFailed  Reason = "ComponentFailed"
	ReasonNotReady         Reason = "NotReady"
	ReasonRecovered        Reason = "Recovered"
	ReasonUpdateAdmitted   Reason = "UpdateAdmitted"
	ReasonUpdateRefused    Reason = "UpdateRefused"
	ReasonAdmissionChanged Reason = "AdmissionChanged"
	ReasonRolledBack       Reason = "RolledBack"
	ReasonHoldLifted       Reason = "HoldLifted"
	ReasonRemoved          Reason = "Removed"
	ReasonStopped          Reason = "Stopped"
	ReasonSuspended        Reason = "Suspended"
	ReasonResumed          Reason = "Resumed"
	ReasonReturned         Reason = "Returned"
	ReasonEvicted          Reason = "Evicted"
	ReasonUnrecoverable    Reason = "Unrecoverable"
	ReasonFailedTooOften   Reason = "FailedTooOften"
	ReasonRestarted        Reason = "Restarted"
	ReasonQuarantined      Reason = "Quarantined"
	ReasonOverdue          Reason = "Overdue"

	ReasonRestored    Reason = "Restored"
	ReasonSpecUnknown Reason = "SpecUnknown"

	ReasonWorkflowBegun   Reason = "WorkflowBegun"
	ReasonWorkflowFailed  Reason = "WorkflowFailed"
	ReasonWorkflowStopped Reason = "WorkflowStopped"
)

// Active reports whether the instance holds a grant and has workloads to run.
func (p Phase) Active() bool { return p == PhaseScheduled || p == PhaseRunning || p == PhaseDegraded }

// Instance is an application at one moment: shop#3 is the third instance of
// shop. It is the ledger's record.
type Instance struct {
	App     AppID     `json:"application"`
	Number  int       `json:"instance"`
	Phase   Phase     `json:"phase"`
	Reason  Reason    `json:"reason"`
	Message string    `json:"message,omitempty"`
	Since   time.Time `json:"since"` // of the last transition

	// Declared is when the application came into Git, which orders applications
	// of equal priority. Later instances keep it.
	Declared time.Time `json:"declared,omitzero"`

	// Spec is the accepted spec: what runs or is to run. Nil until one was
	// accepted. Secret values in it are digests.
	Spec *Application `json:"-"`
	// Previous is the last spec that ran well, kept with its grants while an
	// update of it is on its way, and after it until the time Trial where failures
	// of the newer one lead back to it.
	Previous       *Application `json:"-"`
	PreviousGrants []Grant      `json:"previousGrants,omitempty"`
	Trial          time.Time    `json:"trial,omitzero"`

	Deadline time.Time `json:"deadline,omitzero"` // of the wait, start or update in progress
	Held     []Digest  `json:"held,omitempty"`    // releases that were rolled back and are not tried again
	Refused  *Refusal  `json:"refused,omitempty"` // the newer spec in Git that is not accepted

	// Retries are the requests to try a release on hold again, as long as their files are
	// there.
	Retries []Handled `json:"retries,omitempty"`

	// Components are those of Spec. An instance that has ended keeps a component
	// until its dependants are gone.
	Components []ComponentState `json:"components,omitempty"`
	EndBy      time.Time        `json:"endBy,omitzero"` // when the rest of an ended instance is stopped in any order

	// Lowered and Raised are when the accepted spec was last granted less, and more, so that
	// arbitration leaves it as it is for a while.
	Lowered time.Time `json:"lowered,omitzero"`
	Raised  time.Time `json:"raised,omitzero"`

	// Runtimes are how long jobs ran, of the application and so of earlier instances, too.
	Runtimes []Runtimes `json:"runtimes,omitempty"`

	// Shown is what runs of them, nil until something was seen.
	Shown *Shown `json:"shown,omitempty"`

	// Failures are the recent failures, the latest last, at most FailureLimit.
	Failures []FailureCount `json:"failures,omitempty"`

	// Outcomes are why objects of the accepted spec are not in the cluster as they are
	// to be. Drift is what was corrected lately, the latest last. Both have at most
	// OutcomeLimit entries, and are saved when what they list changes, not per attempt.
	Outcomes []Outcome `json:"outcomes,omitempty"`
	Drift    []Drift   `json:"drift,omitempty"`

	// FailedStarts is how many starts in a row have failed, earlier instances
	// included. Returns is when an application that was set aside for it
	// comes back by itself.
	FailedStarts int       `json:"failedStarts,omitempty"`
	Returns      time.Time `json:"returns,omitzero"`

	// Run is the latest run of the workflow, nil if the application had none yet.
	// It is a file of its own on the status branch.
	Run     *Run         `json:"-"`
	History []Transition `json:"history,omitempty"` // latest last, at most HistoryLimit

	Revision Revision `json:"-"` // of the record with its specs and its run
}

// HistoryLimit bounds Instance.History; git log has the rest.
const HistoryLimit = 20

// Ending reports whether the instance has ended and keeps components until their
// dependants are gone.
func (i *Instance) Ending() bool { return i.Phase == PhaseTerminated && len(i.Components) > 0 }

// SpecUnknown reports whether no commit explains what runs of the instance, so that it
// is left as it is. Spec is what Git declared when that was found.
func (i *Instance) SpecUnknown() bool {
	return i.Phase == PhaseDegraded && i.Reason == ReasonSpecUnknown
}

// HasObjects reports whether objects of the instance are to exist: while it is active,
// and while it is ending, the objects of components that others still need.
func (i *Instance) HasObjects() bool { return i.Phase.Active() || i.Ending() }

// Rests reports whether no new instance follows this one at the time now, although
// Git wants the application to run this release: it is still ending, it failed for
// good with just this release, or it is set aside.
func (i *Instance) Rests(wanted Digest, now time.Time) bool {
	switch {
	case i.Phase != PhaseTerminated:
		return false
	case i.Ending():
		return true
	case i.Release() != wanted:
		return false
	}
	switch i.Reason {
	case ReasonUnrecoverable, ReasonFailedTooOften, ReasonWorkflowFailed, ReasonWorkflowStopped:
		return true
	case ReasonQuarantined:
		return now.Before(i.Returns)
	}
	return false
}

// Withdrawn reports whether an instance has ended because Git asked for that: the
// application was removed, or is to be terminated.
func (i *Instance) Withdrawn() bool {
	return i.Phase == PhaseTerminated && (i.Reason == ReasonRemoved || i.Reason == ReasonStopped)
}

// DeletesData reports whether the volumes of an instance that has ended are to be
// deleted: only when the application is gone from Git or is ended there, and both
// its last accepted spec and policy wanted it so.
func (i *Instance) DeletesData() bool {
	return i.Withdrawn() && i.Spec != nil &&
		i.Spec.Lifecycle.Deletion == DeletionDeleteData && i.Spec.Policy.Deletion == DeletionDeleteData
}

// Holds reports whether the release of a spec was rolled back and is on hold. Records
// that were written before there were releases name it by the digest of the spec.
func (i *Instance) Holds(spec *Application) bool {
	return len(i.Held) > 0 && (slices.Contains(i.Held, spec.Release) || slices.Contains(i.Held, spec.FormerDigest()))
}

// SpecDigest is the digest of the accepted spec, "" if there is none.
func (i *Instance) SpecDigest() Digest {
	if i.Spec == nil {
		return ""
	}
	return i.Spec.Digest
}

// Release is the release of the accepted spec, "" if there is none.
func (i *Instance) Release() Digest {
	if i.Spec == nil {
		return ""
	}
	return i.Spec.Release
}

// RunSpec returns what the latest run brings, nil if there is no run or the record
// does not hold that spec any more.
func (i *Instance) RunSpec() *Application {
	if i.Run == nil {
		return nil
	}
	return i.Released(i.Run.Spec)
}

// Component returns the state of the named component.
func (i *Instance) Component(name string) (*ComponentState, bool) {
	return Find(i.Components, name)
}

// ComponentState is what a component was granted, how much of it may run now
// and whether it does.
type ComponentState struct {
	Grant Grant `json:"grant"`
	Run   int   `json:"run"` // replicas that may run now: 0 while a dependency is not ready

	// Hold leaves what runs of the component as it is: a dependency of the
	// newer spec is not ready yet.
	Hold bool `json:"hold,omitempty"`

	Spec     Digest    `json:"spec"`     // of the component's spec
	Workload Digest    `json:"workload"` // WorkloadDigest of what the runtime is told to run
	State    State     `json:"state"`
	Since    time.Time `json:"since"` // of State
	Message  string    `json:"message,omitempty"`

	// Ended is of a job that failed: the run of its workflow is over. What failed
	// otherwise keeps its place, and may be ready again.
	Ended bool `json:"ended,omitempty"`

	// Pause is until when it is stopped because it failed too often, Pauses how
	// often that was in a row.
	Pause  time.Time `json:"pause,omitzero"`
	Pauses int       `json:"pauses,omitempty"`

	// Beside is the newer version that runs beside this one while a step of the
	// workflow brings it in stages, nil if there is none.
	Beside *Beside `json:"beside,omitempty"`
}

// Beside is the newer of two versions of a component that run at once.
type Beside struct {
	Spec     Digest  `json:"spec"`     // of the component's spec
	Run      int     `json:"run"`      // replicas
	Workload Digest  `json:"workload"` // WorkloadDigest of what the runtime is told to run
	Traffic  Traffic `json:"traffic,omitempty"`
}

// Finished reports whether a finite component takes nothing any more, and is not run
// again: it ended well, or its workflow is over, in which it failed or was not run.
func (s *ComponentState) Finished() bool {
	return s.State == StateDone || s.State == StateNotRun || s.State == StateFailed && s.Ended
}

// Takes returns the capacity that the component takes from its pool: its grant, or
// nothing once it is finished.
func (s *ComponentState) Takes() Resources {
	if s.Finished() {
		return Resources{}
	}
	return s.Grant.Requests.Times(s.Grant.Replicas + s.Grant.Surge)
}

// State is how a component of an instance does.
type State string

const (
	StateOff      State = "off"      // its grant is nothing
	StateWaiting  State = "waiting"  // for its dependencies
	StateStarting State = "starting" // told to run, not ready yet
	StateReady    State = "ready"    // all that the runtime is told to run is ready
	StateUnready  State = "unready"  // was ready, is told the same, and is not ready
	StateDone     State = "done"     // a finite component that ended well; it is not run again
	StateNotRun   State = "not run"  // a finite component that its workflow did not run
	StateFailed   State = "failed"
	StateEnding   State = "ending" // of an instance that has ended: kept until its dependants are gone
)

// Transition is one entry of the history: a change of phase, or what happened within
// a phase.
type Transition struct {
	At       time.Time `json:"at"`
	Instance int       `json:"instance"`
	From     Phase     `json:"from,omitempty"`
	To       Phase     `json:"to"`
	Reason   Reason    `json:"reason"`
	Message  string    `json:"message,omitempty"`
	Commit   string    `json:"commit,omitempty"` // the source commit at that time

	// Changes are what an AdmissionChanged is about, at most AdmissionChangeLimit.
	Changes []AdmissionChange `json:"changes,omitempty"`
}

// OfAdmission reports whether only the rules changed by which a release is admitted:
// nothing moved, so nobody is told of it but those who read the history.
func (t *Transition) OfAdmission() bool { return t.Reason == ReasonAdmissionChanged }

// Equal reports whether two transitions are the same in every field.
func (t *Transition) Equal(o *Transition) bool {
	return t.At.Equal(o.At) && t.Instance == o.Instance && t.From == o.From && t.To == o.To && t.Reason == o.Reason &&
		t.Message == o.Message && t.Commit == o.Commit && slices.Equal(t.Changes, o.Changes)
}
