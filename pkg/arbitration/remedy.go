package arbitration

import (
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// changes lists what could admit the application, by who could make it: its
// owner, the tenant's admin, the platform's.
func (p *problem) changes(c *claim) (list []change) {
	var failed []*finding
	for i := range c.findings {
		if f := &c.findings[i]; !f.ok {
			failed = append(failed, f)
		}
	}
	add := func(ch change, ok bool) {
		if ok {
			list = append(list, ch)
		}
	}
	resource, asked, over := -1, int64(0), int64(0)
	switch {
	case len(failed) == 1 && failed[0].resource != "":
		f := failed[0]
		resource, asked, over = p.index[f.resource], f.asked, f.used+f.asked-f.limit
	case len(failed) == 0 && len(c.short) > 0 && c.short[0].resource >= 0:
		s := c.short[0]
		resource, asked, over = s.resource, s.asked, s.asked-max(0, s.free)
	}
	if resource >= 0 && over > 0 {
		add(p.fewerReplicas(c, resource, over))
		add(p.smallerRequest(c, resource, asked, over))
	}
	switch {
	case len(failed) == 0:
		add(p.otherPriority(c))
		add(p.moreCapacity(c))
	case len(failed) > 1:
	case failed[0].name == "priorityCeiling":
		limit := failed[0].limit
		add(change{try: 1, most: 1, tell: func(int64) string { return fmt.Sprintf("set priority to %d", limit) },
			make: func(in *inputs, _ int64) { in.edit(c).Priority = int(limit) }}, true)
	case failed[0].reason == model.TooFewDomains:
		add(fewerDomains(c, failed[0]))
	case strings.HasPrefix(failed[0].name, "quota."):
		add(p.moreQuota(c, failed[0]))
	case strings.HasPrefix(failed[0].name, "pool."):
		add(p.moreCapacity(c))
	case failed[0].name == "budget.costPerHour":
		// In the unit in which budgets are read: what is rounded down would not do.
		budget := (failed[0].asked + 99) / 100 * 100
		add(change{try: 1, most: 1, tell: func(int64) string { return "raise budget.costPerHour to " + money(budget) },
			make: func(in *inputs, _ int64) { in.edit(c).Budget = budget }}, true)
	}
	return list
}

// edit returns the application of a claim, to be changed.
func (in *inputs) edit(c *claim) *model.Application {
	in.fleet.Applications = slices.Clone(in.fleet.Applications)
	for i := range in.fleet.Applications {
		if a := *in.fleet.Applications[i]; a.ID == c.app && a.Digest == c.wanted.Digest {
			a.Components = slices.Clone(a.Components)
			in.fleet.Applications[i] = &a
			return &a
		}
	}
	return &model.Application{}
}

// unit is the smallest amount of a resource that people deal in.
func unit(resource int) int64 {
	if resource == 1 {
		return 1 << 20
	}
	return 1
}

// largest returns the component that asks for most of a resource.
func (p *problem) largest(c *claim, resource int) int {
	best, most := -1, int64(0)
	for i := range c.wanted.Components {
		comp := &c.wanted.Components[i]
		if n := p.of(comp.Requests)[resource] * int64(comp.Replicas); comp.Runs() && n > most {
			best, most = i, n
		}
	}
	return best
}

func (p *problem) fewerReplicas(c *claim, resource int, over int64) (change, bool) {
	i := p.largest(c, resource)
	if i < 0 || c.wanted.Components[i].Replicas < 2 {
		return change{}, false
	}
	comp := c.wanted.Components[i]
	one := p.of(comp.Requests)[resource]
	return change{
		try: (over + one - 1) / one, most: int64(comp.Replicas) - 1,
		make: func(in *inputs, n int64) { in.edit(c).Components[i].Replicas -= int(n) },
		tell: func(n int64) string {
			return fmt.Sprintf("run %s with %d replicas instead of %d", comp.Name, int64(comp.Replicas)-n, comp.Replicas)
		},
	}, true
}

func (p *problem) smallerRequest(c *claim, resource int, asked, over int64) (change, bool) {
	i := p.largest(c, resource)
	if i < 0 {
		return change{}, false
	}
	comp := c.wanted.Components[i]
	one, u, name := p.of(comp.Requests)[resource], unit(resource), p.names[resource]
	each := (over + int64(comp.Replicas) - 1) / int64(comp.Replicas)
	return change{
		try: (each + u - 1) / u, most: one * 9 / 10 / u, // less than a tenth is another application
		make: func(in *inputs, n int64) {
			r := &in.edit(c).Components[i].Requests
			*r = set(*r, name, max(0, one-n*u))
		},
		tell: func(n int64) string {
			return fmt.Sprintf("request %s %s for each replica of %s instead of %s", model.FormatAmount(name, max(0, one-n*u)), name, comp.Name, model.FormatAmount(name, one))
		},
	}, true
}

// set returns r with another amount of a resource.
func set(r model.Resources, name string, n int64) model.Resources {
	switch name {
	case "cpu":
		r.CPU = n
	case "memory":
		r.Memory = n
	default:
		devices := map[string]int64{name: n}
		for k, v := range r.Devices {
			if k != name {
				devices[k] = v
			}
		}
		r.Devices = devices
	}
	return r
}

// fewerDomains spreads a component over as many domains as there are.
func fewerDomains(c *claim, f *finding) (change, bool) {
	name := strings.TrimSuffix(strings.TrimPrefix(f.name, "components."), ".placement.spread")
	i := slices.IndexFunc(c.wanted.Components, func(comp model.Component) bool { return comp.Name == name && comp.Placement.Spread != nil })
	if i < 0 {
		return change{}, false
	}
	s := *c.wanted.Components[i].Placement.Spread
	return change{
		try: 1, most: int64(s.Min) - 1,
		make: func(in *inputs, n int64) {
			in.edit(c).Components[i].Placement.Spread = &model.Spread{Over: s.Over, Min: s.Min - int(n)}
		},
		tell: func(n int64) string {
			return fmt.Sprintf("spread %s over %d %ss instead of %d", name, int64(s.Min)-n, s.Over, s.Min)
		},
	}, true
}

// otherPriority tries the priorities of the tenant's own applications, those just
// above them and the lowest of each band, smallest first: between them nothing
// changes.
func (p *problem) otherPriority(c *claim) (change, bool) {
	ceiling := c.wanted.Policy.PriorityCeiling
	if t := p.nodes[c.tenant].tenant; t.PriorityCeiling > 0 {
		ceiling = min(ceiling, t.PriorityCeiling)
	}
	var priorities []int
	for _, v := range p.members[c.tenant] {
		if v != c { // the first to come is first of equals
			priorities = append(priorities, v.priority, v.priority+1)
		}
	}
	for i := range p.platform.Bands {
		priorities = append(priorities, p.platform.Bands[i].Min)
	}
	priorities = slices.DeleteFunc(priorities, func(n int) bool { return n <= c.priority || n > ceiling })
	slices.Sort(priorities)
	priorities = slices.Compact(priorities)
	if len(priorities) == 0 {
		return change{}, false
	}
	return change{
		try: 1, most: int64(len(priorities)),
		make: func(in *inputs, n int64) { in.edit(c).Priority = priorities[n-1] },
		tell: func(n int64) string { return fmt.Sprintf("set priority to %d", priorities[n-1]) },
	}, true
}

// lack is what a pool has too little of.
type lack struct {
	resource int
	amount   int64
}

// moreCapacity adds to a pool what the application lacks there.
func (p *problem) moreCapacity(c *claim) (change, bool) {
	pool, lacks := -1, []lack(nil)
	for _, s := range c.short {
		if s.pool >= 0 && s.resource >= 0 && (pool < 0 || pool == s.pool) {
			pool, lacks = s.pool, append(lacks, lack{s.resource, s.asked - max(0, s.free)})
		}
	}
	for i := range c.findings {
		f := &c.findings[i]
		if name, ok := strings.CutPrefix(f.name, "pool."); ok && !f.ok {
			name = strings.TrimSuffix(name, "."+f.resource)
			if at, known := p.poolAt[name]; known && (pool < 0 || pool == at) {
				pool, lacks = at, append(lacks, lack{p.index[f.resource], f.asked - f.limit})
			}
		}
	}
	if pool < 0 {
		return change{}, false
	}
	return p.enlarge(p.pools[pool].Name, lacks), true
}

// enlarge gives a pool more of what it lacks. Of several things the first is
// minimized.
func (p *problem) enlarge(pool string, lacks []lack) change {
	first := lacks[0]
	u := unit(first.resource)
	units := (first.amount + u - 1) / u
	amounts := func(n int64) []int64 {
		out := make([]int64, len(lacks))
		for i, l := range lacks {
			if out[i] = l.amount; i == 0 {
				out[i] = n * u
			}
		}
		return out
	}
	ch := change{
		try: units, most: max(units*4, 1),
		make: func(in *inputs, n int64) {
			in.seen.Pools = slices.Clone(in.seen.Pools)
			for i := range in.seen.Pools {
				if q := &in.seen.Pools[i]; q.Name == pool {
					for k, amount := range amounts(n) {
						r := p.names[lacks[k].resource]
						q.Capacity = set(q.Capacity, r, q.Capacity.Get(r)+amount)
					}
				}
			}
		},
		tell: func(n int64) string {
			var parts []string
			for k, amount := range amounts(n) {
				parts = append(parts, p.amount(lacks[k].resource, amount)+" "+p.names[lacks[k].resource])
			}
			return "give pool " + pool + " " + strings.Join(parts, " and ") + " more"
		},
	}
	if len(lacks) > 1 {
		without := p.enlarge(pool, lacks[1:])
		ch.without = &without
	}
	return ch
}

// moreQuota raises a quota of the tenant.
func (p *problem) moreQuota(c *claim, f *finding) (change, bool) {
	key := strings.TrimPrefix(f.name, "quota.")
	u := int64(1)
	if f.resource != "" {
		u = unit(p.index[f.resource])
	}
	short := f.used + f.asked - f.limit
	return change{
		try: (short + u - 1) / u, most: max(1, (short+u-1)/u*2),
		make: func(in *inputs, n int64) {
			in.fleet.Tenants = slices.Clone(in.fleet.Tenants)
			for i := range in.fleet.Tenants {
				t := &in.fleet.Tenants[i]
				switch {
				case t.Name != c.app.Tenant:
				case key == "applications":
					t.MaxApplications += int(n)
				case key == "workloads":
					t.MaxWorkloads += int(n)
				default:
					quota := set(*t.Quota, key, t.Quota.Get(key)+n*u)
					t.Quota = &quota
				}
			}
		},
		tell: func(n int64) string {
			return fmt.Sprintf("raise quota.%s of tenant %s to %s", key, c.app.Tenant, model.FormatAmount(f.resource, f.limit+n*u))
		},
	}, true
}
