package sim

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/lifecycle"
	"github.com/d-aros/d-aros/pkg/model"
)

// row identifies a row of the table; a reason of "" stands for that of a decision.
type row struct {
	from, to model.Phase
	reason   model.Reason
}

var table = func() map[row]bool {
	rows := map[row]bool{}
	for _, r := range slices.Concat(lifecycle.Lifts, lifecycle.Rules) {
		for _, from := range r.From {
			to := r.To
			if to == "" {
				to = from
			}
			rows[row{from, to, r.Reason}] = true
		}
	}
	return rows
}()

// decided are the reasons of decisions, by the phase that follows: why something is refused, or gets less than it asks for.
var decided = map[model.Phase][]model.Reason{
	model.PhaseRejected: {
		model.ReasonQuotaExceeded, model.ReasonTooManyApplications, model.ReasonTooManyWorkloads, model.ReasonPriorityTooHigh, model.ReasonShareExceeded,
		model.ReasonBudgetExceeded, model.ReasonNoPool, model.ReasonPoolTooSmall, model.ReasonNodeTooSmall, model.ReasonTooFewDomains, model.ReasonDomainTooSmall,
		model.ReasonInvalidSpec, model.ReasonRemovalHeld, model.ReasonRecordDamaged, model.ReasonLimitExceeded, model.ReasonAbsurdAmount,
	},
	model.PhaseDegraded: {model.ReasonCapacityShort, model.ReasonPreempted},
}

// births are the reasons for which an instance begins.
var births = func() map[model.Reason]bool {
	reasons := map[model.Reason]bool{}
	for _, r := range lifecycle.Births {
		reasons[r.Reason] = true
	}
	return reasons
}()

// transitionsAreInTheTable: the table is what people were promised.
func (w *World) transitionsAreInTheTable(was *model.Instance, news []model.Transition) {
	phase, number := was.Phase, was.Number
	for _, t := range news {
		switch born := phase == "" || phase == model.PhaseTerminated; {
		case phase == model.PhaseTerminated && t.To == phase && t.Instance == number && table[row{phase, phase, t.Reason}]:
		case born && (t.To != model.PhaseCreated || t.Instance != number+1 || !births[t.Reason]):
			w.violate("every transition is in the table", "%s#%d begins as %s (%s) after instance %d", was.App, t.Instance, t.To, t.Reason, number)
		case !born && (t.From != phase || t.Instance != number || !table[row{t.From, t.To, t.Reason}] && !(table[row{t.From, t.To, ""}] && slices.Contains(decided[t.To], t.Reason))):
			w.violate("every transition is in the table", "%s#%d: %s, then %s → %s (%s)", was.App, t.Instance, phase, t.From, t.To, t.Reason)
		}
		phase, number = t.To, t.Instance
	}
}
