package model

import (
	"encoding/json"
	"slices"
	"time"
)

// Workflow is how an application is brought to run, step by step. Steps without
// DependsOn start at once; a step starts when those it depends on have ended well.
// Steps that people list one after another arrive here with DependsOn.
type Workflow struct {
	Parallelism int           `json:"parallelism,omitempty"` // steps at a time, 0: no limit; wait and approval take no place
	Timeout     time.Duration `json:"timeout,omitempty"`     // of a whole run, 0: a week

	// RollbackWindow is how many of the specs that succeeded last may be gone
	// back to without jobs, waits, approvals, checks and stages. 0: none.
	RollbackWindow int `json:"rollbackWindow,omitempty"`

	Steps []Step `json:"steps"` // in the order written
}

// Job reports whether a step runs the component once, or has it take another back:
// it runs then, and not with the others.
func (w *Workflow) Job(component string) bool {
	return component != "" && slices.ContainsFunc(w.Steps, func(s Step) bool { return s.Component == component || s.Undo == component })
}

// Staged reports whether a step brings a newer version of the component beside the one that
// runs. There may be no workflow.
func (w *Workflow) Staged(component string) bool {
	return w != nil && slices.ContainsFunc(w.Steps, func(s Step) bool {
		return (s.Type == "canary" || s.Type == "blue-green") && slices.Contains(s.Components, component)
	})
}

// Step is one step of a workflow.
type Step struct {
	Name      string        `json:"name"`
	Type      string        `json:"type"` // deploy | job | wait | approval | check | notify | canary | blue-green
	DependsOn []string      `json:"dependsOn,omitempty"`
	If        string        `json:"if,omitempty"`      // a condition on inputs and results of earlier steps, "": always
	Timeout   time.Duration `json:"timeout,omitempty"` // of one attempt
	Retry     Retry         `json:"retry"`
	OnFailure StepFailure   `json:"onFailure"`
	Lock      string        `json:"lock,omitempty"` // one step at a time holds it among all runs of the tenant
	Memo      bool          `json:"memo,omitempty"` // not done again while its inputs, properties and component are the same

	Components []string `json:"components,omitempty"` // deploy, canary, blue-green: which; none means all
	Component  string   `json:"component,omitempty"`  // job: which
	Undo       string   `json:"undo,omitempty"`       // job: the component that takes it back in a rollback

	Inputs  []Input  `json:"inputs,omitempty"`
	Outputs []Output `json:"outputs,omitempty"`

	// Properties is what the type of the step takes. Durations are strings (5m):
	//
	//	wait        {for}
	//	approval    {roles: [], count: 1}
	//	check       {url, success, every, times: 1, failures: 0}  or {prometheus, query, success, …}
	//	notify      {url, secret, message}
	//	canary      {stages: [{weight | replicas, pause, manual}], check: {…}}
	//	blue-green  {pause, manual, keep, check: {…}}
	Properties json.RawMessage `json:"properties,omitempty"`
}

// Input gives a step a value under a name: written out, or the output of an
// earlier step.
type Input struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
	From  string `json:"from,omitempty"` // step.output
}

// Output names a value that a step leaves for later ones.
type Output struct {
	Name string `json:"name"`
	From string `json:"from"` // status | body | value | message: which part of the step's result
}

// Retry is how often and when a failed step is tried again.
type Retry struct {
	Attempts     int      `json:"attempts"` // in all, at least 1
	Backoff      Backoff  `json:"backoff"`
	NonRetryable []string `json:"nonRetryable,omitempty"` // classes of failure that end the step at once
}

// StepFailure is what a run does when a step has failed for good.
type StepFailure string

const (
	StepFailureStop     StepFailure = "stop"
	StepFailureContinue StepFailure = "continue"
	StepFailureRollback StepFailure = "rollback"
)
