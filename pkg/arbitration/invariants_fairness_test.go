package arbitration_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/generate"
	"github.com/d-aros/d-aros/test/arbitration/inside"
	"github.com/d-aros/d-aros/test/arbitration/story"
)

// I11. At rest nobody waits for what is free. During a ruling that lets others
// give way somebody may: he is served in the next one.
func TestNothingWaitsForWhatIsFree(t *testing.T) { holds(t, 4, nothingFitsThatWaits) }

func nothingFitsThatWaits(t *rapid.T) {
	s := plain(t).lived(t)
	s.rest(t)
	ruling := s.Decide()
	before := s.takes()
	for _, d := range ruling.Decisions {
		if d.Verdict != model.VerdictWaiting {
			continue
		}
		least := leastOf(s.app(d.App))
		for _, q := range s.Seen.Pools {
			if free := q.Capacity.Sub(s.Used(q.Name)); !least.Fits(free) {
				continue
			}
			if s.allows(d.App, q.Name, least, before) {
				t.Fatalf("%s waits, needs %s, and it is free in pool %s: %s; %+v", d.App, least, q.Name, d.Message, s.app(d.App))
			}
		}
	}
}

// leastOf is the least that an application can run.
func leastOf(app *model.Application) (sum model.Resources) {
	for i := range app.Components {
		c := &app.Components[i]
		replicas := c.Replicas
		if app.Policy.Degradation {
			replicas = c.MinReplicas()
			if !c.Critical {
				replicas = 0
			}
		}
		sum = sum.Add(c.Requests.Times(replicas))
	}
	return sum
}

// allows reports whether the limits of the tree allow an application so much.
func (s *scene) allows(id model.AppID, pool string, amount model.Resources, k takings) bool {
	k = k.clone()
	k.of[id], k.in[id] = amount, map[string]model.Resources{pool: amount}
	var total model.Resources
	for _, q := range s.Seen.Pools {
		total = total.Add(q.Capacity)
	}
	for _, n := range s.tree() {
		for _, r := range resources {
			used := k.sum(r, "", n.has)
			if limit, ok := limitOf(n.borrow, r); ok && n.has(id) && amount.Get(r) > 0 && used > n.guarantee.Get(r)+limit {
				return false
			}
			if n.name == "" && amount.Get(r) > 0 && used+s.withheld(n, r, k) > total.Get(r) {
				return false
			}
		}
	}
	return true
}

// I12. At rest no single exchange is fairer: nobody waits within its fair share
// while one application of another tenant, in the same or a lower
// band, is wholly beyond the fair share of its tenant, alone holds what is
// needed, and the two tenants would then miss less of their fair shares: the larger shortfall
// would be smaller by more than the slack. It is
// narrower than leximin of shares, as standings do not follow from who runs.
func TestNoExchangeIsFairer(t *testing.T) { holds(t, 4, noExchangeIsFairer) }

func noExchangeIsFairer(t *rapid.T) {
	shape := generateOnePool(rapid.IntRange(2, 4).Draw(t, "tenants"), rapid.IntRange(3, 10).Draw(t, "applications"))
	shape.Preemption = "reclaim"
	s := shaped(t, shape)
	s.noLimits()
	for range 3 {
		s.rest(t)
		s.disturb()
	}
	s.rest(t)
	look, ruling := s.inside(), s.Decide()
	if s.short() {
		return
	}
	free := s.Seen.Pools[0].Capacity.CPU - s.Used("pool-0").CPU
	for _, d := range ruling.Decisions {
		parts, _ := look.Parts(d.App)
		if d.Verdict != model.VerdictWaiting || !inside.WithinFairShare(parts[0]) {
			continue
		}
		app := s.app(d.App)
		for _, q := range s.Fleet.Applications {
			theirs, level := look.Parts(q.ID)
			if level < 0 || q.ID.Tenant == d.App.Tenant || !inside.Borrowing(theirs[0]) || !inside.Better(parts[0], theirs[0]) ||
				band(q.Priority) < band(app.Priority) || !look.AboveFloor(q.ID.Tenant, model.Resources{}) {
				continue
			}
			need, gives := app.Components[0].Requests.CPU, s.Holds(q.ID).CPU
			was := max(s.shortfall(look, app.ID.Tenant, 0), s.shortfall(look, q.ID.Tenant, 0))
			is := max(s.shortfall(look, app.ID.Tenant, need), s.shortfall(look, q.ID.Tenant, -gives))
			if is+2*int64(inside.Slack) > was {
				continue
			}
			if free+gives >= need {
				t.Fatalf("%s is within its fair share and waits for %d, %s borrows and holds %d: %s", d.App, need, q.ID, s.Holds(q.ID).CPU, d.Message)
			}
		}
	}
}

// shortfall is how much a tenant would miss of its fair share with so much more of the cores
// of a pool.
func (s *scene) shortfall(look *inside.Inside, tenant string, more int64) int64 {
	used := int64(look.Used(tenant)) + more*int64(inside.Whole)/s.Seen.Pools[0].Capacity.CPU
	return max(0, int64(look.FairShare(tenant))-used)
}

