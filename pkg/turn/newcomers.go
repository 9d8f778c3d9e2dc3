package turn

import (
	"cmp"
	"slices"

	"github.com/d-aros/d-aros/pkg/lifecycle"
	"github.com/d-aros/d-aros/pkg/model"
)

// newcomer is an application that the ledger has no record of.
type newcomer struct {
	app  *model.Application
	band int
	turn int // how many of its tenant and band go before it
}

// part returns a fleet without the newcomers that are more than the next ledger records,
// and how many these are. All of the fleet has been decided about: a part is taken only
// where the ruling grants every newcomer what it asks for, or rejects it, and takes
// nothing from anybody. Then whoever is recorded first leaves the others all that they
// were granted, so that the next cases rule the same. Higher bands go first, then the
// tenants in turn. What others move to is not left out: it is recorded as they end.
func (c *Case) part(fleet model.Fleet, ruling *model.Ruling, moves []lifecycle.Move) (model.Fleet, int) {
	if c.Newcomers <= 0 {
		return fleet, 0
	}
	fresh := c.newcomers(&fleet)
	if len(fresh) <= c.Newcomers || !undisputed(fresh, ruling) {
		return fleet, 0
	}
	slices.SortFunc(fresh, func(x, y newcomer) int { return cmp.Or(cmp.Compare(x.band, y.band), x.app.ID.Compare(y.app.ID)) })
	for i := 1; i < len(fresh); i++ {
		if before := fresh[i-1]; before.band == fresh[i].band && before.app.ID.Tenant == fresh[i].app.ID.Tenant {
			fresh[i].turn = before.turn + 1
		}
	}
	slices.SortFunc(fresh, func(x, y newcomer) int {
		return cmp.Or(cmp.Compare(x.band, y.band), cmp.Compare(x.turn, y.turn), x.app.ID.Compare(y.app.ID))
	})
	left := map[model.AppID]bool{}
	for _, n := range fresh[c.Newcomers:] {
		if !slices.ContainsFunc(moves, func(m lifecycle.Move) bool { return m.To == n.app.ID }) {
			left[n.app.ID] = true
		}
	}
	fleet.Applications = slices.DeleteFunc(slices.Clone(fleet.Applications), func(a *model.Application) bool { return left[a.ID] })
	return fleet, len(left)
}

// newcomers lists the applications of a fleet that get a record. Those that are not to
// run, and those whose records are damaged, do not.
func (c *Case) newcomers(fleet *model.Fleet) (fresh []newcomer) {
	known := c.Ledger.Instances
	for _, a := range fleet.Applications {
		for len(known) > 0 && known[0].App.Compare(a.ID) < 0 {
			known = known[1:]
		}
		halted := a.Desired == model.DesiredSuspended || a.Desired == model.DesiredTerminated
		if (len(known) == 0 || known[0].App != a.ID) && !halted && c.Ledger.DamagedOf(a.ID) == nil {
			fresh = append(fresh, newcomer{app: a, band: fleet.Platform.BandOf(a.Priority)})
		}
	}
	return fresh
}

// undisputed reports whether a ruling gives newcomers all that they ask for or rejects
// them, and takes it from nobody.
func undisputed(fresh []newcomer, ruling *model.Ruling) bool {
	decisions := ruling.Decisions
	for i := range fresh {
		k, found := slices.BinarySearchFunc(decisions, fresh[i].app.ID, func(d model.Decision, id model.AppID) int { return d.App.Compare(id) })
		if !found {
			return false
		}
		d := &decisions[k]
		granted := d.Verdict == model.VerdictGranted && !d.Degraded && len(d.Displaced) == 0
		if !granted && d.Verdict != model.VerdictRejected {
			return false
		}
	}
	return true
}
