package solve

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/tier"
)

// TestEveryDisruptionIsFair judges, in exact fractions, every exchange between tenants of random
// histories: trees of three levels with guarantees, weights from 1 to 9, all bands,
// sizes up to that of a pool, ladders, one or two resources and pools, updates, restores and capacity that changes, a third with limits of
// borrowing and lending, quotas and racks, which change and beyond which nobody goes who gains something.
// I36: who has its guarantee and its fair share gains nothing so, but for a higher band where policy says any.
// The twin computes guarantees and fair shares itself and shares no code with
// the acceptance test; only which parts are within a guarantee it reads from the case.
func TestEveryDisruptionIsFair(t *testing.T) {
	wanted := tier.Count(1_000, 20_000, 100_000)
	judged, inTwo, limited, byBand, byGuarantee, byWaiting, updates, restores := 0, 0, 0, 0, 0, 0, 0, 0
	for seed := uint64(1); judged < wanted; seed++ {
		h := newHistory(seed)
		if h.rng.IntN(3) == 0 {
			h.in.Fleet.Platform.HalfLife = time.Hour
		}
		if h.patient = seed%2 == 0; h.patient {
			h.in.Fleet.Platform.Policy.ReserveAfter = time.Minute
		}
		if h.rng.IntN(3) == 0 {
			h.divide("other")
		}
		if seed%3 == 1 {
			h.limit()
		}
		for range 16 {
			h.event()
			for _, x := range h.round(t) {
				if judged++; len(h.others) > 0 {
					inTwo++
				}
				if h.limited {
					limited++
				}
				verdict := h.judge(x)
				require.NotContains(t, verdict, "unfair", "seed %d: %s takes from others\n%s", seed, x.taker.ID, x)
				require.True(t, x.standsBetter(), "seed %d: what runs stands no better\n%s", seed, x)
				require.True(t, verdict == "band" || x.tree.missesSome(x.tree.uses(x.before), x.taker.Tenant),
					"seed %d: %s takes from others, and its tenant has all that is its own\n%s", seed, x.taker.ID, x)
				switch verdict {
				case "band":
					byBand++
				case "guarantee":
					byGuarantee++
				}
				if x.beyond {
					byWaiting++
					require.True(t, x.tree.misses(x.tree.uses(x.before), x.taker.Tenant), "seed %d: %s takes what exceeds the fair share of its tenant, which has it\n%s", seed, x.taker.ID, x)
				}
				switch x.kind {
				case "update":
					updates++
				case "restore":
					restores++
				}
			}
		}
	}
	t.Logf("%d exchanges between tenants, none unfair: %d mend a guarantee, %d are of a higher band, %d exceed a fair share after a wait; %d by updates, %d by restores; %d where there are two pools, %d where there are limits, quotas and racks", judged, byGuarantee, byBand, byWaiting, updates, restores, inTwo, limited)
	require.NotZero(t, limited)
	require.NotZero(t, inTwo)
	require.NotZero(t, byBand)
	require.NotZero(t, byGuarantee)
	require.NotZero(t, byWaiting)
	require.NotZero(t, updates)
	require.NotZero(t, restores)
}

// unit is one of a resource: floors are whole numbers in the engine and fractions in the twin.
const unit = 1_000_000

// history is a random fleet and what has become of it.
type history struct {
	rng         *rand.Rand
	in          Inputs
	n           int
	most, least model.Resources // capacity; guarantees always fit
	patient     bool            // applications may exceed the fair share of their tenant after a while
	crowded     bool            // with many small applications
	others      []string        // pools beside the first
	limited     bool            // tenants and groups have limits, which change
	racks       int             // in every pool, 0: none are known
}

// divide makes several pools of the one that there is.
func (h *history) divide(others ...string) {
	h.others = others
	for _, name := range others {
		other := h.in.Fleet.Platform.Pools[0]
		other.Name = name
		h.in.Fleet.Platform.Pools = append(h.in.Fleet.Platform.Pools, other)
	}
	h.in.Seen.Pools = h.pools(h.most)
}

