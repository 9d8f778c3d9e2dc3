package advice

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// kind is a kind of changes, with the function that lists those that could help.
type kind struct {
	name string
	list func(*points) []change
}

// kinds lists the kinds: first those that the owner of the application can make, then those of the admins of its tenant, then those of
// the platform's.
func (s *search) kinds() []kind {
	return []kind{{"request", s.smallerRequest}, {"replicas", s.fewerReplicas}, {"minReplicas", s.smallerMinimum}, {"pool", s.otherPool},
		{"flavour", s.otherFlavour}, {"spread", s.fewerDomains}, {"together", s.severalDomains}, {"budget", s.largerBudget}, {"time", s.shorterTime}, {"priority", s.otherPriority}, {"quota", s.moreQuota},
		{"quota", s.morePoolQuota}, {"guarantee", s.moreGuarantee}, {"capacity", larger{s}.changes}, {"time", s.wait}}
}

// changes lists the changes that could help.
func (s *search) changes() (list []change) {
	p := s.points()
	for _, k := range s.kinds() {
		list = append(list, k.list(p)...)
	}
	return list
}

// names are those of kinds, each once.
func names(kinds []kind) (list []string) {
	for _, k := range kinds {
		if !slices.Contains(list, k.name) {
			list = append(list, k.name)
		}
	}
	return list
}

// edited returns the spec in Git after a change by an amount, nil: something else changes.
func (s *search) edited(ch *change, n int64) *model.Application {
	if ch.edit == nil {
		return nil
	}
	spec := *s.app.Wanted
	spec.Components = slices.Clone(spec.Components)
	ch.edit(&spec, n)
	return &spec
}

// unit is the smallest amount of a resource that advice deals in.
func unit(resource int) int64 {
	if resource == 1 {
		return 1 << 20
	}
	return 1
}

// ceil divides and rounds up.
func ceil(n, by int64) int64 { return (n + by - 1) / by }

// smallerRequest lets each replica of the component that asks for most ask for less. Less than a tenth is another
// application.
func (s *search) smallerRequest(p *points) (list []change) {
	for _, r := range p.asks {
		i, one := p.largest(r)
		if i < 0 {
			continue
		}
		comp, u, name := s.app.Wanted.Components[i], unit(r), s.Names[r]
		if comp.RequestsElsewhere() {
			continue // another request of the component is not what it asks for in every flavour
		}
		var amounts []int64
		for _, each := range p.each(i, r) {
			amounts = append(amounts, ceil(one-each, u))
		}
		list = append(list, change{
			kind: "request", by: model.ByOwner, list: smallest(amounts, one*9/10/u), between: true,
			edit: func(spec *model.Application, n int64) {
				spec.Components[i].Requests = comp.Requests.With(name, max(0, one-n*u))
			},
			tell: func(n int64) model.Advice {
				a := model.FormatAmounts(name, max(0, one-n*u), one)
				return model.Advice{Amount: a[0], Was: a[1], Settings: s.set("components."+comp.Name+".resources.requests."+name, a[0]),
					Text: fmt.Sprintf("request %s %s for each replica of %s instead of %s", a[0], name, comp.Name, a[1])}
			},
		})
	}
	return list
}

// fewerReplicas runs the component that asks for most with fewer replicas.
func (s *search) fewerReplicas(p *points) (list []change) {
	if len(p.asks) == 0 {
		return nil
	}
	i, _ := p.largest(p.asks[0])
	if i < 0 || s.app.Wanted.Components[i].Replicas < 2 {
		return nil
	}
	comp := s.app.Wanted.Components[i]
	return append(list, change{
		kind: "replicas", by: model.ByOwner, list: smallest(p.replicas(i), int64(comp.Replicas)-1), between: true,
		edit: func(spec *model.Application, n int64) { spec.Components[i].Replicas -= int(n) },
		tell: func(n int64) model.Advice {
			left := fmt.Sprint(int64(comp.Replicas) - n)
			return model.Advice{Amount: left, Was: fmt.Sprint(comp.Replicas), Settings: s.set("components."+comp.Name+".replicas", left),
				Text: fmt.Sprintf("run %s with %s replicas instead of %d", comp.Name, left, comp.Replicas)}
		},
	})
}

