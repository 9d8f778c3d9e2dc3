package arbitration_test

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/inside"
)

// I4. No pool, tenant or group ever holds more than it may, at the end of a
// ruling or half way through it: what gives way goes first. What incumbents hold
// too much already, because capacity shrank or a limit was lowered, may stay, and
// never grows.
func TestNothingIsEverOversold(t *testing.T) { holds(t, 8, nothingIsOversold) }

func nothingIsOversold(t *rapid.T) {
	s := dressed(t).lived(t)
	before := s.clone().takes()
	ruling := s.Decide()
	after := s.clone()
	after.Apply(ruling)
	end := after.takes()
	// What is given up comes first, then what is gained, in the order of names.
	now, apps := before.clone(), end.apps(before)
	for id := range apps {
		now.lower(id, before, end)
	}
	lawful(t, s, before, now)
	for _, id := range slices.SortedFunc(maps.Keys(apps), model.AppID.Compare) {
		now.set(id, end)
		lawful(t, s, before, now)
	}
}

// takings are what every application takes of every pool.
type takings struct {
	of map[model.AppID]model.Resources
	in map[model.AppID]map[string]model.Resources
}

func (s *scene) takes() takings {
	k := takings{map[model.AppID]model.Resources{}, map[model.AppID]map[string]model.Resources{}}
	for i := range s.Ledger.Instances {
		inst := &s.Ledger.Instances[i]
		if !inst.Phase.Active() || s.app(inst.App) == nil {
			continue
		}
		k.of[inst.App], k.in[inst.App] = s.Holds(inst.App), map[string]model.Resources{}
		for j := range inst.Components {
			c := &inst.Components[j]
			k.in[inst.App][c.Grant.Pool] = k.in[inst.App][c.Grant.Pool].Add(c.Takes())
		}
	}
	return k
}

func (k takings) clone() takings {
	c := takings{map[model.AppID]model.Resources{}, map[model.AppID]map[string]model.Resources{}}
	for id := range k.of {
		c.set(id, k)
	}
	return c
}

func (k takings) set(id model.AppID, as takings) { k.of[id], k.in[id] = as.of[id], as.in[id] }

// lower sets what is taken both before and in the end.
func (k takings) lower(id model.AppID, before, end takings) {
	both := func(x, y model.Resources) model.Resources {
		r := model.Resources{CPU: min(x.CPU, y.CPU), Memory: min(x.Memory, y.Memory), Devices: map[string]int64{}}
		for name := range x.Devices {
			r.Devices[name] = min(x.Devices[name], y.Devices[name])
		}
		return r
	}
	k.of[id], k.in[id] = model.Resources{}, map[string]model.Resources{}
	for pool, was := range before.in[id] {
		k.in[id][pool] = both(was, end.in[id][pool])
		k.of[id] = k.of[id].Add(k.in[id][pool])
	}
}

// apps lists all applications, and whether they take no more than before.
func (k takings) apps(before takings) map[model.AppID]bool {
	all := map[model.AppID]bool{}
	for id := range before.of {
		all[id] = k.of[id].Fits(before.of[id])
	}
	for id := range k.of {
		all[id] = k.of[id].Fits(before.of[id])
	}
	return all
}

// sum is what those that match take of a pool, or of all pools.
func (k takings) sum(r, pool string, match func(model.AppID) bool) (n int64) {
	for id := range k.of {
		switch {
		case !match(id):
		case pool == "":
			n += k.of[id].Get(r)
		default:
			n += k.in[id][pool].Get(r)
		}
	}
	return n
}

func everybody(model.AppID) bool { return true }

// lawful checks the law of pools, reservations and the tree for what is taken now.
func lawful(t *rapid.T, s *scene, before, now takings) {
	var total = map[string]int64{}
	for _, q := range s.Seen.Pools {
		for _, r := range resources {
			limit := s.offers(q).Get(r)
			total[r] += limit
			if got, was := s.pledged(q.Name, r, now), s.pledged(q.Name, r, before); got > max(limit, was) {
				t.Fatalf("pool %s: %d %s taken or reserved, %d there, %d before", q.Name, got, r, limit, was)
			}
		}
	}
	for _, n := range s.tree() {
		for _, r := range resources {
			used, was := now.sum(r, "", n.has), before.sum(r, "", n.has)
			if limit, ok := limitOf(n.borrow, r); ok && used > max(n.guarantee.Get(r)+limit, was) {
				t.Fatalf("%s uses %d %s, guaranteed %d, may borrow %d, used %d before", n.name, used, r, n.guarantee.Get(r), limit, was)
			}
			if n.name == "" {
				got, was := used+s.withheld(n, r, now), was+s.withheld(n, r, before)
				if got > max(total[r], was) {
					t.Fatalf("%d %s used or not lent, %d there, %d before", got, r, total[r], was)
				}
			}
		}
	}
}

