package follow

import (
	"maps"
	"slices"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
)

// stand brings fair shares and standings up to date.
func (f *following) stand() {
	recompute := false
	for t := range f.dirty {
		recompute = f.RecountDemand(t) || recompute
	}
	if f.edits.past {
		f.ReadPast(f.Ledger.PastUse)
		recompute = recompute || f.Reweigh() // as long as no weight changes, past use changes nothing
	}
	moved := map[int]bool{}
	if recompute {
		floors := make([]solve.Vector, len(f.Nodes))
		for i := range f.Nodes {
			floors[i] = f.Nodes[i].Floor
		}
		f.FairShares()
		for i, n := range f.Nodes {
			if n.Tenant != nil && (!n.Steady.Contains(n.FairShare) || !slices.Equal(floors[i], n.Floor)) {
				moved[i] = true
			}
		}
	}
	for t := range f.dirty {
		moved[t] = true
	}
	for _, t := range slices.Sorted(maps.Keys(moved)) {
		f.adviser.Touch(t)
		if f.standAgain(t) || f.dirty[t] {
			f.LineUp(t)
			f.retry.forget(t)
			f.dirty[t] = true
		}
	}
}

// standAgain recomputes the standings of a tenant's applications, and reports whether one
// changed.
func (f *following) standAgain(tenant int) (changed bool) {
	members := slices.Clone(f.Members[tenant]) // which are put in order
	before := make([][]solve.Standing, len(members))
	for i, app := range members {
		before[i] = app.Standing
	}
	f.StandTenant(tenant)
	for i, app := range members {
		if app.Levels == nil || slices.Equal(before[i], app.Standing) {
			continue
		}
		changed = true
		f.DropRanking(app)
		if before[i] == nil || before[i][len(before[i])-1].Class != app.Base().Class {
			f.markStale(app)
			app.Short = nil // so that it is tried, and what it lacks is explained again
		}
	}
	return changed
}
