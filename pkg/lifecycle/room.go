package lifecycle

import "github.com/d-aros/d-aros/pkg/model"

// room is what every pool has left when every application has what this pass
// grants. It is computed when it is needed first.
type room struct {
	measure func() (free amounts, held map[model.AppID]amounts)
	free    amounts
	held    map[model.AppID]amounts // what is counted of each application
}

// amounts are resources by pool.
type amounts map[string]model.Resources

// book takes replicas of a grant and reports whether there was room for them.
func (a amounts) book(g *model.Grant, replicas int) bool {
	need := g.Requests.Times(replicas)
	if need.IsZero() {
		return true
	}
	if !need.Fits(a[g.Pool]) {
		return false
	}
	a[g.Pool] = a[g.Pool].Sub(need)
	return true
}

func (a amounts) add(pool string, r model.Resources) {
	if !r.IsZero() {
		a[pool] = a[pool].Add(r)
	}
}

func (r *room) open() {
	if r.free == nil {
		r.free, r.held = r.measure()
	}
}

// with is what an instance may take: what it holds already, and what is free.
func (r *room) with(inst *model.Instance) amounts {
	r.open()
	left := amounts{}
	for pool, free := range r.free {
		left[pool] = free.Add(r.held[inst.App][pool])
	}
	for pool, own := range holds(inst) {
		left[pool] = left[pool].Max(own)
	}
	return left
}

// besides is what is left free beside the instance.
func (r *room) besides(inst *model.Instance) amounts {
	left := r.with(inst)
	for _, s := range inst.Components {
		left[s.Grant.Pool] = left[s.Grant.Pool].Sub(s.Takes())
	}
	return left
}

// take counts what an instance holds now in place of what was counted of it.
func (r *room) take(inst *model.Instance) {
	r.open()
	for pool, was := range r.held[inst.App] {
		r.free.add(pool, was)
	}
	r.held[inst.App] = holds(inst)
	for pool, now := range r.held[inst.App] {
		r.free[pool] = r.free[pool].Sub(now)
	}
}

func holds(inst *model.Instance) amounts {
	own := amounts{}
	for i := range inst.Components {
		own.add(inst.Components[i].Grant.Pool, inst.Components[i].Takes())
	}
	return own
}

// measure computes the room of a pass: the observed capacity, less what the ruling
// grants, and less what applications hold that the ruling does not mention.
func measure(ledger *model.Ledger, ruling *model.Ruling, seen *model.Observation) (free amounts, held map[model.AppID]amounts) {
	free, held = amounts{}, map[model.AppID]amounts{}
	for i := range seen.Pools {
		free[seen.Pools[i].Name] = seen.Pools[i].Capacity
	}
	count := func(app model.AppID, g *model.Grant, r model.Resources) {
		if held[app] == nil {
			held[app] = amounts{}
		}
		held[app].add(g.Pool, r)
		free[g.Pool] = free[g.Pool].Sub(r)
	}
	ruled := map[model.AppID]bool{}
	for i := range ruling.Decisions {
		d := &ruling.Decisions[i]
		ruled[d.App] = true
		if d.Verdict != model.VerdictGranted {
			continue
		}
		inst, known := ledger.Find(d.App)
		for j := range d.Grants {
			g := &d.Grants[j]
			if known && inst.SpecDigest() == d.Spec {
				if s, ok := inst.Component(g.Component); ok && s.Finished() {
					continue
				}
			}
			count(d.App, g, g.Requests.Times(g.Replicas+g.Surge))
		}
	}
	for i := range ledger.Instances {
		inst := &ledger.Instances[i]
		if ruled[inst.App] || !inst.Phase.Active() {
			continue
		}
		for _, s := range inst.Components {
			count(inst.App, &s.Grant, s.Takes())
		}
	}
	return free, held
}
