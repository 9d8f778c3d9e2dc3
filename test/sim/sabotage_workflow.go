package sim

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/reconcile"
	"github.com/d-aros/d-aros/pkg/source"
)

// The bugs below are those of an engine of workflows. Each changes what is saved of a run, so that the engine goes on from
// there as if it had decided that.

// sabotages has every run changed before it is saved. Old is the run before it, empty if there was none.
func sabotages(change func(was, now *model.Instance, old, run *model.Run)) Sabotage {
	return func(_ *process, o *reconcile.Options) { o.Status = miscarrying{o.Status, change} }
}

type miscarrying struct {
	reconcile.Ledger
	change func(was, now *model.Instance, old, run *model.Run)
}

func (m miscarrying) Commit(ctx context.Context, previous, next model.Ledger) (model.Ledger, bool, error) {
	next.Instances = slices.Clone(next.Instances)
	for i := range next.Instances {
		now := &next.Instances[i]
		if now.Run == nil {
			continue
		}
		was, old := &model.Instance{}, &model.Run{}
		if known, ok := previous.Find(now.App); ok {
			if was = known; was.Run != nil {
				old = was.Run
			}
		}
		run := *now.Run
		run.Steps, run.Targets = slices.Clone(run.Steps), slices.Clone(run.Targets)
		if m.change(was, now, old, &run); !reflect.DeepEqual(run, *now.Run) {
			now.Run, now.Revision = &run, model.Revision{}
		}
	}
	return m.Ledger.Commit(ctx, previous, next)
}

// ForeignApproval takes an approval of any run for one of the present run.
func ForeignApproval(p *process, o *reconcile.Options) { o.Commands = generous{o.Commands, p} }

type generous struct {
	reconcile.Commands
	*process
}

func (g generous) Requests(snap source.Snapshot) access.Requests {
	r := g.Commands.Requests(snap)
	r.List = slices.Clone(r.List)
	for i := range r.List {
		inst, ok := g.branch.ledger.Find(r.List[i].App)
		if !ok || inst.Run == nil {
			continue
		}
		r.List[i].Asks = slices.Clone(r.List[i].Asks)
		for k := range r.List[i].Asks {
			if c := &r.List[i].Asks[k]; c.Action == model.CommandApprove {
				c.Run = inst.Run.ID
			}
		}
	}
	return r
}

// WrongBase does not note what a run brought when it succeeded, so that the next one goes back to what was before that.
var WrongBase = sabotages(func(_, _ *model.Instance, old, run *model.Run) {
	if run.Phase == model.RunSucceeded && old.Phase != run.Phase {
		run.Base = old.Base
	}
})

// UndoFromTheFirst counts the starts of steps downwards, so that the step that began first is taken back first.
var UndoFromTheFirst = sabotages(func(_, _ *model.Instance, old, run *model.Run) {
	for i := range run.Steps {
		begun := 0
		for k := range old.Steps {
			if old.ID == run.ID && old.Steps[k].Order > 0 {
				begun++
			}
		}
		if rec := &run.Steps[i]; rec.Order > 0 && (begun == 0 || old.Steps[i].Order != rec.Order) {
			rec.Order = 1000 - begun
		}
	}
})

// KeepCanary leaves a canary that failed where it is.
var KeepCanary = sabotages(func(_, _ *model.Instance, old, run *model.Run) {
	failed := slices.ContainsFunc(run.Steps, func(s model.StepRun) bool {
		return s.Phase == model.StepFailed || s.Phase == model.StepCancelled
	})
	for i := range run.Targets {
		t := &run.Targets[i]
		if before, ok := old.Target(t.Component); ok && old.ID == run.ID && failed && before.Next != nil {
			*t = *before
		}
	}
})

// ShareLock lets a job begin that waits for a lock.
var ShareLock = sabotages(func(_, _ *model.Instance, _, run *model.Run) {
	for i := range run.Steps {
		rec := &run.Steps[i]
		if rec.Phase == model.StepQueued && rec.Name == "migrate" && strings.HasPrefix(rec.Message, "lock ") {
			rec.Phase, rec.Message, rec.Job, rec.Deadline = model.StepActive, "", "migrate", run.Deadline
			rec.Attempt++
			rec.First = rec.Attempt
		}
	}
})

// LongWindow lets a run go back to one release more than is declared.
var LongWindow = sabotages(func(_, now *model.Instance, old, run *model.Run) {
	if old.ID == run.ID || run.Fast || now.Spec == nil || now.Spec.Release != run.Spec {
		return
	}
	for i, window := 0, now.Spec.Workflow.RollbackWindow; i <= window && i < len(run.Good); i++ {
		run.Fast = run.Fast || run.Good[i] == run.Spec
	}
})

// RunAgain begins every run anew in a ledger that is made again from the cluster.
func RunAgain(l *model.Ledger) {
	for i := range l.Instances {
		if old := l.Instances[i].Run; old != nil {
			run := *old
			run.Phase, run.Steps = model.RunRunning, slices.Clone(old.Steps)
			for k := range run.Steps {
				run.Steps[k] = model.StepRun{Name: old.Steps[k].Name, Phase: model.StepPending}
			}
			l.Instances[i].Run, l.Instances[i].Phase, l.Instances[i].Deadline = &run, model.PhaseScheduled, run.Deadline
			h := slices.Clone(l.Instances[i].History)
			h[0].To = model.PhaseScheduled
			l.Instances[i].History = h
		}
	}
}

// KeepMemo spares a step in a new instance of an application whose data is deleted with the instance.
var KeepMemo = sabotages(func(was, now *model.Instance, old, run *model.Run) {
	if now.Spec == nil || was.Spec == nil || old.Instance == 0 || old.Instance == run.Instance || now.Spec.Lifecycle.Deletion != model.DeletionDeleteData {
		return
	}
	for _, m := range old.Memos {
		rec, ok := run.Step(m.Step)
		if !ok || rec.Phase != model.StepActive {
			continue
		}
		before, _ := was.Spec.Component(rec.Job)
		after, _ := now.Spec.Component(rec.Job)
		if before != nil && after != nil && before.Content(now.App) == after.Content(now.App) {
			rec.Phase, rec.Reason, rec.Job, rec.Undo = model.StepSucceeded, "UnchangedInputs", "", nil
		}
	}
	run.Memos = old.Memos
})
