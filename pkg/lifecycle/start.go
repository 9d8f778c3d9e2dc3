package lifecycle

import (
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// late reports whether the deadline of the wait, start or update is over. A
// workflow has deadlines of its own.
func late(inst *model.Instance, _ workloads, now time.Time) bool {
	return !inst.Deadline.IsZero() && !now.Before(inst.Deadline) && !underWay(inst)
}

// startIncomplete and startFailed are about a start whose deadline is over.
func startIncomplete(inst *model.Instance, shown workloads, now time.Time) bool {
	return late(inst, shown, now) && partsRun(inst, shown)
}

func startFailed(inst *model.Instance, shown workloads, now time.Time) bool {
	return late(inst, shown, now) && !partsRun(inst, shown)
}

// failedAgain reports whether the deadline of another start is over. Where nothing
// follows from it, it is not reported again.
func failedAgain(inst *model.Instance, shown workloads, now time.Time) bool {
	return startFailed(inst, shown, now) && inst.Spec.Lifecycle.Quarantine > 0 && blamed(inst, shown)
}

// failedInARow reports whether the start that failed just now is one too many.
func failedInARow(inst *model.Instance, shown workloads, now time.Time) bool {
	return failedAgain(inst, shown, now) && inst.FailedStarts+1 >= inst.Spec.Lifecycle.Quarantine
}

// wait sets the time at which a pending application has waited too long.
func (f *facts) wait() {
	f.inst.Deadline = time.Time{}
	if f.git.spec != nil {
		f.inst.Deadline = f.now.Add(f.git.spec.Policy.StartDeadline)
	}
}

// clearDeadline ends a wait. What a run left behind when it ended stays as it is.
func clearDeadline(inst *model.Instance, _ workloads, _ time.Time) { inst.Deadline = time.Time{} }

// begin accepts the spec in Git for a first start.
func (f *facts) begin() { f.accept(f.git.spec, f.decision.Grants) }

// beginUpdate accepts a newer spec. The spec that ran well until now is kept until
// the new one does; a start that never succeeded leaves the older spec in place.
func (f *facts) beginUpdate() {
	ranWell := !applyFailed(f.inst) && (f.inst.Phase == model.PhaseRunning || f.inst.Phase == model.PhaseDegraded && f.inst.Previous == nil)
	if ranWell && !unfinished(f.inst) && !f.inst.SpecUnknown() {
		f.inst.Previous, f.inst.PreviousGrants = f.inst.Spec, f.inst.Grants()
	}
	if f.inst.Previous != nil && f.inst.Previous.Release == f.git.spec.Release {
		dropPrevious(f.inst) // the commit was reverted
	}
	f.inst.Trial, f.inst.FailedStarts = time.Time{}, 0
	f.accept(f.git.spec, f.decision.Grants)
}

func (f *facts) accept(spec *model.Application, grants []model.Grant) {
	own := *spec.AsOf(f.git.commit) // the ledger outlives the fleet that the spec came from
	f.inst.Spec, f.inst.Refused, f.inst.Outcomes = &own, nil, nil
	f.inst.Deadline = f.now.Add(spec.Policy.StartDeadline)
	resetFailures(f.inst, "")
	setGrants(f.inst, grants)
	rearmJobs(f.inst)
}

// noteRefusal remembers which newer spec was refused, so that it is reported once.
func (f *facts) noteRefusal() { f.inst.Refused = f.refusal() }

// arrive ends a start or an update: the accepted spec is now the good one. Where
// failures roll back to the spec before, that is kept until the new one has run
// for as long as failures count.
func arrive(inst *model.Instance, _ workloads, now time.Time) {
	inst.Deadline, inst.FailedStarts = time.Time{}, 0
	rules := &inst.Spec.Lifecycle
	if inst.Previous == nil || rules.OnFailure != model.OnFailureRollback || rules.Threshold <= 0 || rules.Window <= 0 {
		dropPrevious(inst)
		return
	}
	inst.Trial = now.Add(rules.Window)
}

// recoverStart ends a start that had failed. A trial goes on.
func recoverStart(inst *model.Instance, shown workloads, now time.Time) {
	if inst.Trial.IsZero() {
		arrive(inst, shown, now)
	}
}

func dropPrevious(inst *model.Instance) {
	inst.Previous, inst.PreviousGrants, inst.Trial = nil, nil, time.Time{}
}

// failStart counts a failed start and gives the application time for another one.
func failStart(inst *model.Instance, shown workloads, now time.Time) {
	inst.Deadline = now.Add(inst.Spec.Policy.StartDeadline)
	if blamed(inst, shown) {
		inst.FailedStarts++
	}
	if inst.Spec.Policy.OnUpdateFailure == model.OnUpdateFailureHold {
		dropPrevious(inst)
	}
}

// setAside ends an application that fails every start, so that it holds nothing
// that others wait for. It comes back after a pause that grows each time.
func setAside(inst *model.Instance, shown workloads, now time.Time) {
	inst.FailedStarts++
	inst.Returns = returnTime(inst, inst.FailedStarts, now)
	end(inst, shown, now)
}

// returnTime is when an application comes back that was set aside after that number of
// failed starts.
func returnTime(inst *model.Instance, failed int, now time.Time) time.Time {
	rules := &inst.Spec.Lifecycle
	return now.Add(max(time.Second, rules.Backoff.After(failed-rules.Quarantine+1)))
}