// pledged is what is taken of a pool and what is reserved there and not taken.
func (s *scene) pledged(pool, r string, k takings) int64 {
	n := k.sum(r, pool, everybody)
	for _, tn := range s.Fleet.Tenants {
		for _, v := range tn.Reservations {
			if v.Pool == pool {
				n += max(0, v.Amount.Get(r)-k.sum(r, pool, func(id model.AppID) bool { return id.Tenant == v.Tenant }))
			}
		}
	}
	return n
}

// branch is a tenant, a group or the root.
type branch struct {
	name         string
	guarantee    model.Resources
	borrow, lend *model.Resources
	members      []string // tenants
	below        []string // branches
}

func (b *branch) has(id model.AppID) bool {
	return b.name == "" || slices.Contains(b.members, id.Tenant)
}

// tree lists the branches of a world, computed anew from what is declared.
func (s *scene) tree() []branch {
	parent := map[string]string{}
	var all []branch
	for _, g := range s.Fleet.Platform.Groups {
		all = append(all, branch{name: g.Name, guarantee: g.Guarantee, borrow: g.Borrow, lend: g.Lend})
		parent[g.Name] = g.Parent
		for _, tn := range g.Tenants {
			parent[tn] = g.Name
		}
	}
	for _, tn := range s.Fleet.Tenants {
		all = append(all, branch{name: tn.Name, guarantee: tn.Guarantee, borrow: tn.Borrow, lend: tn.Lend})
	}
	all = append(all, branch{name: ""})
	for i := range all {
		for _, b := range all {
			if b.name != "" && parent[b.name] == all[i].name {
				all[i].below = append(all[i].below, b.name)
			}
		}
		for _, tn := range s.Fleet.Tenants {
			for at := tn.Name; at != ""; at = parent[at] {
				if at == all[i].name {
					all[i].members = append(all[i].members, tn.Name)
				}
			}
		}
	}
	return all
}

// withheld is what is guaranteed at and below a branch, unused and not lent.
func (s *scene) withheld(b branch, r string, k takings) (n int64) {
	for _, name := range b.below {
		for _, x := range s.tree() {
			if x.name == name {
				n += s.withheld(x, r, k)
			}
		}
	}
	if limit, ok := limitOf(b.lend, r); ok {
		n = max(n, b.guarantee.Get(r)-k.sum(r, "", b.has)-limit)
	}
	return n
}

// limitOf is a limit of a resource, if there is one.
func limitOf(limit *model.Resources, r string) (int64, bool) {
	if limit == nil || limit.Devices == nil && r != "cpu" && r != "memory" {
		return 0, false
	}
	return limit.Get(r), true
}

// I5. Who is let in keeps to the quota and counts of its tenant, to its share of
// a pool and to its budget. Incumbents that are over a limit that was lowered
// stay, and then nobody else is let in.
func TestCapsHold(t *testing.T) { holds(t, 5, capsHold) }

func capsHold(t *rapid.T) {
	s := dressed(t).lived(t)
	before := s.clone()
	ruling := s.Decide()
	for _, tn := range s.Fleet.Tenants {
		var declared model.Resources
		apps, workloads, fresh := 0, 0, 0
		for _, d := range ruling.Decisions {
			if d.App.Tenant != tn.Name || d.Verdict == model.VerdictRejected {
				continue
			}
			spec := before.specOf(d)
			apps, workloads = apps+1, workloads+len(spec.Components)
			for i := range spec.Components {
				declared = declared.Add(asks(&spec.Components[i], d.Grants).Times(spec.Components[i].Replicas))
			}
			if !before.runs(d.App) {
				fresh++
			}
		}
		if fresh == 0 {
			continue
		}
		if tn.MaxApplications > 0 && apps > tn.MaxApplications || tn.MaxWorkloads > 0 && workloads > tn.MaxWorkloads {
			t.Fatalf("tenant %s has %d applications with %d workloads, %d and %d allowed", tn.Name, apps, workloads, tn.MaxApplications, tn.MaxWorkloads)
		}
		if tn.Quota != nil && (declared.CPU > tn.Quota.CPU || declared.Memory > tn.Quota.Memory) {
			t.Fatalf("tenant %s declares %s, its quota is %s", tn.Name, declared, tn.Quota)
		}
	}
	for _, d := range ruling.Decisions {
		if d.Verdict == model.VerdictGranted && !before.runs(d.App) {
			keepsToItsCaps(t, s, d)
		}
	}
}