// smallerMinimum lets the component that asks for most run with fewer replicas while capacity is short.
func (s *search) smallerMinimum(p *points) (list []change) {
	if len(p.asks) == 0 || s.aim == itsFull || !s.app.Wanted.Policy.Degradation {
		return nil
	}
	i, _ := p.largest(p.asks[0])
	if i < 0 || s.app.Wanted.Components[i].MinReplicas() < 2 {
		return nil
	}
	comp := s.app.Wanted.Components[i]
	least := comp.MinReplicas()
	return append(list, change{
		kind: "minReplicas", by: model.ByOwner, list: smallest(p.minimum(i), int64(least)-1), between: true,
		edit: func(spec *model.Application, n int64) {
			degrade := *cmp.Or(comp.Degrade, &model.Degrade{})
			degrade.MinReplicas = least - int(n)
			spec.Components[i].Degrade = &degrade
		},
		tell: func(n int64) model.Advice {
			left := fmt.Sprint(int64(least) - n)
			told := model.Advice{Amount: left, Was: fmt.Sprint(least),
				Text: fmt.Sprintf("let %s run with %s replicas while capacity is short (degrade.minReplicas), it needs %d now", comp.Name, left, least)}
			if comp.Degrade != nil {
				told.Settings = s.set("components."+comp.Name+".degrade.minReplicas", left)
			}
			return told
		},
	})
}

// otherPool runs the components that name a pool in another one that offers what they need.
func (s *search) otherPool(*points) (list []change) {
	named := map[string]bool{}
	for i := range s.app.Wanted.Components {
		comp := &s.app.Wanted.Components[i]
		from := comp.Placement.Pool
		if from == "" || !comp.Runs() || named[from] {
			continue
		}
		named[from] = true
		var pools []int64 // by place, from 1
		for _, at := range s.Offering(comp) {
			if s.Pools[at].Name != from {
				pools = append(pools, int64(at)+1)
			}
		}
		if len(pools) == 0 {
			continue
		}
		list = append(list, change{
			kind: "pool", by: model.ByOwner, list: pools, any: true,
			edit: func(spec *model.Application, n int64) {
				for k := range spec.Components {
					if c := &spec.Components[k]; c.Placement.Pool == from {
						c.Placement.Pool = s.Pools[n-1].Name
					}
				}
			},
			tell: func(n int64) model.Advice {
				to := s.Pools[n-1].Name
				var settings []model.Setting
				for k := range s.app.Wanted.Components {
					if c := &s.app.Wanted.Components[k]; c.Placement.Pool == from {
						settings = append(settings, s.set("components."+c.Name+".placement.pool", to)...)
					}
				}
				return model.Advice{Amount: to, Was: from, Settings: settings, Text: fmt.Sprintf("run it in pool %s instead of %s", to, from)}
			},
		})
	}
	return list
}

// otherFlavour gives an application that waits one flavour more, and lets one that runs degraded leave the one that it runs in.
func (s *search) otherFlavour(*points) []change {
	at := slices.IndexFunc(s.app.Wanted.Components, func(c model.Component) bool { return len(c.Placement.Flavours) > 0 })
	if at < 0 {
		return nil
	}
	comp := &s.app.Wanted.Components[at]
	has := func(pool string) bool {
		return slices.ContainsFunc(comp.Placement.Flavours, func(f model.Flavour) bool { return f.Pool == pool })
	}
	var pools []int64 // by place, from 1
	pool, text := func(n int64) string { return s.Pools[n-1].Name }, "add a flavour in pool %s, after its others"
	become := func(list []model.Flavour, pool string) []model.Flavour {
		return append(list, model.Flavour{Pool: pool})
	}
	if g, runs := model.Find(s.app.Grants, comp.Name); !runs {
		for _, at := range s.Offering(comp) {
			if !has(s.Pools[at].Name) {
				pools = append(pools, int64(at)+1)
			}
		}
	} else if s.aim == itsFull && has(g.Pool) && len(comp.Placement.Flavours) > 1 {
		pools, pool, text = []int64{1}, func(int64) string { return g.Pool }, "leave flavour %s out, so that it moves to another one, which has room for all of it"
		become = func(list []model.Flavour, pool string) []model.Flavour {
			return slices.DeleteFunc(list, func(f model.Flavour) bool { return f.Pool == pool && len(list) > 1 })
		}
	}
	if pools == nil {
		return nil
	}
	ch := change{kind: "flavour", by: model.ByOwner, list: pools, any: true}
	ch.edit = func(spec *model.Application, n int64) {
		for i := range spec.Components {
			if p := &spec.Components[i].Placement; len(p.Flavours) > 0 {
				p.Flavours = become(slices.Clone(p.Flavours), pool(n))
			}
		}
	}
	ch.tell = func(n int64) model.Advice {
		told := model.Advice{Amount: pool(n), Text: fmt.Sprintf(text, pool(n))}
		for _, c := range s.edited(&ch, n).Components {
			var pools []string
			for _, f := range c.Placement.Flavours {
				pools = append(pools, f.Pool)
			}
			if pools != nil {
				told.Settings = append(told.Settings, s.set("components."+c.Name+".placement.flavours", strings.Join(pools, ","))...)
			}
		}
		return told
	}
	return []change{ch}
}