// pools divides a capacity among all pools: a third for each but the first.
func (h *history) pools(capacity model.Resources) []model.Pool {
	third := model.Resources{CPU: capacity.CPU / unit / 3 * unit, Memory: capacity.Memory / unit / 3 * unit}
	all := []model.Pool{{Name: "pool", Nodes: 1}}
	for _, name := range h.others {
		all = append(all, model.Pool{Name: name, Nodes: 1, Capacity: third})
		capacity = capacity.Sub(third)
	}
	all[0].Capacity = capacity
	for i := range all {
		h.inRacks(&all[i])
	}
	return all
}

func newHistory(seed uint64) *history {
	rng := rand.New(rand.NewPCG(seed, 13))
	h := &history{rng: rng}
	capacity := model.Resources{CPU: int64(10+rng.IntN(40)) * unit}
	if rng.IntN(2) == 0 {
		capacity.Memory = int64(10+rng.IntN(40)) * unit
	}
	policy := model.Policy{Preemption: []model.Preemption{"reclaim", "any"}[rng.IntN(2)]}
	p := &model.Platform{Policy: policy,
		Pools: []model.PoolSpec{{Name: "pool", OS: []string{"linux"}, Runtimes: []string{"container"}}},
		Bands: []model.Band{{Name: "production", Min: 500}, {Name: "standard", Min: 100}, {Name: "batch"}}}
	h.in = Inputs{Fleet: model.Fleet{Platform: p}, Now: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC),
		Seen: model.Observation{Pools: []model.Pool{{Name: "pool", Nodes: 1, Capacity: capacity}}}}
	left := capacity
	part := func() (r model.Resources) {
		if rng.IntN(2) == 0 {
			return r
		}
		r.CPU = rng.Int64N(left.CPU/unit/3+1) * unit
		if capacity.Memory > 0 {
			r.Memory = rng.Int64N(left.Memory/unit/3+1) * unit
		}
		left = left.Sub(r)
		return r
	}
	groups := []model.Group{{Name: "g0", Weight: 1 + rng.IntN(9)}, {Name: "g1", Weight: 1 + rng.IntN(9)}, {Name: "g2", Weight: 1 + rng.IntN(9), Parent: "g1"}}
	for i := range 2 + rng.IntN(4) {
		tn := model.Tenant{Name: fmt.Sprint("t", i), Weight: 1 + rng.IntN(9), Guarantee: part(), Policy: policy}
		h.in.Fleet.Tenants = append(h.in.Fleet.Tenants, tn)
		if g := rng.IntN(4); g < len(groups) {
			groups[g].Tenants = append(groups[g].Tenants, tn.Name)
			groups[g].Guarantee = groups[g].Guarantee.Add(tn.Guarantee)
		}
	}
	for _, g := range []int{2, 1, 0} { // what a group owns beyond its members
		groups[g].Guarantee = groups[g].Guarantee.Add(part())
		if g == 2 {
			groups[1].Guarantee = groups[1].Guarantee.Add(groups[2].Guarantee)
		}
	}
	if rng.IntN(4) > 0 {
		p.Groups = groups
	}
	h.most, h.least = capacity, capacity.Sub(left)
	return h
}

// event lets an application come, go, grow or shrink, or capacity change.
func (h *history) event() {
	h.in.Now = h.in.Now.Add(time.Minute)
	if h.limited && h.rng.IntN(6) == 0 {
		h.redeclare()
		return
	}
	apps := h.in.Fleet.Applications
	switch kind := h.rng.IntN(9); {
	case kind == 8:
		now := model.Resources{CPU: h.between(h.least.CPU, h.most.CPU), Memory: h.between(h.least.Memory, h.most.Memory)}
		h.in.Seen.Pools = h.pools(now)
	case kind == 0 && len(apps) > 4:
		at := h.rng.IntN(len(apps))
		gone := apps[at].ID
		h.in.Fleet.Applications = slices.Delete(slices.Clone(apps), at, at+1)
		h.in.Ledger.Instances = slices.DeleteFunc(slices.Clone(h.in.Ledger.Instances), func(i model.Instance) bool { return i.App == gone })
	case kind == 1 && len(apps) > 4:
		at := h.rng.IntN(len(apps))
		app := *apps[at]
		app.Components = slices.Clone(app.Components)
		app.Components[0].Replicas = 1 + h.rng.IntN(6)
		h.in.Fleet.Applications = slices.Clone(apps)
		h.in.Fleet.Applications[at] = new(app.Seal())
	default:
		h.arrive()
	}
}

