package model

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Run is one execution of a workflow for one release: the ledger's record. Another
// release, and the same release at another time, is another run.
type Run struct {
	ID         Digest    `json:"run"` // of the ledger, the application, its instance, Number and Spec
	App        AppID     `json:"application"`
	Instance   int       `json:"instance"`
	Number     int       `json:"number"` // of the runs of the application, from 1
	Spec       Digest    `json:"spec"`   // the release of the application that the run rolls out
	Phase      RunPhase  `json:"phase"`
	Message    string    `json:"message,omitempty"`
	Since      time.Time `json:"since"`                  // of Phase
	Deadline   time.Time `json:"deadline"`               // the run ends by then; ending may add to it once
	Fast       bool      `json:"fast,omitempty"`         // goes back to a release that succeeded lately: brings it and does nothing else
	Superseded Digest    `json:"supersededBy,omitempty"` // the release that took its place

	Steps    []StepRun `json:"steps"`              // in the order of the workflow
	Targets  []Target  `json:"targets,omitempty"`  // by component
	Base     []Target  `json:"base,omitempty"`     // by component: what ran when a run succeeded last, to go back to
	Memos    []Memo    `json:"memos,omitempty"`    // by step; they pass from run to run
	Commands []Handled `json:"commands,omitempty"` // in the order they took effect or were refused
	Good     []Digest  `json:"good,omitempty"`     // releases that succeeded, latest first, at most GoodLimit
}

// GoodLimit bounds Run.Good.
const GoodLimit = 10

// RunPhase is where a run stands.
type RunPhase string

const (
	RunRunning     RunPhase = "running"
	RunPaused      RunPhase = "paused"       // nothing starts until a person resumes it
	RunFailing     RunPhase = "failing"      // a step failed: active steps end, then the steps whose conditions are about results
	RunRollingBack RunPhase = "rolling-back" // a step failed: finished steps are undone, the latest first
	RunSucceeded   RunPhase = "succeeded"
	RunFailed      RunPhase = "failed"
	RunRolledBack  RunPhase = "rolled-back"
	RunStopped     RunPhase = "stopped"
	RunSuperseded  RunPhase = "superseded"
)

// Ended reports whether nothing more happens in the run by itself.
func (p RunPhase) Ended() bool {
	return slices.Contains([]RunPhase{RunSucceeded, RunFailed, RunRolledBack, RunStopped, RunSuperseded}, p)
}

// Named names the run that a handled command was about: by its number, if it is this run,
// else by its digest. Commands stay in the record as long as their files are there.
func (r *Run) Named(h *Handled) string {
	if h.Run != "" && strings.HasPrefix(string(r.ID), string(h.Run)) {
		return strconv.Itoa(r.Number)
	}
	return h.Run.Short()
}

// Step returns the record of the named step.
func (r *Run) Step(name string) (*StepRun, bool) { return Find(r.Steps, name) }

// Target returns the state that the run wants of the named component.
func (r *Run) Target(component string) (*Target, bool) { return Find(r.Targets, component) }

// WentBackTo reports whether the run was rolled back to a release, which runs again.
func (r *Run) WentBackTo(release Digest) bool {
	return r.Phase == RunRolledBack && r.Superseded == "" && len(r.Base) > 0 && len(r.Good) > 0 && r.Good[0] == release
}

// Settles reports whether the run rolls out a release, the accepted one: it is the run
// of that release, or was rolled back to it.
func (r *Run) Settles(release Digest) bool {
	return r.Superseded == "" && r.Spec == release || r.WentBackTo(release)
}

// StepPhase is where a step of a run stands.
type StepPhase string

const (
	StepPending   StepPhase = "pending"   // its dependencies have not ended
	StepQueued    StepPhase = "queued"    // ready; waits for a lock or a place
	StepActive    StepPhase = "active"    // an attempt is on its way
	StepRetrying  StepPhase = "retrying"  // between two attempts
	StepSucceeded StepPhase = "succeeded" // or need not be done
	StepFailed    StepPhase = "failed"
	StepSkipped   StepPhase = "skipped"   // its condition, a dependency or the end of the run kept it from starting
	StepCancelled StepPhase = "cancelled" // ended from outside
)

// Ended reports whether the step is over.
func (p StepPhase) Ended() bool {
	return slices.Contains([]StepPhase{StepSucceeded, StepFailed, StepSkipped, StepCancelled}, p)
}

// StepRun is one step of a run. Times are absolute, so that no restart of a
// program lengthens a wait.
type StepRun struct {
	Name    string    `json:"name"`
	Phase   StepPhase `json:"phase"`
	Reason  Reason    `json:"reason,omitempty"`
	Message string    `json:"message,omitempty"`
	Since   time.Time `json:"since,omitzero"` // of Phase

	Attempt  int       `json:"attempt,omitempty"` // from 1; never counts back
	First    int       `json:"first,omitempty"`   // the attempt that the present round began with
	Order    int       `json:"order,omitempty"`   // of its start among the steps of the run
	Started  time.Time `json:"started,omitzero"`  // of the attempt
	Deadline time.Time `json:"deadline,omitzero"` // of the attempt
	Next     time.Time `json:"next,omitzero"`     // of the next attempt
	Until    time.Time `json:"until,omitzero"`    // of a wait; of a stage: it ends no sooner

	Job string `json:"job,omitempty"` // the component that the attempt runs once
	Key string `json:"key,omitempty"` // that names the job of the attempt; "": it follows from the run

	Stage   int       `json:"stage,omitempty"`   // canary, blue-green: from 0
	Staged  time.Time `json:"staged,omitzero"`   // when the stage began
	Resumed bool      `json:"resumed,omitempty"` // a person ended the stage or the wait
	Actors  []string  `json:"actors,omitempty"`  // who approved, or ended it

	// Older records counted the answers to probes. These counts do not go on.
	Probe  int `json:"probe,omitempty"`
	Passed int `json:"passed,omitempty"`
	Missed int `json:"missed,omitempty"`

	Inputs  []Value `json:"inputs,omitempty"` // resolved when the attempt began
	Outputs []Value `json:"outputs,omitempty"`
	Undo    *Undo   `json:"undo,omitempty"` // how to take back what the step does, written before it does it
}

