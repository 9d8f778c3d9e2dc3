package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// changes lists the changes that could admit the application: first the changes that its
// owner can make, then those for the admins of its tenant, then those for the platform.
func (a *advisor) changes(app *solve.App) (list []change) {
	var failed []*solve.Finding
	for i := range app.Findings {
		if f := &app.Findings[i]; !f.OK {
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
	case len(failed) == 1 && failed[0].Resource != "":
		f := failed[0]
		resource, asked, over = a.Index[f.Resource], f.Asked, f.Used+f.Asked-f.Limit
	case len(failed) == 0 && len(app.Short) > 0 && app.Short[0].Resource >= 0:
		s := app.Short[0]
		resource, asked, over = s.Resource, s.Asked, s.Asked-max(0, s.Free)
	}
	if resource >= 0 && over > 0 {
		add(a.fewerReplicas(app, resource, over))
		add(a.smallerRequest(app, resource, asked, over))
	}
	switch {
	case len(failed) == 0:
		add(a.otherPriority(app))
		add(a.moreCapacity(app))
	case len(failed) > 1:
	case failed[0].Name == "priorityCeiling":
		limit := failed[0].Limit
		add(change{try: 1, most: 1, tell: func(int64) string { return fmt.Sprintf("set priority to %d", limit) },
			make: func(in *solve.Inputs, _ int64) { edit(in, app).Priority = int(limit) }}, true)
	case failed[0].Reason == model.ReasonTooFewDomains:
		add(fewerDomains(app, failed[0]))
	case strings.HasPrefix(failed[0].Name, "quota."):
		add(a.moreQuota(app, failed[0]))
	case strings.HasPrefix(failed[0].Name, "pool."):
		add(a.moreCapacity(app))
	case failed[0].Name == "budget.costPerHour":
		// In the unit in which budgets are read: what is rounded down would not do.
		budget := (failed[0].Asked + 99) / 100 * 100
		add(change{try: 1, most: 1, tell: func(int64) string { return "raise budget.costPerHour to " + solve.Money(budget) },
			make: func(in *solve.Inputs, _ int64) { edit(in, app).Budget = budget }}, true)
	}
	return list
}

// edit returns a copy of an application in the inputs, to be changed.
func edit(in *solve.Inputs, app *solve.App) *model.Application {
	in.Fleet.Applications = slices.Clone(in.Fleet.Applications)
	for i := range in.Fleet.Applications {
		if edited := *in.Fleet.Applications[i]; edited.ID == app.ID && edited.Digest == app.Wanted.Digest {
			edited.Components = slices.Clone(edited.Components)
			in.Fleet.Applications[i] = &edited
			return &edited
		}
	}
	return &model.Application{}
}

// unit is the smallest amount of a resource that advice deals in.
func unit(resource int) int64 {
	if resource == 1 {
		return 1 << 20
	}
	return 1
}

// largest returns the component that asks for most of a resource, -1 if none asks
// for it.
func (a *advisor) largest(app *solve.App, resource int) int {
	best, most := -1, int64(0)
	for i := range app.Wanted.Components {
		comp := &app.Wanted.Components[i]
		if n := a.Of(app.Asks(app.Wanted, comp))[resource] * int64(comp.Replicas); comp.Runs() && n > most {
			best, most = i, n
		}
	}
	return best
}

// fewerReplicas runs the largest component with fewer replicas.
func (a *advisor) fewerReplicas(app *solve.App, resource int, over int64) (change, bool) {
	i := a.largest(app, resource)
	if i < 0 || app.Wanted.Components[i].Replicas < 2 {
		return change{}, false
	}
	comp := app.Wanted.Components[i]
	one := a.Of(app.Asks(app.Wanted, &comp))[resource]
	return change{
		try: (over + one - 1) / one, most: int64(comp.Replicas) - 1,
		make: func(in *solve.Inputs, n int64) { edit(in, app).Components[i].Replicas -= int(n) },
		tell: func(n int64) string {
			return fmt.Sprintf("run %s with %d replicas instead of %d", comp.Name, int64(comp.Replicas)-n, comp.Replicas)
		},
	}, true
}

// smallerRequest lets each replica of the largest component ask for less.
func (a *advisor) smallerRequest(app *solve.App, resource int, asked, over int64) (change, bool) {
	i := a.largest(app, resource)
	if i < 0 {
		return change{}, false
	}
	comp := app.Wanted.Components[i]
	one, u, name := a.Of(app.Asks(app.Wanted, &comp))[resource], unit(resource), a.Names[resource]
	each := (over + int64(comp.Replicas) - 1) / int64(comp.Replicas)
	return change{
		try: (each + u - 1) / u, most: one * 9 / 10 / u, // less than a tenth is another application
		make: func(in *solve.Inputs, n int64) {
			r := &edit(in, app).Components[i].Requests
			*r = r.With(name, max(0, one-n*u))
		},
		tell: func(n int64) string {
			amounts := model.FormatAmounts(name, max(0, one-n*u), one)
			return fmt.Sprintf("request %s %s for each replica of %s instead of %s", amounts[0], name, comp.Name, amounts[1])
		},
	}, true
}

// fewerDomains spreads a component over as many domains as there are.
func fewerDomains(app *solve.App, f *solve.Finding) (change, bool) {
	name := strings.TrimSuffix(strings.TrimPrefix(f.Name, "components."), ".placement.spread")
	i := slices.IndexFunc(app.Wanted.Components, func(comp model.Component) bool { return comp.Name == name && comp.Placement.Spread != nil })
	if i < 0 {
		return change{}, false
	}
	s := *app.Wanted.Components[i].Placement.Spread
	return change{
		try: 1, most: int64(s.Min) - 1,
		make: func(in *solve.Inputs, n int64) {
			edit(in, app).Components[i].Placement.Spread = &model.Spread{Over: s.Over, Min: s.Min - int(n)}
		},
		tell: func(n int64) string {
			return fmt.Sprintf("spread %s over %d %ss instead of %d", name, int64(s.Min)-n, s.Over, s.Min)
		},
	}, true
}

// otherPriority tries the priorities of the tenant's other applications, those just
// above them and the lowest of each band, smallest first. Priorities between them
// change nothing.
func (a *advisor) otherPriority(app *solve.App) (change, bool) {
	ceiling := app.Wanted.Policy.PriorityCeiling
	if t := a.Nodes[app.Tenant].Tenant; t.PriorityCeiling > 0 {
		ceiling = min(ceiling, t.PriorityCeiling)
	}
	var priorities []int
	for _, v := range a.Members[app.Tenant] {
		if v != app { // the first to come is first of equals
			priorities = append(priorities, v.Priority, v.Priority+1)
		}
	}
	for i := range a.Fleet.Platform.Bands {
		priorities = append(priorities, a.Fleet.Platform.Bands[i].Min)
	}
	priorities = slices.DeleteFunc(priorities, func(n int) bool { return n <= app.Priority || n > ceiling })
	slices.Sort(priorities)
	priorities = slices.Compact(priorities)
	if len(priorities) == 0 {
		return change{}, false
	}
	return change{
		try: 1, most: int64(len(priorities)),
		make: func(in *solve.Inputs, n int64) { edit(in, app).Priority = priorities[n-1] },
		tell: func(n int64) string { return fmt.Sprintf("set priority to %d", priorities[n-1]) },
	}, true
}

// lack is what a pool has too little of.
type lack struct {
	resource int
	amount   int64
}

// moreCapacity adds to a pool what the application lacks there.
func (a *advisor) moreCapacity(app *solve.App) (change, bool) {
	pool, lacks := -1, []lack(nil)
	for _, s := range app.Short {
		if s.Pool >= 0 && s.Resource >= 0 && (pool < 0 || pool == s.Pool) {
			pool, lacks = s.Pool, append(lacks, lack{s.Resource, s.Asked - max(0, s.Free)})
		}
	}
	for i := range app.Findings {
		f := &app.Findings[i]
		if name, ok := strings.CutPrefix(f.Name, "pool."); ok && !f.OK {
			name = strings.TrimSuffix(name, "."+f.Resource)
			if at, known := a.PoolAt[name]; known && (pool < 0 || pool == at) {
				pool, lacks = at, append(lacks, lack{a.Index[f.Resource], f.Asked - f.Limit})
			}
		}
	}
	if pool < 0 {
		return change{}, false
	}
	return a.enlarge(a.Pools[pool].Name, lacks), true
}

// enlarge gives a pool more of what it lacks. Of several things the first is
// minimized.
func (a *advisor) enlarge(pool string, lacks []lack) change {
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
		make: func(in *solve.Inputs, n int64) {
			in.Seen.Pools = slices.Clone(in.Seen.Pools)
			for i := range in.Seen.Pools {
				if q := &in.Seen.Pools[i]; q.Name == pool {
					for k, amount := range amounts(n) {
						r := a.Names[lacks[k].resource]
						q.Capacity = q.Capacity.With(r, q.Capacity.Get(r)+amount)
					}
				}
			}
		},
		tell: func(n int64) string {
			var parts []string
			for k, amount := range amounts(n) {
				parts = append(parts, a.Amount(lacks[k].resource, amount)+" "+a.Names[lacks[k].resource])
			}
			return "give pool " + pool + " " + strings.Join(parts, " and ") + " more"
		},
	}
	if len(lacks) > 1 {
		without := a.enlarge(pool, lacks[1:])
		ch.without = &without
	}
	return ch
}

// moreQuota raises a quota of the tenant.
func (a *advisor) moreQuota(app *solve.App, f *solve.Finding) (change, bool) {
	key := strings.TrimPrefix(f.Name, "quota.")
	u := int64(1)
	if f.Resource != "" {
		u = unit(a.Index[f.Resource])
	}
	short := f.Used + f.Asked - f.Limit
	return change{
		try: (short + u - 1) / u, most: max(1, (short+u-1)/u*2),
		make: func(in *solve.Inputs, n int64) {
			in.Fleet.Tenants = slices.Clone(in.Fleet.Tenants)
			for i := range in.Fleet.Tenants {
				t := &in.Fleet.Tenants[i]
				switch {
				case t.Name != app.ID.Tenant:
				case key == "applications":
					t.MaxApplications += int(n)
				case key == "workloads":
					t.MaxWorkloads += int(n)
				default:
					quota := t.Quota.With(key, t.Quota.Get(key)+n*u)
					t.Quota = &quota
				}
			}
		},
		tell: func(n int64) string {
			return fmt.Sprintf("raise quota.%s of tenant %s to %s", key, app.ID.Tenant, model.FormatAmount(f.Resource, f.Limit+n*u))
		},
	}, true
}
