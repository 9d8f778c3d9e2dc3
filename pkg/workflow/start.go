package workflow

import (
	"cmp"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Start returns the run that rolls out spec. Last is the application's latest run,
// which has ended, or nil if there was none. Components that no step of the
// workflow handles are rolled out at once: they are there before the first step.
//
// The id of the ledger is part of the name of the run, so that an approval of run 1
// in a ledger that was lost does not approve run 1 in the ledger after it.
func Start(ledger string, spec *model.Application, instance int, last *model.Run, now time.Time) model.Run {
	run := model.Run{
		App: spec.ID, Instance: instance, Number: 1, Spec: spec.Release,
		Phase: model.RunRunning, Since: now, Deadline: now.Add(cmp.Or(flow(spec).Timeout, runTimeout)),
	}
	if last != nil {
		run.Number = last.Number + 1
		if last.Instance == instance {
			run.Base = slices.Clone(last.Base)
			run.Targets = settled(last.Targets)
		}
		if last.Instance == instance || spec.Lifecycle.Deletion != model.DeletionDeleteData {
			run.Memos = slices.Clone(last.Memos) // what was done to data is not done to none
			run.Good = slices.Clone(last.Good)
		}
		window := run.Good[:min(flow(spec).RollbackWindow, len(run.Good))]
		run.Fast = slices.Contains(window, spec.Release) || len(window) > 0 && slices.Contains(window, spec.FormerDigest()) // as it was recorded before there were releases
	}
	run.ID = model.DigestOf(struct {
		Ledger           string `json:",omitempty"`
		App              model.AppID
		Instance, Number int
		Spec             model.Digest
	}{ledger, run.App, run.Instance, run.Number, run.Spec})
	for _, s := range flow(spec).Steps {
		run.Steps = append(run.Steps, model.StepRun{Name: s.Name, Phase: model.StepPending})
	}
	targetUnnamed(&run, spec)
	return run
}

// Ran returns the successful run that spec would have had with a workflow. It is
// the last run to give to Start for an application that runs already without a
// workflow, so that there is something to go back to.
func Ran(ledger string, spec *model.Application, instance int, last *model.Run, now time.Time) model.Run {
	bare := *spec
	bare.Workflow = nil
	runs, _ := Advance([]Turn{{Run: Start(ledger, &bare, instance, last, now), Spec: &bare}}, Limits{}, now)
	return runs[0]
}

// flow is the workflow of a spec, one without steps if it declares none.
func flow(spec *model.Application) *model.Workflow {
	if spec.Workflow == nil {
		return &model.Workflow{}
	}
	return spec.Workflow
}
