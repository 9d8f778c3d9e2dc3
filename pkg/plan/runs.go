package plan

import (
	"reflect"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// Run is the workflow run of an application in an outcome.
type Run struct {
	App    model.AppID    `json:"application"`
	Run    model.Digest   `json:"run"`
	Number int            `json:"number"` // of the runs of the application, from 1
	Phase  model.RunPhase `json:"phase"`
	Steps  []RunStep      `json:"steps"` // in the order of the workflow
}

// RunStep is a step of a run.
type RunStep struct {
	Name   string          `json:"step"`
	Type   string          `json:"type,omitempty"` // "": the spec of the run is no longer known
	Phase  model.StepPhase `json:"phase"`
	Waits  string          `json:"waitsFor,omitempty"` // as in "waits for …"
	People bool            `json:"people,omitempty"`   // it ends only when somebody acts
}

// RunChange is a workflow run that the change affects.
type RunChange struct {
	Effect     RunEffect `json:"effect"`
	Supersedes int       `json:"supersedes,omitempty"` // number of the unfinished run that this one replaces
	Run
}

// RunEffect is what a change does to a run.
type RunEffect string

// Effects on runs.
const (
	RunBegins     RunEffect = "begins"
	RunEnds       RunEffect = "ends"       // with the phase of the run
	RunProgresses RunEffect = "progresses" // a step changes, such as by an approval
)

// compareRuns returns the runs that differ, by application.
func compareRuns(before, after []Run) (changes []RunChange) {
	for i := range after {
		is := &after[i]
		was := &Run{}
		n, known := slices.BinarySearchFunc(before, is.App, func(r Run, app model.AppID) int { return r.App.Compare(app) })
		if known {
			was = &before[n]
		}
		ongoing := known && !was.Phase.Ended()
		switch {
		case reflect.DeepEqual(was, is):
		case was.Run != is.Run && ongoing:
			changes = append(changes, RunChange{RunBegins, was.Number, *is})
		case was.Run != is.Run:
			changes = append(changes, RunChange{RunBegins, 0, *is})
		case ongoing && is.Phase.Ended():
			changes = append(changes, RunChange{RunEnds, 0, *is})
		default:
			changes = append(changes, RunChange{RunProgresses, 0, *is})
		}
	}
	return changes
}
