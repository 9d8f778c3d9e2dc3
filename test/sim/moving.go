package sim

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// movesWait: an application that moves stays until one of its tenant that came with its components has a place. Where the
// layers are not valid nobody knows what came.
func (w *World) movesWait(before, after *model.Ledger) {
	git := w.repo.commits[after.Commit]
	for i, m := range git.moves {
		was, known := before.Find(apps[i])
		now, still := after.Find(apps[i])
		if m.as.shape == "" || !git.usable(m.to) || m.as.halted() || !known || !still || !was.Phase.Active() || now.Reason != model.ReasonRemoved {
			continue
		}
		spec := application(i, m.as, git.rules, "")
		came, knew := before.Find(apps[m.to])
		waits := was.Refused != nil && was.Refused.MovesTo == apps[m.to]
		if was.Release() != spec.Release || knew && came.Phase != model.PhaseTerminated && !waits {
			continue // it runs something else than what moved, or what it moves to came before
		}
		if !slices.ContainsFunc(active(after), func(to *model.Instance) bool {
			like := application(slices.Index(apps, to.App), m.as, git.rules, "")
			return to.App.Tenant == was.App.Tenant && to.Release() == like.Release
		}) {
			w.violate("what moves stays until it has a place", "%s ends, and %s, as which Git has it now, has no place", was.App, apps[m.to])
		}
	}
}