// between draws an amount, in whole units and more than nothing.
func (h *history) between(least, most int64) int64 {
	if most == 0 {
		return 0
	}
	least = max(least, unit)
	return least + h.rng.Int64N((most-least)/unit+1)*unit
}

func (h *history) arrive() {
	tenant := h.in.Fleet.Tenants[h.rng.IntN(len(h.in.Fleet.Tenants))]
	app := model.Application{ID: model.AppID{Tenant: tenant.Name, Name: fmt.Sprintf("a%03d", h.n)}, Priority: []int{50, 120, 200, 300, 600}[h.rng.IntN(5)], Policy: new(tenant.Policy)}
	app.Policy.PriorityCeiling, app.Policy.Degradation = 1000, h.rng.IntN(3) > 0
	capacity := h.in.Seen.Pools[0].Capacity
	usual := int64(10)
	if h.crowded {
		usual = 1 + h.rng.Int64N(3)
	}
	size := func(most int64) int64 {
		if h.rng.IntN(12) == 0 {
			return (1 + h.rng.Int64N(most/unit)) * unit
		}
		return (1 + h.rng.Int64N(min(most/unit, usual))) * unit
	}
	comp := model.Component{Name: "main", Type: "worker", Runtime: "container", OS: "linux", Critical: true, Replicas: 1, Requests: model.Resources{CPU: size(capacity.CPU)}}
	if capacity.Memory > 0 {
		comp.Requests.Memory = size(capacity.Memory)
	}
	if h.rng.IntN(2) == 0 {
		comp.Replicas, comp.Requests.CPU = 1+h.rng.IntN(8), unit+comp.Requests.CPU/4
		comp.Degrade = &model.Degrade{MinReplicas: 1 + h.rng.IntN(comp.Replicas)}
	}
	if h.patient {
		app.Policy.ReserveAfter = time.Duration(1+h.rng.IntN(3)) * time.Minute
	}
	app.Components = []model.Component{comp}
	if len(h.others) > 0 {
		h.placeIn(&app)
	}
	if h.racks > 0 && h.rng.IntN(2) == 0 {
		together := &model.Together{Over: "rack", Mode: []model.TogetherMode{model.TogetherRequired, model.TogetherRequired, model.TogetherPreferred}[h.rng.IntN(3)]}
		for i := range app.Components[:1+h.rng.IntN(len(app.Components))] {
			app.Components[i].Placement.Together = together
		}
	}
	h.n++
	h.in.Fleet.Applications = append(slices.Clone(h.in.Fleet.Applications), new(app.Seal()))
	h.in.Ledger.Instances = append(slices.Clone(h.in.Ledger.Instances), model.Instance{App: app.ID, Number: 1, Phase: model.PhaseCreated, Declared: h.in.Now})
	slices.SortFunc(h.in.Ledger.Instances, func(x, y model.Instance) int { return x.App.Compare(y.App) })
}

