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

	apps     []model.AppID                      // of which Git or the ledger says something else, by name
	wanted   map[model.AppID]*model.Application // of those of which Git says something else; nil: nothing
	unusable map[model.AppID]*model.Unusable    // likewise
	tenants  map[string]bool                    // whose quota, weight or policy was edited
	capacity model.Digest                       // "": as before
}

func (e *edits) none() bool {
	return len(e.apps) == 0 && len(e.tenants) == 0 && e.capacity == ""
}

// compare finds how inputs differ from those of the last pass. It reports false
// where edits cannot describe the difference, or where deciding everything is
// cheaper. Fleets list their applications in a steady order; another order costs
// deciding everything.
func (t *tracker) compare(e *edits) bool {
	e.wanted, e.unusable, e.tenants = map[model.AppID]*model.Application{}, map[model.AppID]*model.Unusable{}, map[string]bool{}
	if !same(t.Fleet.Platform, e.Fleet.Platform) || !t.compareTenants(e) || !t.compareCapacity(e) {
		return false
	}
	limit := 64 + len(t.Apps)/16
	if !t.compareApplications(e, limit) || !t.compareInstances(e, limit) {
		return false
	}
	t.compareUnusable(e)
	return len(e.apps) <= limit && t.knows(e)
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

// same reports whether two values are equal. Usually they are one and the same,
// which is found without looking inside.
func same[T any](x, y T) bool {
	vx, vy := reflect.ValueOf(x), reflect.ValueOf(y)
	if vx.Pointer() == vy.Pointer() && (vx.Kind() != reflect.Slice || vx.Len() == vy.Len()) {
		return true
	}
	return reflect.DeepEqual(x, y)
}

// compareTenants lists tenants whose quota, weight or policy was edited: that
// concerns their own applications. It reports false where a guarantee, a limit or a
// reservation changed: that concerns all tenants.
func (t *tracker) compareTenants(e *edits) bool {
	old, now := t.Fleet.Tenants, e.Fleet.Tenants
	if same(old, now) {
		return true
	}
	if len(old) != len(now) {
		return false
	}
	for i := range old {
		x, y := &old[i], &now[i]
		switch {
		case reflect.DeepEqual(x, y):
		case x.Name != y.Name || !reflect.DeepEqual(x.Guarantee, y.Guarantee) || !reflect.DeepEqual(x.Borrow, y.Borrow) ||
			!reflect.DeepEqual(x.Lend, y.Lend) || !reflect.DeepEqual(x.Reservations, y.Reservations):
			return false
		default:
			e.tenants[y.Name] = true
		}
	}
	return true
}

// compareCapacity reports whether pools stayed as they were or have grown: growth
// never refuses what has passed the gate. When a pool shrank, everything is decided
// anew.
func (t *tracker) compareCapacity(e *edits) bool {
	digest := solve.CapacityDigest(e.Seen.Pools)
	if digest == t.Capacity {
		return true
	}
	e.capacity = digest
	if len(e.Seen.Pools) != len(t.Seen.Pools) {
		return false
	}
	for i := range t.Seen.Pools {
		n := slices.IndexFunc(e.Seen.Pools, func(q model.Pool) bool { return q.Name == t.Seen.Pools[i].Name })
		if n < 0 || !grown(&t.Seen.Pools[i], &e.Seen.Pools[n]) {
			return false
		}
	}
	return true
}

// grown reports whether a pool has at least what it had, in every domain too.
func grown(old, now *model.Pool) bool {
	if !old.Capacity.Fits(now.Capacity) || old.Nodes > now.Nodes || old.Largest.IsZero() != now.Largest.IsZero() ||
		!old.Largest.Fits(now.Largest) || len(old.Domains) != len(now.Domains) {
		return false
	}
	for _, d := range old.Domains {
		n := slices.IndexFunc(now.Domains, func(e model.Domain) bool { return e.Name == d.Name })
		if n < 0 || !d.Capacity.Fits(now.Domains[n].Capacity) || (d.Nodes == 0) != (now.Domains[n].Nodes == 0) {
			return false
		}
	}
	return true
}

// compareApplications lists applications that were added, removed or changed in
// Git, and those of edited tenants.
func (t *tracker) compareApplications(e *edits, limit int) bool {
	old, now := t.Fleet.Applications, e.Fleet.Applications
	i := 0
	note := func(id model.AppID, app *model.Application) {
		e.apps, e.wanted[id] = append(e.apps, id), app
	}
	for _, app := range now {
		if i < len(old) && old[i] == app {
			if i++; len(e.tenants) > 0 && e.tenants[app.ID.Tenant] {
				note(app.ID, app)
			}
			continue
		}
		if i == len(old) || old[i].ID != app.ID {
			if !t.declares(app.ID) {
				note(app.ID, app)
				continue
			}
			for i < len(old) && old[i].ID != app.ID && len(e.apps) <= limit {
				note(old[i].ID, nil)
				i++
			}
			if i == len(old) || old[i].ID != app.ID {
				return false
			}
		}
		if old[i].Digest != app.Digest || old[i].Desired != app.Desired || len(e.tenants) > 0 && e.tenants[app.ID.Tenant] {
			note(app.ID, app)
		}
		i++
	}
	for ; i < len(old) && len(e.apps) <= limit; i++ {
		note(old[i].ID, nil)
	}
	return len(e.apps) <= limit
}

// declares reports whether the fleet of the last pass declared an application.
func (t *tracker) declares(id model.AppID) bool {
	if _, app := t.Find(id); app != nil {
		return app.Wanted != nil
	}
	_, ok := t.Idle[id]
	return ok
}

// compareUnusable lists applications that became unusable or usable.
func (t *tracker) compareUnusable(e *edits) {
	if same(t.Fleet.Unusable, e.Fleet.Unusable) {
		return
	}
	old := map[model.AppID]*model.Unusable{}
	for i := range t.Fleet.Unusable {
		old[t.Fleet.Unusable[i].App] = &t.Fleet.Unusable[i]
	}
	for i := range e.Fleet.Unusable {
		u := &e.Fleet.Unusable[i]
		if was := old[u.App]; was == nil || !reflect.DeepEqual(was, u) {
			e.apps = append(e.apps, u.App)
			e.unusable[u.App] = u
		}
		delete(old, u.App)
	}
	for app := range old {
		e.apps, e.unusable[app] = append(e.apps, app), nil
	}
}

// compareInstances lists applications whose records changed in what arbitration
// reads.
func (t *tracker) compareInstances(e *edits, limit int) bool {
	old, now := t.Ledger.Instances, e.Ledger.Instances
	i, j := 0, 0
	for (i < len(old) || j < len(now)) && len(e.apps) <= limit {
		switch {
		case i < len(old) && j < len(now) && &old[i] == &now[j]:
			i, j = i+1, j+1
		case i < len(old) && j < len(now) && old[i].App == now[j].App:
			if !sameInstance(&old[i], &now[j]) {
				e.apps = append(e.apps, now[j].App)
			}
			i, j = i+1, j+1
		case j == len(now) || i < len(old) && old[i].App.Compare(now[j].App) < 0:
			e.apps = append(e.apps, old[i].App)
			i++
		default:
			e.apps = append(e.apps, now[j].App)
			j++
		}
	}
	return len(e.apps) <= limit
}

// sameInstance compares what arbitration reads of instances. Since changes with
// every transition, so what only transitions change is not compared; of an instance
// that has not begun nothing else is read.
func sameInstance(x, y *model.Instance) bool {
	if x.Number != y.Number || x.Phase != y.Phase || !x.Since.Equal(y.Since) || x.Reason != y.Reason {
		return false
	}
	if !x.Phase.Active() && x.Phase != model.PhaseTerminated {
		return true
	}
	if x.SpecDigest() != y.SpecDigest() || len(x.Held) != len(y.Held) || len(x.Components) != len(y.Components) ||
		!sameRun(x.Run, y.Run) || !x.Returns.Equal(y.Returns) {
		return false
	}
	for k := range x.Components {
		c, d := &x.Components[k], &y.Components[k]
		if (c.State == model.StateDone) != (d.State == model.StateDone) || solve.Ready(c) != solve.Ready(d) || c.Spec != d.Spec || !c.Grant.Equal(d.Grant) {
			return false
		}
	}
	return true
}

// sameRun compares what arbitration reads of runs: what decides about second
// versions.
func sameRun(x, y *model.Run) bool {
	if x == y || x == nil || y == nil {
		return x == y
	}
	return x.Spec == y.Spec && x.Phase.Ended() == y.Phase.Ended() && len(x.Base) == len(y.Base) &&
		slices.EqualFunc(x.Targets, y.Targets, func(s, t model.Target) bool {
			return s.Component == t.Component && s.Stable.Content == t.Stable.Content
		})
}