// fewerDomains spreads a component over fewer domains.
func (s *search) fewerDomains(*points) (list []change) {
	for i := range s.app.Wanted.Components {
		comp := &s.app.Wanted.Components[i]
		spread := comp.Placement.Spread
		if spread == nil || spread.Over == "node" || spread.Min < 2 || !comp.Runs() {
			continue
		}
		domains := 0 // of a pool, at most
		for _, q := range s.Pools {
			domains = max(domains, len(q.Domains))
		}
		var fewer []int64
		for left := min(spread.Min-1, domains); left > 0 && len(fewer) < 8*most; left-- {
			fewer = append(fewer, int64(spread.Min-left))
		}
		list = append(list, change{
			kind: "spread", by: model.ByOwner, list: fewer,
			edit: func(spec *model.Application, n int64) {
				spec.Components[i].Placement.Spread = &model.Spread{Over: spread.Over, Min: spread.Min - int(n)}
			},
			tell: func(n int64) model.Advice {
				left := fmt.Sprint(int64(spread.Min) - n)
				return model.Advice{Amount: left, Was: fmt.Sprint(spread.Min),
					Text: fmt.Sprintf("spread %s over %s %ss instead of %d", comp.Name, left, spread.Over, spread.Min)}
			},
		})
	}
	return list
}

// largerBudget raises the budget to what the application costs in one of the places that it may get, in the unit in which budgets
// are read: what costs least may not be free, or take too much of a pool.
func (s *search) largerBudget(*points) []change {
	var budgets []int64
	for _, cost := range solve.Costs(s.app.Wanted, s.app, s.Books) {
		if has := s.app.Wanted.Budget; has > 0 && cost > has {
			budgets = append(budgets, ceil(cost, 100))
		}
	}
	if budgets == nil {
		return nil
	}
	return []change{{
		kind: "budget", by: model.ByOwner, list: smallest(budgets, math.MaxInt64),
		edit: func(spec *model.Application, n int64) { spec.Budget = n * 100 },
		tell: func(n int64) model.Advice {
			to := solve.Money(n * 100)
			return model.Advice{Amount: to, Was: solve.Money(s.app.Wanted.Budget), Settings: s.set("budget.costPerHour", to), Text: "raise budget.costPerHour to " + to}
		},
	}}
}

// otherPriority tries the priority that the ceiling allows where the present one exceeds it. Else it tries the priorities of
// the tenant's other applications and of those of others that may give way first, those just above them and the lowest of
// each band, smallest first: priorities between them change nothing.
func (s *search) otherPriority(p *points) []change {
	var priorities []int64
	if i := slices.IndexFunc(p.failed, func(f solve.Finding) bool { return f.Name == "priorityCeiling" }); i >= 0 {
		priorities = append(priorities, p.failed[i].Limit)
	} else {
		ceiling := s.app.Wanted.Policy.PriorityCeiling
		if t := s.Nodes[s.app.Tenant].Tenant; t.PriorityCeiling > 0 {
			ceiling = min(ceiling, t.PriorityCeiling)
		}
		for _, v := range s.Members[s.app.Tenant] {
			if v != s.app { // the first to come is first of equals
				priorities = append(priorities, int64(v.Priority), int64(v.Priority)+1)
			}
		}
		for _, at := range p.pools() {
			for _, v := range p.holders(at, false) { // who gives way may hang on it
				priorities = append(priorities, int64(v.Priority), int64(v.Priority)+1)
			}
		}
		for i := range s.Fleet.Platform.Bands {
			priorities = append(priorities, int64(s.Fleet.Platform.Bands[i].Min))
		}
		priorities = smallest(slices.DeleteFunc(priorities, func(n int64) bool { return n <= int64(s.app.Priority) }), int64(ceiling))
	}
	if len(priorities) == 0 {
		return nil
	}
	return []change{{
		kind: "priority", by: model.ByOwner, list: priorities,
		edit: func(spec *model.Application, n int64) { spec.Priority = int(n) },
		tell: func(n int64) model.Advice {
			to := fmt.Sprint(n)
			return model.Advice{Amount: to, Was: fmt.Sprint(s.app.Wanted.Priority), Settings: s.set("priority", to), Text: "set priority to " + to}
		},
	}}
}

// set is a setting of the application.
func (s *search) set(field, value string) []model.Setting {
	return []model.Setting{{Kind: "set", Path: "application." + s.app.ID.String() + "." + field, Value: value}}
}

// owner is who writes a limit that stands at a place of the fleet repo.
func owner(at string) string {
	if strings.HasPrefix(at, "tenants/") {
		return model.ByTenant
	}
	return model.ByPlatform
}