func keepsToItsCaps(t *rapid.T, s *scene, d model.Decision) {
	app, cost := s.app(d.App), int64(0)
	inPool := map[string]model.Resources{}
	for _, g := range d.Grants {
		inPool[g.Pool] = inPool[g.Pool].Add(g.Requests.Times(g.Replicas))
	}
	for i, q := range s.Seen.Pools {
		used, price := inPool[q.Name], s.Fleet.Platform.Pools[i].Price
		cost += used.CPU*price.CPU/1000 + used.Memory*price.Memory>>30
		if share := int64(app.Policy.MaxShare); share > 0 {
			for _, r := range resources {
				if used.Get(r)*1000 > s.offers(q).Get(r)*share {
					t.Fatalf("%s takes %s of pool %s, %d thousandths of %s allowed", d.App, used, q.Name, share, q.Capacity)
				}
			}
		}
	}
	if app.Budget > 0 && cost > app.Budget {
		t.Fatalf("%s costs %d, its budget is %d", d.App, cost, app.Budget)
	}
}

// specOf is the spec that a decision is about.
func (s *scene) specOf(d model.Decision) *model.Application {
	if inst, ok := s.Ledger.Find(d.App); ok && inst.Spec != nil && inst.Spec.Digest == d.Spec {
		return inst.Spec
	}
	return s.app(d.App)
}

// I6. Nobody is let in above the priority ceiling of its tenant or its policy.
func TestPriorityCeilingsHold(t *testing.T) { holds(t, 3, ceilingsHold) }

func ceilingsHold(t *rapid.T) {
	s := dressed(t).lived(t)
	for _, d := range s.Decide().Decisions {
		if d.Verdict != model.VerdictGranted && d.Verdict != model.VerdictWaiting || s.runs(d.App) {
			continue
		}
		app := s.app(d.App)
		for _, tn := range s.Fleet.Tenants {
			if tn.Name == d.App.Tenant && app.Priority > min(tn.PriorityCeiling, app.Policy.PriorityCeiling) {
				t.Fatalf("%s has priority %d and is %s", d.App, app.Priority, d.Verdict)
			}
		}
	}
}

// I7. Nobody waits for what less important applications of its tenant hold, if
// policy lets them give way. It is narrower than priorities alone: an application
// stands by its tenant's guarantee and fair share, and the one that goes
// beyond these takes from nobody who does not; the decision then says so. And
// time protects those that run for less than their minRuntime.
func TestNoPriorityIsInverted(t *testing.T) { holds(t, 4, noPriorityInversion) }

func noPriorityInversion(t *rapid.T) {
	shape := generateOnePool(rapid.IntRange(1, 3).Draw(t, "tenants"), rapid.IntRange(2, 10).Draw(t, "applications"))
	shape.Preemption = rapid.SampledFrom([]model.Preemption{"within-tenant", "reclaim", "any"}).Draw(t, "preemption")
	s := shaped(t, shape)
	s.noLimits()
	s.rest(t)
	s.arrive()
	look, before := s.inside(), s.clone()
	if s.short() {
		return
	}
	ruling, _ := s.step(0)
	for _, d := range ruling.Decisions {
		parts, _ := look.Parts(d.App)
		if d.Verdict != model.VerdictWaiting || parts == nil {
			continue
		}
		app := s.app(d.App)
		free := s.Seen.Pools[0].Capacity.CPU - s.Used("pool-0").CPU
		for _, q := range s.Fleet.Applications {
			theirs, _ := look.Parts(q.ID)
			if q.ID.Tenant == d.App.Tenant && q.Priority < app.Priority && before.runs(q.ID) && s.runs(q.ID) && inside.Better(parts[0], theirs[0]) {
				free += s.Holds(q.ID).CPU
			}
		}
		if need := app.Components[0].Requests.CPU; free >= need {
			t.Fatalf("%s waits for %d, and %d could be free: %s", d.App, need, free, d.Message)
		}
	}
}

// I8. Every part that somebody loses to another stands worse than everything that
// the other gains by it, or alike and within the fair share of another tenant.
func TestNobodyGivesWayToWorse(t *testing.T) { holds(t, 5, nobodyBetterGivesWay) }

