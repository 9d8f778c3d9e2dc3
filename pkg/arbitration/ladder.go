package arbitration

import (
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// cut says which parts of an application are given up. The zero value is none:
// the application runs in full.
type cut struct {
	qos      bool // components run at the profile of their degrade.qos
	optional bool // components that are not critical are off
	replicas int  // so many of partsOfReplicas of what lies above degrade.minReplicas are off
}

// partsOfReplicas is in how many steps replicas go down to their minimum, so that
// no more is given up than about what is needed.
const partsOfReplicas = 4

// String tells people what is given up.
func (k cut) String() string {
	var parts []string
	if k.qos {
		parts = append(parts, "a lower QoS")
	}
	if k.optional {
		parts = append(parts, "optional components off")
	}
	switch k.replicas {
	case 0:
	case partsOfReplicas:
		parts = append(parts, "replicas at their minimum")
	default:
		parts = append(parts, "fewer replicas")
	}
	return strings.Join(parts, " and ")
}

// steps are the cuts by the names that policy gives them, in the order in which
// they are made where policy does not say another.
var steps = []struct {
	name string
	make func(*cut)
}{
	{"qos", func(c *cut) { c.qos = true }},
	{"optional", func(c *cut) { c.optional = true }},
	{"replicas", func(c *cut) { c.replicas++ }},
}

// rung is one level of an application's ladder and what it takes there.
type rung struct {
	cut   cut
	bound []load // of components that stay in a pool of their own
	loose vector // of components that are placed together, nil: there are none
	total vector
	lasts vector // total without second versions, which pass: what standing and entitlement count

	spreads []spreading
	surge   []bool // by component: a second version runs beside it; see surges
}

// spreading is what a component asks of the topology of its pool.
type spreading struct {
	pool int    // -1: that of the loose components
	one  vector // of one replica
	min  int    // domains
}

// load is an amount taken of a pool.
type load struct {
	pool   int
	amount vector
}

// cuts lists the levels that policy and spec allow, best first. Each takes at
// most what the one above it takes; levels that change nothing are left out.
func cuts(spec *model.Application) []cut {
	levels := []cut{{}}
	if !spec.Policy.Degradation {
		return levels
	}
	var now cut
	order := spec.Policy.Ladder
	if len(order) == 0 {
		order = []string{"qos", "optional", "replicas"}
	}
	for _, name := range order {
		times := 1
		if name == "replicas" {
			times = partsOfReplicas
		}
		lower := now
		for range times {
			for _, s := range steps {
				if s.name == name {
					s.make(&lower)
				}
			}
			if differ(spec, now, lower) {
				now = lower
				levels = append(levels, now)
			}
		}
	}
	return levels
}

func differ(spec *model.Application, x, y cut) bool {
	for i := range spec.Components {
		xr, xq := at(&spec.Components[i], x)
		yr, yq := at(&spec.Components[i], y)
		if xr != yr || xq != yq {
			return true
		}
	}
	return false
}

// at returns the replicas and the profile of a component under a cut.
func at(c *model.Component, k cut) (replicas int, qos string) {
	if !c.Runs() {
		return 1, c.QoS // it exists or not
	}
	full, least := countable(c.Replicas), countable(c.MinReplicas())
	replicas, qos = full, c.QoS
	if k.qos && c.Degrade != nil && c.Degrade.QoS != "" {
		qos = c.Degrade.QoS
	}
	replicas -= (full - least) * k.replicas / partsOfReplicas
	if k.optional && !c.Critical {
		replicas = 0
	}
	return replicas, qos
}

// countable bounds a number of replicas, so that it can be reckoned with.
func countable(replicas int) int { return min(max(replicas, 0), 1<<31-1) }

// grantsAt returns the grants of a spec under a cut, without pools.
func grantsAt(spec *model.Application, k cut) []model.Grant {
	grants := make([]model.Grant, len(spec.Components))
	for i := range spec.Components {
		c := &spec.Components[i]
		replicas, qos := at(c, k)
		grants[i] = model.Grant{Component: c.Name, Replicas: replicas, Requests: c.Requests, QoS: qos}
	}
	return grants
}

// climb makes the ladder of a spec for a claim: components that name a pool or
// already run in one are bound to it, and what is done takes nothing. Those that
// surge take their replicas twice.
func (p *problem) climb(c *claim, spec *model.Application, surge []bool) []rung {
	levels := cuts(spec)
	ladder := make([]rung, len(levels))
	pools := make([]int, len(spec.Components))
	one := make([]vector, len(spec.Components))
	for i := range spec.Components {
		comp := &spec.Components[i]
		if comp.Runs() && !c.done(spec, comp) {
			pools[i], one[i] = p.boundTo(c, comp), p.of(comp.Requests)
		}
	}
	for l, k := range levels {
		r := rung{cut: k, total: p.zero(), surge: surge}
		if r.lasts = r.total; surge != nil {
			r.lasts = p.zero()
		}
		for i := range spec.Components {
			if one[i] == nil {
				continue
			}
			replicas, _ := at(&spec.Components[i], k)
			amount := p.zero()
			amount.addTimes(one[i], r.times(i, replicas))
			r.total.add(amount)
			if surge != nil {
				r.lasts.addTimes(one[i], replicas)
			}
			if s := spec.Components[i].Placement.Spread; s != nil && s.Over != "node" && replicas > 0 {
				r.spreads = append(r.spreads, spreading{pools[i], one[i], s.Min})
			}
			if pools[i] >= 0 {
				r.bound = addLoad(r.bound, pools[i], amount)
				continue
			}
			if r.loose == nil {
				r.loose = amount
			} else {
				r.loose.add(amount)
			}
		}
		ladder[l] = r
	}
	return ladder
}

func addLoad(loads []load, pool int, amount vector) []load {
	for i := range loads {
		if loads[i].pool == pool {
			loads[i].amount.add(amount)
			return loads
		}
	}
	return append(loads, load{pool, slices.Clone(amount)})
}

// loads returns what a rung takes of each pool when its loose components are put
// into the given one.
func (r *rung) loads(pool int) []load {
	if r.loose == nil || pool < 0 {
		return r.bound
	}
	loads := make([]load, 0, len(r.bound)+1)
	for _, l := range r.bound {
		loads = append(loads, load{l.pool, slices.Clone(l.amount)})
	}
	return addLoad(loads, pool, r.loose)
}

// takes is what a rung takes of a resource of a pool, with its loose components
// in the pool at.
func (r *rung) takes(at, pool, resource int) int64 {
	n := heldOf(r.bound, pool, resource)
	if at == pool && r.loose != nil {
		n += r.loose[resource]
	}
	return n
}

// rungOf finds the rung that grants stand on: the first whose grants they
// reach. What was granted by an older policy can lie between two rungs.
func rungOf(spec *model.Application, ladder []rung, grants []model.Grant) int {
	for l := range ladder {
		reached := true
		for i := range spec.Components {
			replicas, qos := at(&spec.Components[i], ladder[l].cut)
			n := slices.IndexFunc(grants, func(g model.Grant) bool { return g.Component == spec.Components[i].Name })
			if n < 0 || grants[n].Replicas < replicas || grants[n].Surge < ladder[l].times(i, replicas)-replicas || grants[n].QoS != qos && grants[n].QoS != spec.Components[i].QoS {
				reached = false
				break
			}
		}
		if reached {
			return l
		}
	}
	return len(ladder) - 1
}
