package lifecycle

import (
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// A Doubt is why nothing is carried out by the spec in a record.
type Doubt struct {
	Why     string // a sentence
	Refuted bool   // its commit declares something else, or nothing
}

// Refute returns the ledger in which the specs of some applications count for nothing,
// because their commits declare something else. What runs of these stays as it is until
// Git has another release. Commit is the one that Git declares.
func Refute(ledger model.Ledger, doubts map[model.AppID]Doubt, commit string, now time.Time) model.Ledger {
	if len(doubts) == 0 {
		return ledger
	}
	ledger.Instances, ledger.Revision = slices.Clone(ledger.Instances), model.Revision{}
	for i := range ledger.Instances {
		in := &ledger.Instances[i]
		doubt := doubts[in.App]
		if !doubt.Refuted || !in.Phase.Active() || in.Phase == model.PhaseScheduled || in.SpecUnknown() {
			continue // one that is being started waits for its deadline, and nothing of it is made
		}
		t := model.Transition{
			At: now, Instance: in.Number, From: in.Phase, To: model.PhaseDegraded, Reason: model.ReasonSpecUnknown, Message: doubt.Why, Commit: commit,
		}
		in.History = append(slices.Clip(in.History), t)
		in.History = in.History[max(0, len(in.History)-model.HistoryLimit):]
		in.Phase, in.Reason, in.Message, in.Since = t.To, t.Reason, t.Message, now
		in.Previous, in.PreviousGrants, in.Revision = nil, nil, model.Revision{}
	}
	return ledger
}
