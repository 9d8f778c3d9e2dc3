package follow

import (
	"reflect"
	"slices"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// edits are the differences between the inputs of two passes.
type edits struct {
	solve.Inputs
	apps   []model.AppID                      // whose declaration or record changed
	wanted map[model.AppID]*model.Application // the changed declarations; nil: declared no more
	past   bool                               // the ledger says something else of past use
}

// compare finds how inputs differ from those of the last pass. It returns false where
// everything has to be decided again: because the platform, a tenant, a pool or the list of
// unusable applications changed, which concerns many applications, or because many
// applications changed. Fleets list their applications in a steady order; another order
// costs deciding everything.
func (t *tracker) compare(e *edits) bool {
	if !reflect.DeepEqual(t.Fleet.Platform, e.Fleet.Platform) || !reflect.DeepEqual(t.Fleet.Tenants, e.Fleet.Tenants) ||
		!reflect.DeepEqual(t.Fleet.Unusable, e.Fleet.Unusable) || t.Capacity != solve.CapacityDigest(e.Seen.Pools) {
		return false
	}
	e.wanted = map[model.AppID]*model.Application{}
	if !t.compareApplications(e) {
		return false
	}
	t.compareInstances(e)
	e.past = t.HalfLife > 0 && !samePast(t.Ledger.PastUse, e.Ledger.PastUse)
	return len(e.apps) <= 64+len(t.Apps)/16 && t.knows(e) // beyond that deciding everything costs less
}

func samePast(x, y *model.PastUse) bool {
	return x == y || x != nil && y != nil && x.Digest == y.Digest && x.Intact() == y.Intact()
}

// knows reports whether all tenants and devices of the edited applications are
// known. If not, the tree or the dimensions change.
func (t *tracker) knows(e *edits) bool {
	var apps []*model.Application
	var instances []model.Instance
	for _, id := range e.apps {
		if _, ok := t.Tenants[id.Tenant]; !ok {
			return false
		}
		if app := e.wanted[id]; app != nil {
			apps = append(apps, app)
		}
		if inst, ok := e.Ledger.Find(id); ok {
			instances = append(instances, *inst)
		}
	}
	for name := range solve.Devices(apps, e.Seen.Pools, instances) {
		if _, ok := t.Index[name]; !ok {
			return false
		}
	}
	return true
}

// compareApplications lists applications that were added, removed or changed in Git. It
// returns false if they are listed in another order.
func (t *tracker) compareApplications(e *edits) bool {
	old := t.Fleet.Applications
	note := func(id model.AppID, app *model.Application) { e.apps, e.wanted[id] = append(e.apps, id), app }
	for _, app := range e.Fleet.Applications {
		if len(old) > 0 && old[0].Digest == app.Digest { // nearly always; a digest covers the name
			old = old[1:]
			continue
		}
		if len(old) == 0 || old[0].ID != app.ID {
			if !t.declares(app.ID) {
				note(app.ID, app)
				continue
			}
			for len(old) > 0 && old[0].ID != app.ID {
				note(old[0].ID, nil)
				old = old[1:]
			}
			if len(old) == 0 {
				return false
			}
		}
		if old[0].Digest != app.Digest {
			note(app.ID, app)
		}
		old = old[1:]
	}
	for _, app := range old {
		note(app.ID, nil)
	}
	return true
}

// declares reports whether the fleet of the last pass declared an application.
func (t *tracker) declares(id model.AppID) bool {
	if _, app := t.Find(id); app != nil {
		return app.Wanted != nil
	}
	_, ok := t.Idle[id]
	return ok
}

// compareInstances lists applications whose records changed in what arbitration
// reads.
func (t *tracker) compareInstances(e *edits) {
	if t.Ledger.Revision.Is(e.Ledger.Revision) {
		return
	}
	old, now := t.Ledger.Instances, e.Ledger.Instances
	for len(old) > 0 || len(now) > 0 {
		switch {
		case len(old) > 0 && len(now) > 0 && old[0].Revision.Is(now[0].Revision): // nearly always
			old, now = old[1:], now[1:]
		case len(old) > 0 && len(now) > 0 && old[0].App == now[0].App:
			if !sameInstance(&old[0], &now[0]) {
				e.apps = append(e.apps, now[0].App)
			}
			old, now = old[1:], now[1:]
		case len(now) == 0 || len(old) > 0 && old[0].App.Compare(now[0].App) < 0:
			e.apps, old = append(e.apps, old[0].App), old[1:]
		default:
			e.apps, now = append(e.apps, now[0].App), now[1:]
		}
	}
}

// sameInstance reports whether two records are the same in what arbitration reads. Since
// changes with every transition, so what only transitions change is not compared; of an
// instance that has not begun nothing else is read.
func sameInstance(x, y *model.Instance) bool {
	if x.Number != y.Number || x.Phase != y.Phase || !x.Since.Equal(y.Since) || x.Reason != y.Reason || !x.SameRuntimes(y) {
		return false
	}
	if !x.Phase.Active() && x.Phase != model.PhaseTerminated {
		return true
	}
	if x.SpecDigest() != y.SpecDigest() || len(x.Held) != len(y.Held) || !x.Returns.Equal(y.Returns) ||
		!x.Lowered.Equal(y.Lowered) || !x.Raised.Equal(y.Raised) || !sameRun(x.Run, y.Run) {
		return false
	}
	return slices.EqualFunc(x.Components, y.Components, func(c, d model.ComponentState) bool {
		if (c.State != d.State || !c.Since.Equal(d.Since)) && finite(x.Spec, c.Grant.Component) {
			return false // it ends at another time
		}
		return c.Finished() == d.Finished() && solve.Ready(&c) == solve.Ready(&d) && c.Spec == d.Spec && c.Grant.Equal(d.Grant)
	})
}

// sameRun reports whether two runs are the same in what decides about second versions.
func sameRun(x, y *model.Run) bool {
	if x == nil || y == nil {
		return x == y
	}
	return x.Spec == y.Spec && x.Phase.Ended() == y.Phase.Ended() && len(x.Base) == len(y.Base) &&
		slices.EqualFunc(x.Targets, y.Targets, func(s, t model.Target) bool {
			return s.Component == t.Component && s.Stable.Content == t.Stable.Content
		})
}

// finite reports whether a component ends by itself: when it does follows from when it began.
func finite(spec *model.Application, component string) bool {
	if spec == nil {
		return false
	}
	c, ok := spec.Component(component)
	return ok && c.Finite()
}