// band is the rank of a priority among the generated bands.
func band(priority int) int {
	return slices.IndexFunc([]int{900, 500, 100, 0}, func(least int) bool { return priority >= least })
}

// I13. Where nothing runs, places are filled so that nobody who waits envies: a tenant with what waits
// would have no less by weight than another tenant would without one application, and no less than what waits
// asks for. With sizes of one the tenant, with one application more, has no less by weight than any other. It is about
// filling: what runs keeps what it got when nobody else asked, as far as fair shares do not take it back, and so
// the last places, which no fair share covers whole, may all be with one tenant.
func TestEnvyIsUpToOneApplication(t *testing.T) { holds(t, 4, envyUpToOne) }

func envyUpToOne(t *rapid.T) {
	most := rapid.IntRange(1, 5).Draw(t, "largest")
	s := flat(t, rapid.IntRange(2, 16).Draw(t, "capacity"), false, func() int { return rapid.IntRange(1, most).Draw(t, "size") })
	s.step(0)
	held := s.holdings()
	for _, app := range s.Fleet.Applications {
		size, a := int(app.Components[0].Requests.CPU/1000), s.tenant(app.ID.Tenant)
		for _, b := range s.Fleet.Tenants {
			beyond := (size + s.largest(b.Name)) * a.Weight // what is left over where it does not fit, and what goes in one piece
			if most == 1 {
				beyond = 1
			}
			if !s.runs(app.ID) && (held[a.Name]+size)*b.Weight+beyond <= held[b.Name]*a.Weight {
				t.Fatalf("%s has %d by weight %d and waits with %d, %s has %d by weight %d", a.Name, held[a.Name], a.Weight, size, b.Name, held[b.Name], b.Weight)
			}
		}
	}
}

// TestWeightsOrderWhatNoFairShareCovers: of both tenants one waits with 2 that go beyond its fair share, a to 8 by weight 3, which is less than
// 4 by weight 1 of b.
func TestWeightsOrderWhatNoFairShareCovers(t *testing.T) {
	told, err := story.Read(`
pool general cpu=10
tenant a weight=3
tenant b
asks b/1 b/2 a/1 a/2 a/3 a/4 size=2`)
	require.NoError(t, err)
	s := &scene{World: told.World}
	s.Round()
	require.True(t, s.runs(model.AppID{Tenant: "a", Name: "4"}))
	require.False(t, s.runs(model.AppID{Tenant: "b", Name: "2"}))
}

func (s *scene) tenant(name string) *model.Tenant {
	return &s.Fleet.Tenants[slices.IndexFunc(s.Fleet.Tenants, func(tn model.Tenant) bool { return tn.Name == name })]
}

// largest is the size of the largest application of a tenant that runs in a flat world.
func (s *scene) largest(tenant string) (size int) {
	for i := range s.Ledger.Instances {
		if id := s.Ledger.Instances[i].App; id.Tenant == tenant {
			size = max(size, int(s.Holds(id).CPU/1000))
		}
	}
	return size
}

// I14. Sharing pays: each tenant gets at least what it asks for of its part by
// weight, less its largest application; when it comes late too, where sizes are 1.
func TestSharingPays(t *testing.T) { holds(t, 4, sharingPays) }

func sharingPays(t *rapid.T) {
	capacity := rapid.IntRange(4, 16).Draw(t, "capacity")
	most := rapid.IntRange(1, 3).Draw(t, "largest")
	s := flat(t, capacity, false, func() int { return rapid.IntRange(1, most).Draw(t, "size") })
	if most == 1 { // one tenant after the other
		all := slices.Clone(s.Fleet.Applications)
		for _, app := range all {
			s.Remove(app.ID)
		}
		for _, tn := range s.Fleet.Tenants {
			for _, app := range all {
				if app.ID.Tenant == tn.Name {
					s.Declare(*app)
				}
			}
			s.rest(t)
		}
	}
	s.rest(t)
	held, wants, weights := s.holdings(), s.wants(), 0
	for _, tn := range s.Fleet.Tenants {
		if wants[tn.Name] > 0 {
			weights += tn.Weight
		}
	}
	for _, tn := range s.Fleet.Tenants {
		// held >= min(wants, capacity*weight/weights) - most, and an application counts whole
		if want := wants[tn.Name]; held[tn.Name]+most < want && (held[tn.Name]+most)*weights < capacity*tn.Weight {
			t.Fatalf("%s has %d of %d, wants %d, weight %d of %d, largest %d", tn.Name, held[tn.Name], capacity, want, tn.Weight, weights, most)
		}
	}
}

// I15. Where there is one resource: without one tenant, or with more capacity, no
// tenant has a smaller fair share; and where sizes are 1, none gets less by more
// than one application. With several resources it is not so, for any rule that
// pays for all.
func TestFewerTenantsAndMoreCapacityHurtNobody(t *testing.T) { holds(t, 4, moreForFewerTenants) }

