package solve

import (
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// Cut is what an application gives up at a level. The zero value is nothing: the
// application runs in full.
type Cut struct {
	qos      bool // components run at the profile of their degrade.qos
	optional bool // components that are not critical are off
	replicas int  // of what lies above degrade.minReplicas, this many of partsOfReplicas parts are off
}

// partsOfReplicas is the number of steps in which replicas go down to their
// minimum, so that hardly more is given up than needed.
const partsOfReplicas = 4

// String describes what is given up.
func (k Cut) String() string {
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

// Level is one level at which an application can run, and what it takes there.
type Level struct {
	Cut   Cut
	Bound []Load // of components that stay in a pool of their own
	Loose Vector // of components that are placed together, nil: there are none
	Total Vector
	lasts Vector // total without second versions, which are temporary: what standing and fair share count

	spreads []spreading
	gang    *gang  // nil: nothing of it is to stand together
	surge   []bool // by component: a second version runs beside it; see surges
}

// spreading is how a component has to be spread over the domains of its pool.
type spreading struct {
	pool int    // -1: that of the loose components
	one  Vector // of one replica
	min  int    // domains
}

// Load is an amount taken of a pool.
type Load struct {
	Pool   int
	Amount Vector

	In     string // the domain in which a gang stands, "" for none
	Inside Vector // what of the amount is in it
}

// cuts lists the levels that policy and spec allow, best first. Each takes at most
// what the one above it takes; levels that change nothing are left out.
func cuts(spec *model.Application) []Cut {
	levels := []Cut{{}}
	if !spec.Policy.Degradation {
		return levels
	}
	var now Cut
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
			switch name {
			case "qos":
				lower.qos = true
			case "optional":
				lower.optional = true
			case "replicas":
				lower.replicas++
			}
			if differ(spec, now, lower) {
				now = lower
				levels = append(levels, now)
			}
		}
	}
	return levels
}

// differ reports whether two cuts grant a spec something different.
func differ(spec *model.Application, x, y Cut) bool {
	for i := range spec.Components {
		xr, xq := ReplicasAt(&spec.Components[i], x)
		yr, yq := ReplicasAt(&spec.Components[i], y)
		if xr != yr || xq != yq {
			return true
		}
	}
	return false
}

// ReplicasAt returns the replicas and the QoS profile of a component under a cut.
func ReplicasAt(c *model.Component, k Cut) (replicas int, qos string) {
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

// countable bounds a number of replicas, so that multiplying it does not overflow.
func countable(replicas int) int { return min(max(replicas, 0), 1<<31-1) }

// grantsAt returns the grants of a spec under a cut, without pools.
func (app *App) grantsAt(spec *model.Application, k Cut) []model.Grant {
	grants := make([]model.Grant, len(spec.Components))
	for i := range spec.Components {
		c := &spec.Components[i]
		grants[i] = app.asks(spec, c)
		grants[i].Replicas, grants[i].QoS = ReplicasAt(c, k)
	}
	return grants
}

// LevelsOf returns the levels of a spec, best first. Components that name a pool or
// already run in one are bound to it, and components that are done take nothing.
// Components that surge take their replicas twice.
func (b *Books) LevelsOf(app *App, spec *model.Application, surge []bool) []Level {
	cutsOf := cuts(spec)
	levels := make([]Level, len(cutsOf))
	pools := make([]int, len(spec.Components))
	one := make([]Vector, len(spec.Components))
	for i := range spec.Components {
		comp := &spec.Components[i]
		if comp.Runs() && !app.done(spec, comp) {
			pools[i], one[i] = b.boundTo(app, spec, comp), b.Of(app.Asks(spec, comp))
		}
	}
	for l, k := range cutsOf {
		r := Level{Cut: k, Total: b.Zero(), surge: surge}
		if r.lasts = r.Total; surge != nil {
			r.lasts = b.Zero()
		}
		for i := range spec.Components {
			if one[i] == nil {
				continue
			}
			replicas, _ := ReplicasAt(&spec.Components[i], k)
			amount := b.Zero()
			amount.addTimes(one[i], r.times(i, replicas))
			r.Total.Add(amount)
			if comp := &spec.Components[i]; comp.Gathers() {
				r.gather(comp, pools[i], amount)
			}
			if surge != nil {
				r.lasts.addTimes(one[i], replicas)
			}
			if s := spec.Components[i].Placement.Spread; s != nil && s.Over != "node" && replicas > 0 {
				r.spreads = append(r.spreads, spreading{pools[i], one[i], s.Min})
			}
			if pools[i] >= 0 {
				r.Bound = addLoad(r.Bound, pools[i], amount)
				continue
			}
			if r.Loose == nil {
				r.Loose = b.Zero()
			}
			r.Loose.Add(amount)
		}
		levels[l] = r
	}
	return levels
}

// addLoad adds an amount to the load of a pool.
func addLoad(loads []Load, pool int, amount Vector) []Load {
	for i := range loads {
		if loads[i].Pool == pool {
			loads[i].Amount.Add(amount)
			return loads
		}
	}
	return append(loads, Load{Pool: pool, Amount: slices.Clone(amount)})
}

// loads returns what a level takes of each pool when its loose components are put
// into the given one.
func (r *Level) loads(pool int) []Load {
	if r.Loose == nil || pool < 0 {
		return r.Bound
	}
	loads := make([]Load, 0, len(r.Bound)+1)
	for _, l := range r.Bound {
		loads = append(loads, Load{Pool: l.Pool, Amount: slices.Clone(l.Amount)})
	}
	return addLoad(loads, pool, r.Loose)
}

// takes is what a level takes of a resource of a pool, with its loose components in
// pool at.
func (r *Level) takes(at, pool, resource int) int64 {
	n := HeldOf(r.Bound, pool, resource)
	if at == pool && r.Loose != nil {
		n += r.Loose[resource]
	}
	return n
}

// levelOf finds the level that grants stand on: the first whose grants they reach.
// What was granted under an older policy can lie between two levels.
func levelOf(spec *model.Application, levels []Level, grants []model.Grant) int {
	for l := range levels {
		reached := true
		for i := range spec.Components {
			replicas, qos := ReplicasAt(&spec.Components[i], levels[l].Cut)
			g, ok := model.Find(grants, spec.Components[i].Name)
			if !ok || g.Replicas < replicas || g.Surge < levels[l].times(i, replicas)-replicas || g.QoS != qos && g.QoS != spec.Components[i].QoS {
				reached = false
				break
			}
		}
		if reached {
			return l
		}
	}
	return len(levels) - 1
}
