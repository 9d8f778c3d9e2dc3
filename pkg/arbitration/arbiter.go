package arbitration

import (
	"reflect"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Arbiter decides as Decide does, and remembers the last arbitration so that the
// next one costs as much as what changed. It falls back to deciding everything
// anew whenever that could make a difference: both rule the same. A decision that
// does not change keeps the words, shares and inputs with which it was made. It is
// not safe for concurrent use; a ruling is good until the next call, and the
// inputs of a call must not be changed before the next.
type Arbiter struct {
	last   *problem
	ruling model.Ruling
	wake   time.Time // when time alone can change the ruling, zero: never
	moved  bool      // the last ruling moved something
}

// Decide rules like the function of the same name.
func (a *Arbiter) Decide(fleet model.Fleet, seen model.Observation, ledger model.Ledger, now time.Time) model.Ruling {
	if fleet.Platform == nil {
		a.last = nil
		return model.Ruling{}
	}
	if arrived, ok := a.arrivals(&fleet, &seen, &ledger, now); ok {
		a.last.fleet, a.last.ledger, a.last.now = &fleet, &ledger, now
		if a.admitAll(arrived) {
			return a.ruling
		}
	}
	p := newProblem(&fleet, &seen, &ledger, now)
	p.solve()
	a.last, a.ruling = p, p.ruling()
	p.explain(&a.ruling)
	a.wake, a.moved = p.wakes(), p.moved()
	return a.ruling
}

// arrivals compares the inputs with the last ones. If nothing differs but
// applications that are new, it returns these. Fleets list their applications in
// a steady order; another order costs deciding anew.
func (a *Arbiter) arrivals(fleet *model.Fleet, seen *model.Observation, ledger *model.Ledger, now time.Time) (arrived []*model.Application, ok bool) {
	p := a.last
	if p == nil || a.moved || p.strangers && !now.Equal(p.now) || now.Before(p.now) || !a.wake.IsZero() && !now.Before(a.wake) {
		return nil, false
	}
	if !same(p.platform, fleet.Platform) || !same(p.fleet.Tenants, fleet.Tenants) || !same(p.fleet.Unusable, fleet.Unusable) ||
		p.capacity != capacityDigest(seen.Pools) || !sameInstances(p.ledger.Instances, ledger.Instances) {
		return nil, false
	}
	known := 0
	for i := range fleet.Applications {
		app := fleet.Applications[i]
		if known < len(p.fleet.Applications) && p.fleet.Applications[known].ID == app.ID {
			if old := p.fleet.Applications[known]; old.Digest != app.Digest || old.Desired != app.Desired {
				return nil, false
			}
			known++
			continue
		}
		if _, seen := ledger.Find(app.ID); seen {
			return nil, false
		}
		arrived = append(arrived, app)
	}
	return arrived, known == len(p.fleet.Applications)
}

// same compares values that usually are one and the same.
func same[T any](x, y T) bool {
	vx, vy := reflect.ValueOf(x), reflect.ValueOf(y)
	if vx.Pointer() == vy.Pointer() && (vx.Kind() != reflect.Slice || vx.Len() == vy.Len()) {
		return true
	}
	return reflect.DeepEqual(x, y)
}

// sameInstances compares what arbitration reads of instances.
func sameInstances(x, y []model.Instance) bool {
	if len(x) != len(y) {
		return false
	}
	if len(x) == 0 || &x[0] == &y[0] {
		return true
	}
	for i := range x {
		a, b := &x[i], &y[i]
		if a.App != b.App || a.Number != b.Number || a.Phase != b.Phase || a.SpecDigest() != b.SpecDigest() || !a.Since.Equal(b.Since) ||
			a.Ending() != b.Ending() || !a.Returns.Equal(b.Returns) || !sameRun(a.Run, b.Run) || len(a.Held) != len(b.Held) || len(a.Components) != len(b.Components) {
			return false
		}
		for k := range a.Components {
			c, d := &a.Components[k], &b.Components[k]
			if (c.State == model.StateDone) != (d.State == model.StateDone) || ready(c) != ready(d) || c.Spec != d.Spec || !sameGrant(&c.Grant, &d.Grant) {
				return false
			}
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

// admitAll serves new applications beside a ruling that moved nothing: all that
// wait wait for more than is free, so that whoever comes later takes nothing from
// them. It says false where others might be concerned: somebody would have to
// give way, or the standing of somebody else changes.
func (a *Arbiter) admitAll(arrived []*model.Application) bool {
	p := a.last
	for _, app := range arrived {
		c := &claim{app: app.ID, wanted: app, declared: p.now, rung: -1, pool: -1, tenant: p.tenant(app.ID.Tenant), priority: app.Priority}
		c.band = p.band(c.priority)
		for name := range devices(&model.Fleet{Applications: []*model.Application{app}}, &model.Observation{}, &model.Ledger{}) {
			if _, ok := p.index[name]; !ok {
				return false
			}
		}
		p.pass(c)
		if c.verdict == model.Waiting && !p.join(c) {
			return false
		}
		n, _ := slices.BinarySearchFunc(p.claims, c.app, func(x *claim, app model.AppID) int { return x.app.Compare(app) })
		p.claims = slices.Insert(p.claims, n, c)
		a.ruling.Decisions = slices.Insert(a.ruling.Decisions, n, p.decision(c))
		if c.granted() {
			a.moved = true // whoever comes next does not find everything at rest
			continue
		}
		p.strangers = true
		left := effort
		a.ruling.Decisions[n].WouldAdmit = p.wouldAdmit(c, &left)
		a.lineUp(c.tenant)
	}
	return true
}

// lineUp gives those of a tenant that wait their places in its line anew.
func (a *Arbiter) lineUp(tenant int) {
	p := a.last
	waiting := slices.DeleteFunc(slices.Clone(p.byTenant[tenant]), func(c *claim) bool { return c.verdict != model.Waiting })
	slices.SortFunc(waiting, inLine)
	for i, c := range waiting {
		if c.position == i+1 {
			continue
		}
		c.position = i + 1
		n, _ := slices.BinarySearchFunc(p.claims, c.app, func(x *claim, app model.AppID) int { return x.app.Compare(app) })
		d := &a.ruling.Decisions[n]
		would := d.WouldAdmit
		*d = p.decision(c)
		d.WouldAdmit = would
	}
}

// join finds a place for one more application that passed the gate.
func (p *problem) join(c *claim) bool {
	if !p.steady(c) {
		return false
	}
	preferred := p.preferred(c, c.spec, &c.ladder[0])
	for l := range c.ladder {
		for _, at := range preferred {
			if loads, short := p.fit(c, &c.ladder[l], at, nil); short == nil {
				p.settle(c, c.spec, c.ladder, l, at, loads)
				return true
			} else if l == 0 && c.short == nil || at == preferred[0] {
				c.short = short
			}
		}
	}
	for level := range c.ladder {
		for _, at := range preferred {
			if p.plan(c, c.ladder, level, at, nil) != nil {
				return false
			}
		}
	}
	return true
}

// steady enters one more claim into entitlements and standings, and says whether
// everything else stands as before.
func (p *problem) steady(c *claim) bool {
	floors := make([]vector, len(p.nodes))
	for i := range p.nodes {
		floors[i] = p.nodes[i].floor
	}
	if len(p.nodes) != len(p.asked[0]) {
		return false // of a tenant that was not there
	}
	p.askFor(c)
	p.entitle()
	for i := range p.nodes {
		n := &p.nodes[i]
		if n.tenant == nil || i == c.tenant {
			continue
		}
		if n.entitled < n.steady.from || n.entitled >= n.steady.to || !slices.Equal(floors[i], n.floor) {
			return false
		}
	}
	others := p.byTenant[c.tenant]
	before := make([][]standing, len(others))
	for i, o := range others {
		before[i] = o.standing
	}
	own := append(slices.Clone(others), c)
	p.standTenant(c.tenant, own)
	for i, o := range others {
		if !slices.Equal(before[i], o.standing) {
			return false
		}
	}
	p.byTenant[c.tenant] = own
	return true
}

// moved says whether anything was granted, reduced, raised, replaced or evicted.
func (p *problem) moved() bool {
	for _, c := range p.claims {
		switch {
		case c.granted() != c.incumbent(), c.update != nil, c.favoured != nil, !c.evictAt.IsZero():
			return true
		case c.granted() && c.accepted() != c.spec:
			return true
		case c.granted() && !slices.EqualFunc(c.grants, c.holds, func(x, y model.Grant) bool { return sameGrant(&x, &y) }):
			return true
		}
	}
	for i := range p.pools {
		if !p.pools[i].kept.isZero() {
			return true
		}
	}
	return false
}

// wakes is when time alone can change the ruling next.
func (p *problem) wakes() (at time.Time) {
	soonest := func(t time.Time) {
		if t.After(p.now) && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	soonest(p.returns)
	for _, c := range p.claims {
		switch {
		case c.verdict == model.Waiting && c.policy().ReserveAfter > 0:
			soonest(c.waitsSince(p.now).Add(c.policy().ReserveAfter))
		case c.granted() && c.incumbent():
			if c.rung > 0 {
				soonest(c.instance.Since.Add(max(c.policy().RestoreHold, RestoreHold)))
			}
			if least := c.policy().MinRuntime; least > 0 {
				soonest(c.started().Add(least))
			}
			if !c.evictAt.IsZero() {
				soonest(c.evictAt)
			}
		}
	}
	return at
}