func moreForFewerTenants(t *rapid.T) {
	capacity := rapid.IntRange(4, 14).Draw(t, "capacity")
	size := rapid.IntRange(1, 3).Draw(t, "largest")
	s := flat(t, capacity, false, func() int { return rapid.IntRange(1, size).Draw(t, "size") })
	o := s.clone()
	more := int64(0)
	if rapid.Bool().Draw(t, "less tenants") {
		gone := o.Fleet.Tenants[0].Name
		o.Fleet.Tenants = o.Fleet.Tenants[1:]
		o.Fleet.Applications = slices.DeleteFunc(o.Fleet.Applications, func(a *model.Application) bool { return a.ID.Tenant == gone })
	} else {
		more = int64(rapid.IntRange(1, 5).Draw(t, "more"))
		o.Seen.Pools[0].Capacity.CPU += more * 1000
	}
	before, after := s.inside(), o.inside()
	held, then := outcome(s), outcome(o)
	for _, tn := range o.Fleet.Tenants {
		// In cores: an entitlement is a share of all capacity.
		was, is := before.FairShare(tn.Name)*uint64(capacity), after.FairShare(tn.Name)*uint64(int64(capacity)+more)
		if is+64*uint64(capacity) < was {
			t.Fatalf("%s had a fair share of %d and has %d", tn.Name, was, is)
		}
		if size == 1 && then[tn.Name]+1 < held[tn.Name] {
			t.Fatalf("%s had %d and has %d", tn.Name, held[tn.Name], then[tn.Name])
		}
	}
}

// outcome is what each tenant gets in one ruling.
func outcome(s *scene) map[string]int {
	held := map[string]int{}
	for _, d := range s.Decide().Decisions {
		for _, g := range d.Grants {
			held[d.App.Tenant] += int(g.Requests.CPU/1000) * g.Replicas
		}
	}
	return held
}

// I16. A higher quota alone does not make what a tenant gets smaller by more than
// one application; and what passes the gate passes it when it asks for less.
func TestMoreQuotaIsNoLess(t *testing.T) { holds(t, 3, moreQuotaIsNoLess) }

func moreQuotaIsNoLess(t *rapid.T) {
	s := flat(t, rapid.IntRange(2, 12).Draw(t, "capacity"), true, func() int { return 1 })
	limit := cpu(rapid.IntRange(0, 8).Draw(t, "quota"))
	s.Fleet.Tenants[0].Quota = &limit
	o := s.clone()
	higher := limit.Add(cpu(rapid.IntRange(1, 4).Draw(t, "more")))
	o.Fleet.Tenants[0].Quota = &higher
	if was, is := outcome(s)["tenant-0"], outcome(o)["tenant-0"]; is+1 < was {
		t.Fatalf("%d with a quota of %s, %d with %s", was, limit, is, higher)
	}

	d := dressed(t).lived(t)
	for _, decision := range d.Decide().Decisions {
		if d.runs(decision.App) || decision.Verdict == model.VerdictRejected {
			continue
		}
		less := d.clone()
		app := *less.app(decision.App)
		app.Components = slices.Clone(app.Components)
		app.Components[0].Requests.CPU /= 2
		less.Fleet.Applications[slices.IndexFunc(less.Fleet.Applications, func(a *model.Application) bool { return a.ID == app.ID })] = new(app.Seal())
		ruling := less.Decide()
		if again, _ := ruling.Find(decision.App); again.Verdict == model.VerdictRejected {
			t.Fatalf("%s was %s and is rejected when it asks for half: %s", decision.App, decision.Verdict, again.Message)
		}
	}
}

// I17. With one resource, sizes of 1 and nothing running, asking for more or for
// larger sizes than one needs brings no more that one can use.
func TestLyingDoesNotPay(t *testing.T) { holds(t, 3, lyingDoesNotPay) }

func lyingDoesNotPay(t *rapid.T) {
	s := flat(t, rapid.IntRange(2, 12).Draw(t, "capacity"), true, func() int { return 1 })
	o := s.clone()
	if rapid.Bool().Draw(t, "larger") {
		for i := range o.Fleet.Applications {
			if a := o.Fleet.Applications[i]; a.ID.Tenant == "tenant-0" {
				a.Components = slices.Clone(a.Components)
				a.Components[0].Requests = cpu(2)
				*a = a.Seal()
			}
		}
	} else {
		for i := range rapid.IntRange(1, 6).Draw(t, "more") {
			app := generate.App("tenant-0", fmt.Sprintf("zz-false-%d", i), 200, 1, cpu(1), new(generate.Policy("reclaim")))
			o.Fleet.Applications = append(o.Fleet.Applications, new(app.Seal()))
			o.Ledger.Instances = append(o.Ledger.Instances, model.Instance{App: app.ID, Number: 1, Phase: model.PhaseCreated, Declared: s.Now.Add(time.Hour)})
		}
		slices.SortFunc(o.Ledger.Instances, func(x, y model.Instance) int { return x.App.Compare(y.App) })
	}
	useful := func(w *scene) (n int) {
		for _, d := range w.Decide().Decisions {
			if d.Verdict == model.VerdictGranted && d.App.Tenant == "tenant-0" && s.app(d.App) != nil {
				n++
			}
		}
		return n
	}
	if honest, lying := useful(s), useful(o); lying > honest {
		t.Fatalf("%d when it lies, %d when it does not", lying, honest)
	}
}