// Value is a named text that a step takes or leaves.
type Value struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Variable returns the name of the environment variable that a job has a value of its step in.
func (v *Value) Variable() string {
	return "DAROS_INPUT_" + strings.ToUpper(strings.ReplaceAll(v.Name, "-", "_"))
}

// Undo is how a step is taken back and how far that has got.
type Undo struct {
	Targets   []Target  `json:"targets,omitempty"`   // what ran before, by component
	Component string    `json:"component,omitempty"` // the job that takes back a job
	Phase     StepPhase `json:"phase"`               // pending | queued | active | retrying | succeeded | failed
	Since     time.Time `json:"since,omitzero"`      // of Phase
	Message   string    `json:"message,omitempty"`
	Attempt   int       `json:"attempt,omitempty"`
	Deadline  time.Time `json:"deadline,omitzero"`
	Next      time.Time `json:"next,omitzero"`
}

// Version names the content of a component and the release that has it.
type Version struct {
	Spec    Digest `json:"spec"`    // the release of the application
	Content Digest `json:"content"` // of the component
}

// Target is the state of a component that a run wants, until the same or another
// run changes it.
type Target struct {
	Component string   `json:"component"`
	Stable    Version  `json:"stable,omitzero"` // zero: nothing
	Next      *Version `json:"next,omitempty"`  // runs beside Stable during a canary or a blue-green switch
	Share     Share    `json:"share,omitzero"`  // of Next
	Traffic   Traffic  `json:"traffic,omitempty"`
}

// Share is how much of a component is of its next version: a number of replicas,
// or a hundredth part of those granted. It takes the place of stable replicas
// unless it is Extra.
type Share struct {
	Replicas int  `json:"replicas,omitempty"`
	Weight   int  `json:"weight,omitempty"`
	Extra    bool `json:"extra,omitempty"`
}

// Of is how many of the replicas that are granted are the share: at least one,
// unless none are granted, and never more than are granted.
func (s Share) Of(granted int) int {
	n := s.Replicas
	if s.Weight > 0 {
		n = (granted*s.Weight + 99) / 100
	}
	return min(max(n, 1), granted)
}

// Traffic is which replicas requests reach while two versions run.
type Traffic string

const (
	TrafficBoth   Traffic = ""
	TrafficStable Traffic = "stable"
	TrafficNext   Traffic = "next"
)

// Memo remembers what a step was given when it succeeded and what it left.
type Memo struct {
	Step    string  `json:"step"`
	Digest  Digest  `json:"digest"` // of type, properties, component and inputs
	Outputs []Value `json:"outputs,omitempty"`
}

// Command is a request of a person to a run, made by a commit.
type Command struct {
	Action string `json:"action"`          // see the Command constants
	Run    Digest `json:"run"`             // this run and no other
	Step   string `json:"step,omitempty"`  // approve, reject: which; resume, restart: which, "": the run
	Stage  int    `json:"stage,omitempty"` // resume: which of the step, from 1; 0: the present one

	Release Digest `json:"release,omitempty"` // retry: which is to be tried again; Run is "" then

	By     string   `json:"by"`               // who signed the commit
	Roles  []string `json:"roles,omitempty"`  // that they have for the application
	Commit string   `json:"commit,omitempty"` // that asked first
	Why    string   `json:"why,omitempty"`    // in their words
}

// Actions of commands.
const (
	CommandApprove = "approve"
	CommandReject  = "reject"
	CommandPause   = "pause"
	CommandResume  = "resume" // a paused run, a wait, or a stage that waits for it
	CommandStop    = "stop"
	CommandRestart = "restart" // from a step on, or all
	CommandRetry   = "retry"   // a release that was rolled back and is on hold
)

// ID identifies a command. The commit of a command shows who made the request, so the
// name and the roles of that person do not count: when access changes, a command
// that was handled stays handled.
func (c Command) ID() Digest {
	c.Why, c.Roles = "", nil
	if c.Commit != "" {
		c.By = ""
	}
	return DigestOf(c)
}

// HandledIn reports whether a list has the command.
func (c Command) HandledIn(list []Handled) bool {
	id := c.ID()
	return slices.ContainsFunc(list, func(h Handled) bool { return h.ID == id })
}

// Handled is a command that took effect or was refused.
type Handled struct {
	ID      Digest    `json:"id"`  // of the command
	Run     Digest    `json:"run"` // that it named
	Action  string    `json:"action"`
	Step    string    `json:"step,omitempty"`
	Stage   int       `json:"stage,omitempty"`
	By      string    `json:"by"`
	Commit  string    `json:"commit,omitempty"`
	Refused string    `json:"refused,omitempty"` // why; "": it took effect
	At      time.Time `json:"at,omitzero"`       // when it was handled

	Release Digest `json:"release,omitempty"` // retry: that it named
}
