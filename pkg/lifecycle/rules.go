package lifecycle

import (
	"slices"
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
// application, one that follows an instance that has ended, and one whose record is
// made again.
var Births = []Rule{
	{nil, "application appears in Git", nil, model.PhaseCreated, model.ReasonDeclared, nil},
	{ended, "suspended, and is to run again", nil, model.PhaseCreated, model.ReasonResumed, nil},
	{ended, "set aside, and the time of that is over", nil, model.PhaseCreated, model.ReasonReturned, nil},
	{nil, "its ledger was lost, and made again from what runs", nil, model.PhaseRunning, model.ReasonRestored, nil},
	{nil, "the same in the middle of an update", nil, model.PhaseScheduled, model.ReasonRestored, nil},
	{nil, "the same, and no commit explains what runs: it stays as it is until Git has another release", nil, model.PhaseDegraded, model.ReasonSpecUnknown, nil},
}

// Lifts are what a person asks for who has a release tried again. They come before the
// decision, so that arbitration knows them.
var Lifts = []Rule{
	{active, "a person has the release tried again that is on hold (`reconciler retry`)", nil, "", model.ReasonHoldLifted, nil},
}

// Rules is the whole lifecycle. The first row that matches applies, and then the
// table is read again from the top, until no row matches.
var Rules = []Rule{
	{alive, "removed from Git", git(declared.removed), model.PhaseTerminated, model.ReasonRemoved, change(end)},
	{alive, `desired: "terminated"`, git(declared.stopped), model.PhaseTerminated, model.ReasonStopped, change(end)},
	{alive, `desired: "suspended"`, git(declared.suspended), model.PhaseTerminated, model.ReasonSuspended, change(end)},
	{active, "loses its place to others", ruled(model.VerdictEvicted), model.PhaseTerminated, model.ReasonEvicted, change(end)},
	{ended, "removed from Git after it had ended", afterwards(declared.removed), model.PhaseTerminated, model.ReasonRemoved, nil},
	{ended, `desired: "terminated" after it had ended`, afterwards(declared.stopped), model.PhaseTerminated, model.ReasonStopped, nil},

	{waiting, "quota, ceiling or policy refuses it", ruled(model.VerdictRejected), model.PhaseRejected, "", change(clearDeadline)},
	{notYet, "valid, quota and policies admit it", ruled(model.VerdictWaiting, model.VerdictGranted), model.PhaseAdmitted, model.ReasonAdmissionPassed, (*facts).wait},
	{admitted, "granted capacity", (*facts).granted, model.PhaseScheduled, model.ReasonGranted, (*facts).begin},
	{admitted, "no capacity within its start deadline: it waits on", observed(late), "", model.ReasonOverdue, change(clearDeadline)},

	{scheduled, "its workflow took the update back", instance(tookBack), "", model.ReasonRolledBack, (*facts).rollBack},
	{scheduled, "its first workflow failed and left nothing that runs", instance(leftNothing), model.PhaseTerminated, model.ReasonUnrecoverable, change(end)},
	{scheduled, "its workflow failed", run(model.RunFailed, model.RunRolledBack), model.PhaseDegraded, model.ReasonWorkflowFailed, change(clearDeadline)},
	{scheduled, "its workflow was stopped", run(model.RunStopped), model.PhaseDegraded, model.ReasonWorkflowStopped, change(clearDeadline)},

	{active, "the same release admitted by other rules", (*facts).readmitted, "", model.ReasonAdmissionChanged, (*facts).readmit},
	{active, "new release admitted", (*facts).updated, model.PhaseScheduled, model.ReasonUpdateAdmitted, (*facts).beginUpdate},
	{active, "new spec refused", (*facts).updateRefused, "", model.ReasonUpdateRefused, (*facts).noteRefusal},
	{scheduled, "update missed its deadline or failed for good", (*facts).updateFailed, "", model.ReasonRolledBack, (*facts).rollBack},
	{arrived, "update goes on failing, and can be taken back", (*facts).failsSince, model.PhaseScheduled, model.ReasonRolledBack, (*facts).rollBack},
	{active, "a critical component failed for good", observed(unrecoverable), model.PhaseTerminated, model.ReasonUnrecoverable, change(end)},
	{active, "a critical component failed too often, and that ends the application", tooOftenAnd(model.OnFailureTerminate), model.PhaseTerminated, model.ReasonFailedTooOften, change(end)},
	{active, "a critical component failed too often: it is stopped for a while", tooOftenAnd(model.OnFailureRestart), "", model.ReasonRestarted, change(pause)},

	{comingUp, "an object is refused for good", instance(applyFailed), model.PhaseDegraded, model.ReasonApplyFailed, change(failApply)},
	{scheduled, "every critical component runs at its full grant", instance(runsInFull), model.PhaseRunning, model.ReasonReady, change(arrive)},
	{scheduled, "runs, at a reduced grant", instance(runsReduced), model.PhaseDegraded, "", change(arrive)},
	{scheduled, "start deadline passed; critical parts run", observed(startIncomplete), model.PhaseDegraded, model.ReasonStartIncomplete, change(arrive)},
	{starting, "one failed start too many in a row", observed(failedInARow), model.PhaseTerminated, model.ReasonQuarantined, change(setAside)},
	{scheduled, "start deadline passed; critical parts do not run", observed(startFailed), model.PhaseDegraded, model.ReasonStartFailed, change(failStart)},
	{degraded, "start deadline passed once more; critical parts do not run", observed(failedAgain), "", model.ReasonStartFailed, change(failStart)},

	{arrived, "its workflow runs again", instance(underWay), model.PhaseScheduled, model.ReasonWorkflowBegun, nil},
	{healthy, "grant reduced", instance(reduced), model.PhaseDegraded, "", nil},
	{healthy, "a critical component failed too often", tooOftenAnd(model.OnFailureDegrade), model.PhaseDegraded, model.ReasonFailedTooOften, nil},
	{healthy, "parts failed", instance(failing), model.PhaseDegraded, model.ReasonComponentFailed, nil},
	{healthy, "a critical component is not ready for longer than unreadyAfter", observed(notReady), model.PhaseDegraded, model.ReasonNotReady, nil},
	{degraded, "full grant runs again", observed(recovered), model.PhaseRunning, model.ReasonRecovered, change(recoverStart)},
}

var (
	alive     = []model.Phase{model.PhaseCreated, model.PhaseAdmitted, model.PhaseRejected, model.PhaseScheduled, model.PhaseRunning, model.PhaseDegraded}
	active    = []model.Phase{model.PhaseScheduled, model.PhaseRunning, model.PhaseDegraded}
	waiting   = []model.Phase{model.PhaseCreated, model.PhaseAdmitted}
	notYet    = []model.Phase{model.PhaseCreated, model.PhaseRejected}
	admitted  = []model.Phase{model.PhaseAdmitted}
	scheduled = []model.Phase{model.PhaseScheduled}
	starting  = []model.Phase{model.PhaseScheduled, model.PhaseDegraded}
	comingUp  = []model.Phase{model.PhaseScheduled, model.PhaseRunning}
	arrived   = []model.Phase{model.PhaseRunning, model.PhaseDegraded}
	healthy   = []model.Phase{model.PhaseRunning}
	degraded  = []model.Phase{model.PhaseDegraded}
	ended     = []model.Phase{model.PhaseTerminated}
)

// The functions below make conditions and effects of questions about a part of the
// facts.

// git asks what Git declares about the application.
func git(is func(declared) bool) condition { return func(f *facts) bool { return is(f.git) } }

// afterwards asks the same about an instance that has ended for another reason,
// after which it might have come back.
func afterwards(is func(declared) bool) condition {
	return func(f *facts) bool {
		return is(f.git) && f.inst.Reason != model.ReasonRemoved && f.inst.Reason != model.ReasonStopped
	}
}

// ruled asks whether arbitration gave one of the verdicts.
func ruled(verdicts ...model.Verdict) condition {
	return func(f *facts) bool { return slices.ContainsFunc(verdicts, f.verdict) }
}

// run asks whether the run of the accepted spec ended in one of the phases.
func run(phases ...model.RunPhase) condition {
	return func(f *facts) bool { return runEnded(f.inst, phases...) }
}

// tooOftenAnd asks whether a component failed too often, and the application
// answers to that in the given way.
func tooOftenAnd(answer model.OnFailure) condition {
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
