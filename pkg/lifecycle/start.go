package lifecycle

import (
	"fmt"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// wait gives an application that waits for capacity a time by which it is said
// that it waits too long.
func (f *facts) wait() {
	f.inst.Deadline = time.Time{}
	if f.wanted != nil {
		f.inst.Deadline = f.now.Add(f.wanted.Policy.StartDeadline)
	}
}

// waitOn ends the wait's deadline: it is said once.
func (f *facts) waitOn() { f.inst.Deadline = time.Time{} }

// begin accepts the spec in Git for a first start.
func (f *facts) begin() { f.accept(f.wanted, f.decision.Grants) }

// beginUpdate accepts a newer spec. The one that ran well until now is kept until
// the new one does; a start that never succeeded leaves the older one in place.
func (f *facts) beginUpdate() {
	ranWell := f.inst.Phase == model.Running || f.inst.Phase == model.Degraded && f.inst.Previous == nil
	if ranWell && !f.unfinished() {
		f.inst.Previous, f.inst.PreviousGrants = f.inst.Spec, grantsOf(f.inst)
	}
	if f.inst.Previous != nil && f.inst.Previous.Digest == f.wanted.Digest {
		f.dropPrevious() // somebody went back by hand
	}
	f.inst.Trial, f.inst.FailedStarts = time.Time{}, 0
	f.accept(f.wanted, f.decision.Grants)
}

func (f *facts) accept(spec *model.Application, grants []model.Grant) {
	own := *spec.AsOf(f.commit) // the ledger outlives the fleet that the spec came from
	f.inst.Spec, f.inst.Refused = &own, nil
	f.inst.Deadline = f.now.Add(spec.Policy.StartDeadline)
	f.forgive("")
	f.setGrants(grants)
	f.rearm()
}

// arrive ends a start or an update: the accepted spec is now the good one. Where
// failures lead back to the one before, that stays until the new one has run for
// as long as failures count.
func (f *facts) arrive() {
	f.inst.Deadline, f.inst.FailedStarts = time.Time{}, 0
	rules := &f.inst.Spec.Lifecycle
	if f.inst.Previous == nil || rules.OnFailure != "rollback" || rules.Threshold <= 0 || rules.Window <= 0 {
		f.dropPrevious()
		return
	}
	f.inst.Trial = f.now.Add(rules.Window)
}

func (f *facts) dropPrevious() {
	f.inst.Previous, f.inst.PreviousGrants, f.inst.Trial = nil, nil, time.Time{}
}

// failStart counts a failed start and gives the application time for another one.
func (f *facts) failStart() {
	f.inst.Deadline = f.now.Add(f.inst.Spec.Policy.StartDeadline)
	if f.blamed() {
		f.inst.FailedStarts++
	}
	if f.inst.Spec.Policy.OnUpdateFailure == "hold" {
		f.dropPrevious()
	}
}

// startFailed says whether the time for a start is over and critical parts do not run.
func (f *facts) startFailed() bool { return f.late() && !f.partsRun() }

// failedAgain says whether the time for another start is over. Where nothing
// follows from it, it is not said again.
func (f *facts) failedAgain() bool {
	return f.startFailed() && f.inst.Spec.Lifecycle.Quarantine > 0 && f.blamed()
}

// failedInARow says whether the start that failed just now is one too many.
func (f *facts) failedInARow() bool {
	return f.failedAgain() && f.inst.FailedStarts+1 >= f.inst.Spec.Lifecycle.Quarantine
}

// setAside ends an application that fails every start, so that it holds nothing
// that others wait for. It comes back after a pause that grows from time to time.
func (f *facts) setAside() {
	f.inst.FailedStarts++
	f.inst.Returns = f.returns(f.inst.FailedStarts)
	f.end()
}

// returns is when an application comes back that was set aside after so many
// failed starts.
func (f *facts) returns(failed int) time.Time {
	rules := &f.inst.Spec.Lifecycle
	return f.now.Add(max(time.Second, rules.Backoff.After(failed-rules.Quarantine+1)))
}

func (f *facts) asideText() string {
	return fmt.Sprintf("%d starts in a row failed; it holds nothing and comes back at %s, or as soon as its spec changes",
		f.inst.FailedStarts+1, f.returns(f.inst.FailedStarts+1).UTC().Format(time.RFC3339))
}

func grantsOf(inst *model.Instance) []model.Grant {
	grants := make([]model.Grant, len(inst.Components))
	for i := range inst.Components {
		grants[i] = inst.Components[i].Grant
	}
	return grants
}

// noteRefusal remembers which newer spec was refused, so that it is said once.
func (f *facts) noteRefusal() { f.inst.Refused = f.refusal() }

// recover ends a start that had failed. A trial goes on.
func (f *facts) recover() {
	if f.inst.Trial.IsZero() {
		f.arrive()
	}
}
