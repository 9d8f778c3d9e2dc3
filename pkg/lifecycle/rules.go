package lifecycle

import "github.com/d-aros/d-aros/pkg/model"

// Rule is one row of the transition table.
type Rule struct {
	From []model.Phase
	If   string // the condition, in words
	when func(*facts) bool
	To   model.Phase // "": the phase stays
	// Reason is constant, or "" where the transition carries the reason of the
	// decision that caused it.
	Reason model.Reason
	do     func(*facts)
}

// Births are the ways in which an instance begins: the first one, and those that
// follow one that has ended.
var Births = []Rule{
	{nil, "application appears in Git", nil, model.Created, model.Declared, nil},
	{ended, "suspended, and is to run again", nil, model.Created, model.Resumed, nil},
	{ended, "set aside, and the time of that is over", nil, model.Created, model.Returned, nil},
}

// Rules is the whole lifecycle. The first row that matches applies, and then the
// table is read again from the top, until no row matches.
var Rules = []Rule{
	{alive, "removed from Git", (*facts).removed, model.Terminated, model.Removed, (*facts).end},
	{alive, `desired: "terminated"`, (*facts).stopped, model.Terminated, model.Stopped, (*facts).end},
	{alive, `desired: "suspended"`, (*facts).suspended, model.Terminated, model.Suspended, (*facts).end},
	{active, "loses its place to others", (*facts).evicted, model.Terminated, model.EvictedReason, (*facts).end},
	{ended, "removed from Git after it had ended", (*facts).removedSince, model.Terminated, model.Removed, nil},
	{ended, `desired: "terminated" after it had ended`, (*facts).stoppedSince, model.Terminated, model.Stopped, nil},

	{waiting, "quota, ceiling or policy refuses it", (*facts).rejected, model.RejectedPhase, "", (*facts).waitOn},
	{notYet, "valid, quota and policies admit it", (*facts).admitted, model.Admitted, model.AdmissionPassed, (*facts).wait},
	{[]model.Phase{model.Admitted}, "granted capacity", (*facts).granted, model.Scheduled, model.GrantedCapacity, (*facts).begin},
	{[]model.Phase{model.Admitted}, "no capacity within its start deadline: it waits on", (*facts).late, "", model.Overdue, (*facts).waitOn},

	{[]model.Phase{model.Scheduled}, "its workflow took the update back", (*facts).tookBack, "", model.RolledBack, (*facts).rollBack},
	{[]model.Phase{model.Scheduled}, "its first workflow failed and left nothing that runs", (*facts).hopeless, model.Terminated, model.Unrecoverable, (*facts).end},
	{[]model.Phase{model.Scheduled}, "its workflow failed", (*facts).workflowFailed, model.Degraded, model.WorkflowFailed, (*facts).stay},
	{[]model.Phase{model.Scheduled}, "its workflow was stopped", (*facts).workflowStopped, model.Degraded, model.WorkflowStopped, (*facts).stay},

	{active, "new spec admitted", (*facts).updated, model.Scheduled, model.UpdateAdmitted, (*facts).beginUpdate},
	{active, "new spec refused", (*facts).updateRefused, "", model.UpdateRefused, (*facts).noteRefusal},
	{[]model.Phase{model.Scheduled}, "update missed its deadline or failed for good", (*facts).updateFailed, "", model.RolledBack, (*facts).rollBack},
	{[]model.Phase{model.Running, model.Degraded}, "update goes on failing, and can be taken back", (*facts).failsSince, model.Scheduled, model.RolledBack, (*facts).rollBack},
	{active, "a critical component failed for good", (*facts).unrecoverable, model.Terminated, model.Unrecoverable, (*facts).end},
	{active, "a critical component failed too often, and that ends the application", (*facts).endsOften, model.Terminated, model.FailedTooOften, (*facts).end},
	{active, "a critical component failed too often: it is stopped for a while", (*facts).restartsOften, "", model.Restarted, (*facts).pause},

	{[]model.Phase{model.Scheduled}, "every critical component runs at its full grant", (*facts).ready, model.Running, model.Ready, (*facts).arrive},
	{[]model.Phase{model.Scheduled}, "runs, at a reduced grant", (*facts).readyReduced, model.Degraded, "", (*facts).arrive},
	{[]model.Phase{model.Scheduled}, "start deadline passed; critical parts run", (*facts).startIncomplete, model.Degraded, model.StartIncomplete, (*facts).arrive},
	{[]model.Phase{model.Scheduled, model.Degraded}, "one failed start too many in a row", (*facts).failedInARow, model.Terminated, model.Quarantined, (*facts).setAside},
	{[]model.Phase{model.Scheduled}, "start deadline passed; critical parts do not run", (*facts).startFailed, model.Degraded, model.StartFailed, (*facts).failStart},
	{[]model.Phase{model.Degraded}, "start deadline passed once more; critical parts do not run", (*facts).failedAgain, "", model.StartFailed, (*facts).failStart},

	{[]model.Phase{model.Running, model.Degraded}, "its workflow runs again", (*facts).underWay, model.Scheduled, model.WorkflowBegun, nil},
	{[]model.Phase{model.Running}, "grant reduced", (*facts).reduced, model.Degraded, "", nil},
	{[]model.Phase{model.Running}, "a critical component failed too often", (*facts).degradesOften, model.Degraded, model.FailedTooOften, nil},
	{[]model.Phase{model.Running}, "parts failed", (*facts).failing, model.Degraded, model.ComponentFailed, nil},
	{[]model.Phase{model.Degraded}, "full grant runs again", (*facts).recovered, model.Running, model.Recovered, (*facts).recover},
}

var (
	alive   = []model.Phase{model.Created, model.Admitted, model.RejectedPhase, model.Scheduled, model.Running, model.Degraded}
	active  = []model.Phase{model.Scheduled, model.Running, model.Degraded}
	waiting = []model.Phase{model.Created, model.Admitted}
	notYet  = []model.Phase{model.Created, model.RejectedPhase}
	ended   = []model.Phase{model.Terminated}
)