// placeIn lets an application run in any pool, in one, in several of its flavours, or in two pools at once.
func (h *history) placeIn(app *model.Application) {
	pools := append([]string{"pool"}, h.others...)
	h.rng.Shuffle(len(pools), func(i, j int) { pools[i], pools[j] = pools[j], pools[i] })
	at := &app.Components[0].Placement
	switch h.rng.IntN(6) {
	case 0, 1:
	case 2:
		for _, name := range pools {
			f := model.Flavour{Pool: name}
			switch cpu := app.Components[0].Requests.CPU; h.rng.IntN(4) {
			case 0, 1:
				f.Requests.CPU = max(unit, cpu/2/unit*unit)
			case 2:
				f.Requests.CPU = 2 * cpu
			}
			at.Flavours = append(at.Flavours, f)
		}
		app.Policy.Flavours = []model.FlavourOrder{model.FlavoursFirstFree, model.FlavoursMakeRoomFirst}[h.rng.IntN(2)]
	case 3:
		at.Pool = pools[0]
		side := app.Components[0]
		side.Name, side.Placement.Pool, side.Critical = "side", pools[1], h.rng.IntN(2) == 0
		side.Requests.CPU = unit
		app.Components = append(app.Components, side)
	default:
		at.Pool = pools[0]
	}
}

// exchange is what changed when one application was served.
type exchange struct {
	c             *Case
	kind          string
	taker         *App
	tree          *fractions
	before, after []held // by application
	beyond        bool   // the taker exceeds the fair share of its tenant
}

// held is what an application runs: levels of a ladder from one down.
type held struct {
	app    *App
	levels []Level
	stands []Standing
	ranks  []Rank
	from   int
	uses   Vector
}

func (x *exchange) String() string {
	out := ""
	for i := range x.before {
		b, a := x.before[i], x.after[i]
		if len(b.levels) == 0 {
			continue // it did not pass the gate
		}
		out += fmt.Sprintf("%s: %d → %d of %d, uses %v → %v, stands %v\n", b.app.ID, b.from, a.from, len(b.levels), b.uses, a.uses, a.ranks)
	}
	for i, n := range x.c.Nodes {
		out += fmt.Sprintf("%d %s in %d: weight %d, guaranteed %v, floor %v, fair share %.4f, borrows %v, lends %v, quota %v %v\n",
			i, n.Name, n.Parent, n.Weight, n.Guarantee, n.Floor, float64(n.FairShare)/float64(Whole), n.borrow, n.lend, n.quota, n.pools)
	}
	return out
}

// round arbitrates step by step, checks that this is what Allot does, lets
// it come true, and returns the exchanges in which another tenant lost something.
func (h *history) round(t *testing.T) (found []*exchange) {
	want, c := h.stood(), h.stood()
	want.Allot(nil)
	a := &allotment{room: c.room(), ledger: &c.Ledger}
	a.begin()
	asked := allAsked(c)
	var tree *fractions
	watch := func(kind string, app *App, serve func()) {
		x := &exchange{c: c, kind: kind, taker: app, before: h.holds(c, app)}
		held := app.Taken
		serve()
		if app.Granted() && h.limited {
			require.Empty(t, limitsNow(c).broken(app, held), "%s of %s", kind, app.ID)
		}
		if !slices.ContainsFunc(app.Victims, func(d *Displaced) bool { return d.App.Tenant != app.Tenant }) {
			return
		}
		if tree == nil {
			tree = newFractions(c, asked)
		}
		x.after, x.tree = h.holds(c, nil), tree
		b := &x.before[slices.Index(c.Apps, app)]
		b.levels, b.stands, b.ranks = app.Levels, app.Standing, ranksOf(c, app)
		x.beyond = slices.ContainsFunc(app.Victims, func(d *Displaced) bool { return d.Cause == ByWaiting })
		found = append(found, x)
	}
	a.shortages()
	var updates []*App
	for _, app := range c.Apps {
		if app.Update != nil && app.Granted() {
			updates = append(updates, app)
		}
	}
	slices.SortFunc(updates, serveOrder)
	for _, app := range updates {
		if app.Granted() {
			watch("update", app, func() { a.replace(app) })
		}
	}
	q := newQueue(a.Books, a.Roster, nil)
	for app := q.head(); app != nil; app = q.head() {
		q.advance(app)
		watch("entry", app, func() {
			if !a.place(app, app.Spec, nil) {
				a.lines.keepRoom(app)
			}
		})
		for i := range c.Nodes {
			if c.Nodes[i].Tenant != nil {
				q.moved(i)
			}
		}
	}
	for {
		var next *App
		for _, app := range a.Running {
			if a.reduced(app) && !app.shrunk && a.due(app) && (next == nil || cmp.Or(app.Standing[app.Level-1].Compare(next.Standing[next.Level-1]), FirstCome(app, next)) < 0) {
				next = app
			}
		}
		if next == nil {
			break
		}
		watch("restore", next, func() { a.raise(next) })
		next.EvictAt = h.in.Now // its turn is over
	}
	for i, app := range c.Apps {
		require.Equal(t, want.Apps[i].Verdict, app.Verdict, "%s", app.ID)
		require.Equal(t, want.Apps[i].Grants, app.Grants, "%s", app.ID)
	}
	h.apply(want)
	return found
}

