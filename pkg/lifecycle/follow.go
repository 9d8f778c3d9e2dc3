package lifecycle

import (
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Follow returns the ledger that follows from next, which Advance returned, when
// runs of workflows have advanced: runs are the runs that changed. A run sets what the
// components of its application run, and how it ends decides about the phase, by the
// same table.
func Follow(next model.Ledger, runs []model.Run, seen model.Observation, now time.Time) model.Ledger {
	if len(runs) == 0 {
		return next
	}
	next.Instances = slices.Clone(next.Instances)
	room := &room{measure: func() (amounts, map[model.AppID]amounts) { return measure(&next, &model.Ruling{}, &seen) }}
	shown := newAlong(seen.Workloads, appOf)
	for i := range runs {
		inst, ok := next.Find(runs[i].App)
		if !ok {
			continue
		}
		inst.Run, inst.Revision = &runs[i], model.Revision{}
		if !inst.Phase.Active() {
			continue
		}
		was, git := inst.Components, declared{commit: next.Commit, exists: true}
		if inst.Refused != nil {
			git.moved = inst.Refused.MovesTo
		}
		inst.Components, inst.History, inst.Held = slices.Clone(inst.Components), slices.Clip(inst.History), slices.Clip(inst.Held)
		f := &facts{
			inst: inst, git: git, decision: decided(&next, inst),
			shown: shown.all(inst.App), was: was, before: before(&next, inst), room: room, now: now,
		}
		f.shown = f.shown.asBefore(inst, f.before)
		f.advance()
	}
	return next
}

// decided is the decision that holds for what an instance runs, nil if the last
// one is about another spec.
func decided(ledger *model.Ledger, inst *model.Instance) *model.Decision {
	if d, ok := ledger.Decision(inst.App); ok && d.Spec == inst.SpecDigest() {
		return d
	}
	return nil
}
