package arbitration

import (
	"reflect"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// edits are what differs between the inputs of two passes.
type edits struct {
	fleet  *model.Fleet
	seen   *model.Observation
	ledger *model.Ledger
	now    time.Time

	apps     []model.AppID                      // of which Git or the ledger says something else, by name
	wanted   map[model.AppID]*model.Application // of those of which Git says something else; nil: nothing
	unusable map[model.AppID]*model.Unusable    // likewise
	tenants  map[string]bool                    // whose quota, weight or policy was edited
	capacity model.Digest                       // "": as before
}

func (e *edits) none() bool {
	return len(e.apps) == 0 && len(e.tenants) == 0 && e.capacity == ""
}

// compare finds out how inputs differ from those of the pass before. It says false where the
// difference is not of these kinds or so large that deciding anew is cheaper.
// Fleets list their applications in a steady order; another order costs deciding
// anew.
func (p *problem) compare(e *edits) bool {
	e.wanted, e.unusable, e.tenants = map[model.AppID]*model.Application{}, map[model.AppID]*model.Unusable{}, map[string]bool{}
	if !same(p.platform, e.fleet.Platform) || !p.compareTenants(e) || !p.compareCapacity(e) {
		return false
	}
	limit := 64 + len(p.claims)/16
	if !p.compareApplications(e, limit) || !p.compareInstances(e, limit) {
		return false
	}
	p.compareUnusable(e)
	return len(e.apps) <= limit && p.knows(e)
}

// knows says whether all tenants and devices of what was edited are known: if not,
// the tree or the dimensions change.
func (p *problem) knows(e *edits) bool {
	var fleet model.Fleet
	var ledger model.Ledger
	for _, id := range e.apps {
		if _, ok := p.tenants[id.Tenant]; !ok {
			return false
		}
		if app := e.wanted[id]; app != nil {
			fleet.Applications = append(fleet.Applications, app)
		}
		if inst, ok := e.ledger.Find(id); ok {
			ledger.Instances = append(ledger.Instances, *inst)
		}
	}
	for name := range devices(&fleet, e.seen, &ledger) {
		if _, ok := p.index[name]; !ok {
			return false
		}
	}
	return true
}

// same compares values that usually are one and the same.
func same[T any](x, y T) bool {
	vx, vy := reflect.ValueOf(x), reflect.ValueOf(y)
	if vx.Pointer() == vy.Pointer() && (vx.Kind() != reflect.Slice || vx.Len() == vy.Len()) {
		return true
	}
	return reflect.DeepEqual(x, y)
}

// compareTenants lists tenants of which something was edited that concerns their
// own applications, or how large their part is. What they are guaranteed, borrow,
// lend or reserve concerns everybody.
func (p *problem) compareTenants(e *edits) bool {
	old, now := p.fleet.Tenants, e.fleet.Tenants
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

// compareCapacity accepts pools that have grown: nothing that passed the gate is
// refused for that. Of pools that shrank everything is decided anew.
func (p *problem) compareCapacity(e *edits) bool {
	digest := capacityDigest(e.seen.Pools)
	if digest == p.capacity {
		return true
	}
	e.capacity = digest
	if len(e.seen.Pools) != len(p.seen) {
		return false
	}
	for i := range p.seen {
		n := slices.IndexFunc(e.seen.Pools, func(q model.Pool) bool { return q.Name == p.seen[i].Name })
		if n < 0 || !grown(&p.seen[i], &e.seen.Pools[n]) {
			return false
		}
	}
	return true
}

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

func (p *problem) compareApplications(e *edits, limit int) bool {
	old, now := p.fleet.Applications, e.fleet.Applications
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
			if !p.declares(app.ID) {
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

// declares says whether an application stood among those of the fleet.
func (p *problem) declares(app model.AppID) bool {
	if _, c := p.find(app); c != nil {
		return c.wanted != nil
	}
	_, ok := p.idle[app]
	return ok
}

func (p *problem) compareUnusable(e *edits) {
	if same(p.fleet.Unusable, e.fleet.Unusable) {
		return
	}
	old := map[model.AppID]*model.Unusable{}
	for i := range p.fleet.Unusable {
		old[p.fleet.Unusable[i].App] = &p.fleet.Unusable[i]
	}
	for i := range e.fleet.Unusable {
		u := &e.fleet.Unusable[i]
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

func (p *problem) compareInstances(e *edits, limit int) bool {
	old, now := p.ledger.Instances, e.ledger.Instances
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

// sameInstance compares what arbitration reads of instances. What is written with
// every transition, and so with its time, is left to that; of one that has not
// begun nothing else is read.
func sameInstance(x, y *model.Instance) bool {
	if x.Number != y.Number || x.Phase != y.Phase || !x.Since.Equal(y.Since) || x.Reason != y.Reason {
		return false
	}
	if !x.Phase.Active() && x.Phase != model.Terminated {
		return true
	}
	if x.SpecDigest() != y.SpecDigest() || len(x.Held) != len(y.Held) || len(x.Components) != len(y.Components) ||
		!sameRun(x.Run, y.Run) || !x.Returns.Equal(y.Returns) {
		return false
	}
	for k := range x.Components {
		c, d := &x.Components[k], &y.Components[k]
		if (c.State == model.StateDone) != (d.State == model.StateDone) || ready(c) != ready(d) || c.Spec != d.Spec || !sameGrant(&c.Grant, &d.Grant) {
			return false
		}
	}
	return true
}

// sameRun compares what surges reads of runs.
func sameRun(x, y *model.Run) bool {
	if x == y || x == nil || y == nil {
		return x == y
	}
	return x.Spec == y.Spec && x.Phase.Ended() == y.Phase.Ended() && len(x.Base) == len(y.Base) &&
		slices.EqualFunc(x.Targets, y.Targets, func(s, t model.Target) bool {
			return s.Component == t.Component && s.Stable.Content == t.Stable.Content
		})
}

func sameGrant(x, y *model.Grant) bool {
	return x.Component == y.Component && x.Replicas == y.Replicas && x.Surge == y.Surge && x.QoS == y.QoS && x.Pool == y.Pool &&
		x.Requests.CPU == y.Requests.CPU && x.Requests.Memory == y.Requests.Memory && len(x.Requests.Devices) == len(y.Requests.Devices) &&
		(len(x.Requests.Devices) == 0 || reflect.DeepEqual(x.Requests.Devices, y.Requests.Devices))
}