func nobodyBetterGivesWay(t *rapid.T) {
	s := plain(t).lived(t)
	for range 3 {
		s.arrive()
	}
	if s.short() || s.updating() { // a newer spec of who runs stands as what it replaces
		return
	}
	look, before := s.inside(), s.clone()
	ruling, _ := s.step(0)
	after := s.inside()
	times := map[model.AppID]int{}
	for _, d := range ruling.Decisions {
		for _, v := range d.Displaced {
			times[v.App]++
		}
	}
	for _, d := range ruling.Decisions {
		if before.runs(d.App) { // an update stands as what it replaces
			continue
		}
		gained, _ := look.Parts(d.App)
		_, got := after.Parts(d.App)
		for _, v := range d.Displaced {
			if times[v.App] > 1 {
				continue // which part went to whom is not known from outside
			}
			parts, from := look.Parts(v.App)
			_, to := after.Parts(v.App)
			if to < 0 {
				to = len(parts)
			}
			if from >= to || to > len(parts) { // its spec was replaced before it gave way: another ladder
				continue
			}
			for _, lost := range parts[from:to] {
				for _, g := range gained[got:] {
					alike := v.App.Tenant != d.App.Tenant && g.Class == lost.Class && g.Band == lost.Band && inside.WithinFairShare(lost)
					if !inside.Better(g, lost) && !alike {
						t.Fatalf("%s loses %+v for %+v of %s", v.App, lost, g, d.App)
					}
				}
			}
		}
	}
}

// I9. What fits in the guarantee of a tenant is never taken by another one, and
// nothing at all of a tenant that has no more than it is guaranteed. It is
// narrower than that no tenant ends below its guarantee: whoever runs something
// so large that its guarantee is only a part of it may lose all of it.
func TestGuaranteesAreSafe(t *testing.T) { holds(t, 5, guaranteesAreSafe) }

func guaranteesAreSafe(t *rapid.T) {
	s := plain(t).lived(t)
	for range 3 {
		s.arrive()
	}
	if s.short() {
		return
	}
	look, before := s.inside(), s.clone()
	ruling, _ := s.step(0)
	after := s.inside()
	lost := map[string][]model.Resources{}
	for _, d := range ruling.Decisions {
		for _, v := range d.Displaced {
			if v.App.Tenant == d.App.Tenant {
				continue
			}
			parts, from := look.Parts(v.App)
			_, to := after.Parts(v.App)
			if to < 0 {
				to = len(parts)
			}
			if from >= to || to > len(parts) { // its spec was replaced before it gave way: another ladder
				continue
			}
			if slices.ContainsFunc(parts[from:to], inside.WithinGuarantee) {
				t.Fatalf("%s loses what is guaranteed to %s", v.App, d.App)
			}
			lost[v.App.Tenant] = append(lost[v.App.Tenant], before.Holds(v.App).Sub(s.Holds(v.App)))
		}
	}
	for tenant, amounts := range lost {
		if !slices.ContainsFunc(amounts, func(n model.Resources) bool { return after.AboveFloor(tenant, n) }) {
			t.Fatalf("tenant %s loses %v and had no more than its guarantee before the last of it", tenant, amounts)
		}
	}
}

// I10. Who asks for what its tenant is guaranteed gets it at once, if others hold
// enough beyond their guarantees, where the platform lets guarantees be taken
// back. Everything is of the size 1, so that what is beyond can be given exactly.
func TestGuaranteesComeBack(t *testing.T) { holds(t, 5, guaranteesComeBack) }

func guaranteesComeBack(t *rapid.T) {
	s := flat(t, 9, true, func() int { return 1 })
	s.rest(t)
	tenant := s.rng.IntN(len(s.Fleet.Tenants))
	id := s.want(tenant, 1)
	held := s.holdings()
	look := s.inside()
	ruling, _ := s.step(0)
	d, _ := ruling.Find(id)
	parts, _ := look.Parts(id)
	if d.Verdict == model.VerdictGranted || !inside.WithinGuarantee(parts[0]) {
		return
	}
	could := 9
	for _, n := range held {
		could -= n
	}
	for _, tn := range s.Fleet.Tenants {
		if tn.Name != id.Tenant {
			could += max(0, held[tn.Name]-int(tn.Guarantee.CPU/1000))
		}
	}
	if could > 0 {
		t.Fatalf("%s waits for what is guaranteed, and %d could be free: %s", id, could, d.Message)
	}
}
