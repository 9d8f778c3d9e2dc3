package lifecycle

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// heldLimit bounds how many rolled-back specs an instance remembers.
const heldLimit = 10

// rollBack returns to the last spec that ran well and puts the failed one on
// hold: it is not tried again before it changes.
func (f *facts) rollBack() {
	bad := f.inst.Spec.Digest
	f.inst.Held = append(f.inst.Held, bad)
	f.inst.Held = slices.Delete(f.inst.Held, 0, max(0, len(f.inst.Held)-heldLimit))
	spec := f.inst.Previous
	grants, _ := f.backGrants()
	f.dropPrevious()
	f.accept(spec, grants)
	f.room.take(f.inst)
	f.inst.Refused = &model.Refusal{Spec: bad, Reason: model.RolledBackSpec, Message: "this spec was rolled back because it did not start; it is tried again when it changes"}
	// What was ruled in this pass was about the failed spec.
	f.decision = nil
}

// updateFailed says whether an update is to be taken back.
func (f *facts) updateFailed() bool {
	switch {
	case f.inst.Previous == nil:
		return false
	case f.inst.Spec.Lifecycle.OnFailure == "rollback" && f.tooOften() != nil:
	case f.inst.Spec.Policy.OnUpdateFailure != "hold" && (f.late() || f.brokenForGood()):
	default:
		return false
	}
	return f.canGoBack()
}

// failsSince says the same of an update that had arrived, or that could not be
// taken back when it failed.
func (f *facts) failsSince() bool {
	switch {
	case f.inst.Previous == nil:
		return false
	case f.inst.Spec.Lifecycle.OnFailure == "rollback" && f.tooOften() != nil:
	case f.inst.Spec.Policy.OnUpdateFailure != "hold" && f.inst.Phase == model.Degraded && !f.inst.Deadline.IsZero() && !f.partsRun():
	default:
		return false
	}
	return f.canGoBack()
}

// canGoBack says whether the spec before can be had again.
func (f *facts) canGoBack() bool {
	if !f.restorable() {
		return false
	}
	_, fits := f.backGrants()
	return fits
}

// restorable says whether the secrets of the spec before are still what runs. The
// ledger has only digests of their values, so that what an update has changed or
// deleted is lost.
func (f *facts) restorable() bool {
	for i := range f.inst.Previous.Components {
		c := &f.inst.Previous.Components[i]
		if !c.Redacted() {
			continue
		}
		now, ok := f.inst.Spec.Component(c.Name)
		s, told := f.inst.Component(c.Name)
		if !ok || !told || s.Workload == "" || now.Content(f.inst.App) != c.Content(f.inst.App) {
			return false
		}
	}
	return true
}

// backGrants returns grants of the spec before: what it had, or as much of it as
// there is room at present, and whether that is as much as it can be degraded to.
// Quota is no matter: the spec was accepted.
func (f *facts) backGrants() (grants []model.Grant, fits bool) {
	spec := f.inst.Previous
	grants, fits = slices.Clone(f.inst.PreviousGrants), true
	most := make([]int, len(grants))
	left := f.room.with(f.inst)
	for i := range grants {
		g := &grants[i]
		g.Surge, most[i] = 0, g.Replicas
		if c, ok := spec.Component(g.Component); ok && spec.Policy.Degradation {
			if g.Replicas = min(g.Replicas, c.MinReplicas()); !c.Critical {
				g.Replicas = 0
			}
		}
		if !left.book(g, g.Replicas) {
			g.Replicas, fits = 0, false
		}
	}
	for i := range grants {
		for g := &grants[i]; g.Replicas < most[i] && left.book(g, 1); g.Replicas++ {
		}
	}
	return grants, fits
}

// room is what every pool has left when everybody has what this pass grants. It is
// computed when somebody asks for it first.
type room struct {
	pass func() (free amounts, held map[model.AppID]amounts)
	free amounts
	held map[model.AppID]amounts // what is counted of each
}

// amounts are resources by pool.
type amounts map[string]model.Resources

// book takes replicas of a grant, if they are there.
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
		r.free, r.held = r.pass()
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
		left[pool] = most(left[pool], own)
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

// most is the larger of two amounts, resource by resource.
func most(x, y model.Resources) model.Resources {
	larger := model.Resources{CPU: max(x.CPU, y.CPU), Memory: max(x.Memory, y.Memory)}
	for _, name := range x.Names(y)[2:] {
		if n := max(x.Devices[name], y.Devices[name]); n != 0 {
			if larger.Devices == nil {
				larger.Devices = map[string]int64{}
			}
			larger.Devices[name] = n
		}
	}
	return larger
}

// measure computes the room of a pass: capacity as seen, less what the ruling
// grants, and less what those hold about whom there is no ruling.
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
		if d.Verdict != model.Granted {
			continue
		}
		inst, known := ledger.Find(d.App)
		for j := range d.Grants {
			g := &d.Grants[j]
			if known && inst.SpecDigest() == d.Spec {
				if s, ok := inst.Component(g.Component); ok && s.State == model.StateDone {
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
		for j := range inst.Components {
			s := &inst.Components[j]
			count(inst.App, &s.Grant, s.Takes())
		}
	}
	return free, held
}
