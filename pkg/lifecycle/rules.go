package lifecycle

import (
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Rule is one row of the transition table.
type Rule struct {
	From []model.Phase
	If   string // the condition, in words
	when condition
	To   model.Phase // "": the phase stays
	// Reason is constant, or "" where the transition carries the reason of the
	// decision that caused it.
	Reason model.Reason
	do     effect
}

// A condition reports whether a rule applies. An effect changes the instance when
// it does.
type (
	condition = func(*facts) bool
	effect    = func(*facts)
)

// Births are the ways in which an instance begins: the first instance of an
// application, and one that follows an instance that has ended.
var Births = []Rule{
	{nil, "application appears in Git", nil, model.Created, model.Declared, nil},
	{ended, "suspended, and is to run again", nil, model.Created, model.Resumed, nil},
	{ended, "set aside, and the time of that is over", nil, model.Created, model.Returned, nil},
}

// Rules is the whole lifecycle. The first row that matches applies, and then the
// table is read again from the top, until no row matches.
var Rules = []Rule{
	{alive, "removed from Git", git(declared.removed), model.Terminated, model.Removed, change(end)},
	{alive, `desired: "terminated"`, git(declared.stopped), model.Terminated, model.Stopped, change(end)},
	{alive, `desired: "suspended"`, git(declared.suspended), model.Terminated, model.Suspended, change(end)},
	{active, "loses its place to others", ruled(model.Evicted), model.Terminated, model.EvictedReason, change(end)},
	{ended, "removed from Git after it had ended", afterwards(declared.removed), model.Terminated, model.Removed, nil},
	{ended, `desired: "terminated" after it had ended`, afterwards(declared.stopped), model.Terminated, model.Stopped, nil},

	{waiting, "quota, ceiling or policy refuses it", ruled(model.Rejected), model.RejectedPhase, "", change(clearDeadline)},
	{notYet, "valid, quota and policies admit it", ruled(model.Waiting, model.Granted), model.Admitted, model.AdmissionPassed, (*facts).wait},
	{admitted, "granted capacity", (*facts).granted, model.Scheduled, model.GrantedCapacity, (*facts).begin},
	{admitted, "no capacity within its start deadline: it waits on", observed(late), "", model.Overdue, change(clearDeadline)},

	{scheduled, "its workflow took the update back", instance(tookBack), "", model.RolledBack, (*facts).rollBack},
	{scheduled, "its first workflow failed and left nothing that runs", instance(leftNothing), model.Terminated, model.Unrecoverable, change(end)},
	{scheduled, "its workflow failed", run(model.RunFailed, model.RunRolledBack), model.Degraded, model.WorkflowFailed, change(clearDeadline)},
	{scheduled, "its workflow was stopped", run(model.RunStopped), model.Degraded, model.WorkflowStopped, change(clearDeadline)},

	{active, "new spec admitted", (*facts).updated, model.Scheduled, model.UpdateAdmitted, (*facts).beginUpdate},
	{active, "new spec refused", (*facts).updateRefused, "", model.UpdateRefused, (*facts).noteRefusal},
	{scheduled, "update missed its deadline or failed for good", (*facts).updateFailed, "", model.RolledBack, (*facts).rollBack},
	{arrived, "update goes on failing, and can be taken back", (*facts).failsSince, model.Scheduled, model.RolledBack, (*facts).rollBack},
	{active, "a critical component failed for good", observed(unrecoverable), model.Terminated, model.Unrecoverable, change(end)},
	{active, "a critical component failed too often, and that ends the application", tooOftenAnd("terminate"), model.Terminated, model.FailedTooOften, change(end)},
	{active, "a critical component failed too often: it is stopped for a while", tooOftenAnd("restart"), "", model.Restarted, change(pause)},

	{scheduled, "every critical component runs at its full grant", instance(runsInFull), model.Running, model.Ready, change(arrive)},
	{scheduled, "runs, at a reduced grant", instance(runsReduced), model.Degraded, "", change(arrive)},
	{scheduled, "start deadline passed; critical parts run", observed(startIncomplete), model.Degraded, model.StartIncomplete, change(arrive)},
	{starting, "one failed start too many in a row", observed(failedInARow), model.Terminated, model.Quarantined, change(setAside)},
	{scheduled, "start deadline passed; critical parts do not run", observed(startFailed), model.Degraded, model.StartFailed, change(failStart)},
	{degraded, "start deadline passed once more; critical parts do not run", observed(failedAgain), "", model.StartFailed, change(failStart)},

	{arrived, "its workflow runs again", instance(underWay), model.Scheduled, model.WorkflowBegun, nil},
	{healthy, "grant reduced", instance(reduced), model.Degraded, "", nil},
	{healthy, "a critical component failed too often", tooOftenAnd("degrade"), model.Degraded, model.FailedTooOften, nil},
	{healthy, "parts failed", instance(failing), model.Degraded, model.ComponentFailed, nil},
	{degraded, "full grant runs again", observed(recovered), model.Running, model.Recovered, change(recoverStart)},
}

var (
	alive     = []model.Phase{model.Created, model.Admitted, model.RejectedPhase, model.Scheduled, model.Running, model.Degraded}
	active    = []model.Phase{model.Scheduled, model.Running, model.Degraded}
	waiting   = []model.Phase{model.Created, model.Admitted}
	notYet    = []model.Phase{model.Created, model.RejectedPhase}
	admitted  = []model.Phase{model.Admitted}
	scheduled = []model.Phase{model.Scheduled}
	starting  = []model.Phase{model.Scheduled, model.Degraded}
	arrived   = []model.Phase{model.Running, model.Degraded}
	healthy   = []model.Phase{model.Running}
	degraded  = []model.Phase{model.Degraded}
	ended     = []model.Phase{model.Terminated}
)

// The functions below make conditions and effects of questions about a part of the
// facts.

// git asks what Git says about the application.
func git(is func(declared) bool) condition { return func(f *facts) bool { return is(f.git) } }

// afterwards asks the same about an instance that has ended for another reason,
// after which it might have come back.
func afterwards(is func(declared) bool) condition {
	return func(f *facts) bool {
		return is(f.git) && f.inst.Reason != model.Removed && f.inst.Reason != model.Stopped
	}
}

// ruled asks whether arbitration gave one of the verdicts.
func ruled(verdicts ...model.Verdict) condition {
	return func(f *facts) bool {
		for _, v := range verdicts {
			if f.verdict(v) {
				return true
			}
		}
		return false
	}
}

// run asks whether the run of the accepted spec ended in one of the phases.
func run(phases ...model.RunPhase) condition {
	return func(f *facts) bool { return runEnded(f.inst, phases...) }
}

// tooOftenAnd asks whether a component failed too often, and the application
// answers to that in the given way.
func tooOftenAnd(answer string) condition {
	return func(f *facts) bool {
		return answerTo(&f.inst.Spec.Lifecycle) == answer && tooOften(f.inst, f.now) != nil
	}
}

// instance asks the record alone.
func instance(is func(*model.Instance) bool) condition {
	return func(f *facts) bool { return is(f.inst) }
}

// observed asks the record, what the runtimes show, and the clock.
func observed(is func(*model.Instance, workloads, time.Time) bool) condition {
	return func(f *facts) bool { return is(f.inst, f.shown, f.now) }
}

// change changes the record by nothing but what the runtimes show and the clock.
func change(do func(*model.Instance, workloads, time.Time)) effect {
	return func(f *facts) { do(f.inst, f.shown, f.now) }
}
