package view

import (
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Status is the state of the selected applications, and of what in Git cannot be used.
type Status struct {
	Fleet        string               `json:"fleet,omitempty"`
	Ledger       model.LedgerIdentity `json:"ledger,omitzero"` // that the answer is from
	Commit       string               `json:"commit"`          // of the source branch that the answer reflects
	Phases       map[model.Phase]int  `json:"phases"`          // how many of the applications each has
	Left         int                  `json:"left,omitempty"`  // applications of the commit that the branch does not have yet
	Applications []Application        `json:"applications"`
	Problems     []model.Problem      `json:"problems"`            // that make parts of the fleet repo unusable
	Orphans      []model.Inventory    `json:"orphans,omitempty"`   // selected applications with objects that no record knows
	OverQuota    []model.OverQuota    `json:"overQuota,omitempty"` // what the tenants have beyond their quotas

	// Unverified is the commit of the status branch and why no trusted key vouches for it,
	// where keys are given.
	Unverified string `json:"unverified,omitempty"`
}

// Application is one application in short.
type Application struct {
	App        model.AppID    `json:"application"`
	Instance   int            `json:"instance"`
	Phase      model.Phase    `json:"phase"`
	Reason     model.Reason   `json:"reason"`
	Message    string         `json:"message,omitempty"`
	Since      time.Time      `json:"since"`
	Commit     string         `json:"commit,omitempty"` // of the source branch that holds the running spec
	Components []Component    `json:"components"`
	Waiting    *Waiting       `json:"waiting,omitempty"`
	Workflow   *Workflow      `json:"workflow,omitempty"`
	Refused    *model.Refusal `json:"refused,omitempty"` // the newer spec in Git that is not accepted

	// Damaged is the record on the status branch that cannot be read, nil if there is
	// none. All else is then what the last readable record says.
	Damaged *model.DamagedRecord `json:"damaged,omitempty"`

	Outcomes []model.Outcome `json:"outcomes,omitempty"` // why objects are not in the cluster as they are to be
	Drift    []model.Drift   `json:"drift,omitempty"`    // what was corrected lately, the latest last
}

// Component is a component with what it was granted, and what the runtimes showed of it
// when the record was saved, in replicas.
type Component struct {
	Name    string      `json:"name"`
	Granted int         `json:"granted"`
	Asked   int         `json:"asked"`
	State   model.State `json:"state"`
	Ended   bool        `json:"ended,omitempty"` // a finite component that takes nothing any more, however it ended
	Message string      `json:"message,omitempty"`
	Pool    string      `json:"pool,omitempty"`

	Told    int       `json:"told"` // the runtime; an autoscaler may tell less than granted
	Ready   int       `json:"ready"`
	Unready time.Time `json:"unready,omitzero"` // since when fewer are ready than told
	Images  []string  `json:"images,omitempty"` // that run, with their digests
	Says    string    `json:"says,omitempty"`   // what its definition says of what is live
	Seen    time.Time `json:"seen,omitzero"`    // when these were counted, while a workflow brings a version in stages
}

// Waiting is the place of an application that waits for capacity.
type Waiting struct {
	Position   int           `json:"position"` // in line, from 1
	BlockedBy  []model.AppID `json:"blockedBy,omitempty"`
	WouldAdmit []string      `json:"wouldAdmit,omitempty"` // changes, each sufficient alone, with what they cost; none while they are checked again
	Advice     string        `json:"advice,omitempty"`     // what is known of such changes, as a sentence
}

// StatusOf returns the state of the selected applications.
func StatusOf(l *model.Ledger, s Selection) Status {
	v := Status{
		Ledger: l.Identity, Commit: l.Commit, Left: l.Source.Left, Phases: map[model.Phase]int{}, Applications: []Application{}, OverQuota: s.overQuota(l),
		Orphans: OrphansOf(l, s), Problems: s.problems(l),
	}
	if l.Platform != nil {
		v.Fleet = l.Platform.Name
	}
	for i := range l.Instances {
		in := &l.Instances[i]
		if s.Has(in.App) {
			v.Applications = append(v.Applications, applicationOf(l, in))
			v.Phases[in.Phase]++
		}
	}
	return v
}

// OrphansOf returns the selected applications with objects in the cluster that no record
// knows. They are never nil.
func OrphansOf(l *model.Ledger, s Selection) []model.Inventory {
	return kept(l.Orphans, func(o *model.Inventory) bool { return s.Has(o.App) })
}

func applicationOf(l *model.Ledger, in *model.Instance) Application {
	v := Application{
		App: in.App, Instance: in.Number, Phase: in.Phase, Reason: in.Reason, Message: in.Message, Since: in.Since,
		Components: componentsOf(in), Refused: in.Refused, Damaged: l.DamagedOf(in.App), Outcomes: in.Outcomes, Drift: in.Drift,
	}
	if in.Spec != nil {
		v.Commit = in.Spec.Commit
	}
	if in.Phase.Active() {
		v.Workflow = workflowOf(in)
	}
	if d, ok := l.Decision(in.App); ok && d.Verdict == model.VerdictWaiting && in.Phase == model.PhaseAdmitted {
		v.Waiting = &Waiting{Position: d.Position, BlockedBy: d.BlockedBy}
		v.Waiting.Advice, v.Waiting.WouldAdmit = d.Advising()
	}
	return v
}

// componentsOf leaves out configuration: it neither runs nor takes capacity.
func componentsOf(in *model.Instance) []Component {
	views := []Component{}
	if !in.Phase.Active() {
		return views
	}
	for _, c := range in.Components {
		v := Component{
			Name: c.Grant.Component, Granted: c.Grant.Replicas, Asked: c.Grant.Replicas,
			State: c.State, Ended: c.Finished(), Message: c.Message, Pool: c.Grant.Pool,
		}
		if seen := in.Shown.Of(v.Name); seen != nil {
			v.Told, v.Ready, v.Unready, v.Images, v.Says = seen.Told, seen.Ready, seen.Unready, seen.Images, seen.Says
			if in.InStages() {
				v.Seen = in.Shown.At
			}
		}
		if spec, ok := in.Spec.Component(v.Name); ok {
			if !spec.Shows() {
				continue
			}
			if spec.Runs() {
				v.Asked = spec.Replicas
			}
		}
		views = append(views, v)
	}
	return views
}