// allAsked is what everybody asks for in full, with a newer spec the larger of both.
func allAsked(c *Case) map[*App]Vector {
	asked := map[*App]Vector{}
	for _, app := range c.Apps {
		if app.Levels == nil {
			continue
		}
		asked[app] = slices.Clone(app.Levels[0].lasts)
		if app.Update != nil {
			for r, n := range app.Update.levels[0].lasts {
				asked[app][r] = max(asked[app][r], n)
			}
		}
	}
	return asked
}

// stood is a case up to where standings are known.
func (h *history) stood() *Case {
	c := New(h.in)
	all := c.FirstComeOrder()
	for _, app := range all {
		c.KeepPlace(app)
	}
	for _, app := range all {
		c.PassGate(app)
	}
	c.CountDemand()
	c.FairShares()
	c.Stand()
	return c
}

// holds is what all applications run. What an application holds that gets a newer spec counts as
// the levels of the newer spec that it would cover.
func (h *history) holds(c *Case, updating *App) []held {
	all := make([]held, len(c.Apps))
	for i, app := range c.Apps {
		all[i] = held{app, app.Levels, app.Standing, ranksOf(c, app), len(app.Levels), c.Zero()}
		if app.Granted() {
			all[i].from, all[i].uses = app.Level, app.Levels[app.Level].Total
		}
		if app != updating || app.Update == nil || !app.Granted() {
			continue
		}
		for l, level := range app.Update.levels {
			if all[i].from = len(app.Update.levels); level.Total.Fits(all[i].uses) {
				all[i].from = l
				break
			}
		}
	}
	return all
}

// ranksOf are those of all parts of an application.
func ranksOf(c *Case, app *App) (all []Rank) {
	for l := range app.Standing {
		all = append(all, c.Rank(app, l))
	}
	return all
}

func (h *history) apply(c *Case) {
	h.in.Ledger.PastUse = c.PastUse(h.in.Ledger.PastUse, h.in.Now)
	h.in.Ledger.Instances, h.in.Ledger.Decisions = slices.Clone(h.in.Ledger.Instances), nil
	for _, app := range c.Apps {
		if !app.EvictAt.IsZero() {
			h.in.Ledger.Decisions = append(h.in.Ledger.Decisions, model.Decision{App: app.ID, EvictAt: app.EvictAt})
		}
		inst, _ := h.in.Ledger.Find(app.ID)
		switch app.Verdict {
		case model.VerdictGranted:
			phase := model.PhaseRunning
			if app.Level > 0 {
				phase = model.PhaseDegraded
			}
			if inst.Phase != phase {
				inst.Phase, inst.Since = phase, h.in.Now
			}
			inst.Spec, inst.Components = app.Spec, nil
			for _, g := range app.Grants {
				inst.Components = append(inst.Components, model.ComponentState{Grant: g, Run: g.Replicas, State: model.StateReady})
			}
		case model.VerdictWaiting:
			if inst.Phase != model.PhaseAdmitted {
				inst.Phase, inst.Since = model.PhaseAdmitted, h.in.Now
			}
		case model.VerdictEvicted:
			inst.Phase, inst.Reason, inst.Since, inst.Spec, inst.Components = model.PhaseTerminated, model.ReasonEvicted, h.in.Now, nil, nil
		}
	}
}
