package arbitration

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// generate draws a fleet of a few tenants and pools and many applications, some
// of which hold places already.
func generate(t *rapid.T) (model.Fleet, model.Observation, model.Ledger) {
	fleet := model.Fleet{Commit: "c1", Platform: &model.Platform{Name: "test"}}
	var seen model.Observation
	var ledger model.Ledger
	for p := range rapid.IntRange(1, 3).Draw(t, "pools") {
		name := fmt.Sprintf("pool%d", p)
		nodes := rapid.IntRange(0, 6).Draw(t, "nodes")
		node := model.Resources{CPU: 4000, Memory: 16 << 30}
		fleet.Platform.Pools = append(fleet.Platform.Pools, model.PoolSpec{Name: name, OS: []string{"linux"}, Runtimes: []string{"container"}})
		seen.Pools = append(seen.Pools, model.Pool{Name: name, Nodes: nodes, Capacity: node.Times(nodes), Largest: node})
	}
	for n := range rapid.IntRange(1, 3).Draw(t, "tenants") {
		tn := model.Tenant{Name: fmt.Sprintf("t%d", n)}
		if rapid.Bool().Draw(t, "quota") {
			tn.Quota = &model.Resources{CPU: int64(rapid.IntRange(0, 20).Draw(t, "quotaCPU")) * 1000, Memory: 64 << 30}
		}
		tn.MaxApplications = rapid.IntRange(0, 5).Draw(t, "maxApplications")
		fleet.Tenants = append(fleet.Tenants, tn)
		for i := range rapid.IntRange(0, 6).Draw(t, "applications") {
			app := drawApplication(t, model.AppID{Tenant: tn.Name, Name: fmt.Sprintf("a%d", i)})
			switch rapid.IntRange(0, 3).Draw(t, "state") {
			case 0:
				ledger.Instances = append(ledger.Instances, incumbent(t, app, seen.Pools))
				if rapid.Bool().Draw(t, "changed") {
					app = drawApplication(t, app.ID)
				}
			case 1:
				fleet.Unusable = append(fleet.Unusable, model.Unusable{App: app.ID, Message: "broken"})
				continue
			}
			fleet.Applications = append(fleet.Applications, &app)
		}
	}
	return fleet, seen, ledger
}

func drawApplication(t *rapid.T, id model.AppID) model.Application {
	app := model.Application{ID: id, Desired: "running", Priority: rapid.IntRange(0, 3).Draw(t, "priority") * 100,
		Policy: &model.Policy{PriorityCeiling: 200, Degradation: rapid.Bool().Draw(t, "degradation"),
			Strategy: rapid.SampledFrom([]string{"spread", "bin-pack", "cost-aware"}).Draw(t, "strategy")}}
	for c := range rapid.IntRange(1, 3).Draw(t, "components") {
		comp := model.Component{Name: fmt.Sprintf("c%d", c), Type: "worker", Runtime: "container", OS: "linux",
			Replicas: rapid.IntRange(0, 5).Draw(t, "replicas"), Critical: rapid.Bool().Draw(t, "critical"),
			Requests: model.Resources{CPU: int64(rapid.IntRange(0, 9).Draw(t, "cpu")) * 500, Memory: 1 << 30}}
		if rapid.Bool().Draw(t, "degrade") {
			comp.Degrade = &model.Degrade{MinReplicas: rapid.IntRange(0, comp.Replicas).Draw(t, "min")}
		}
		app.Components = append(app.Components, comp)
	}
	return app.Seal()
}

func incumbent(t *rapid.T, app model.Application, pools []model.Pool) model.Instance {
	inst := model.Instance{App: app.ID, Number: 1, Phase: model.PhaseRunning, Since: start.Add(-2 * solve.RestoreHold), Spec: &app}
	minimum := rapid.Bool().Draw(t, "minimum")
	pool := rapid.SampledFrom(pools).Draw(t, "pool")
	for _, g := range grantsOf(&app, minimum) {
		g.Pool = pool.Name
		inst.Components = append(inst.Components, model.ComponentState{Grant: g, Run: g.Replicas, State: model.StateReady})
	}
	return inst
}

// usage sums the grants of a ruling by pool.
func usage(r model.Ruling) map[string]model.Resources {
	used := map[string]model.Resources{}
	for _, d := range r.Decisions {
		if d.Verdict == model.VerdictGranted {
			for _, g := range d.Grants {
				used[g.Pool] = used[g.Pool].Add(g.Requests.Times(g.Replicas))
			}
		}
	}
	return used
}

// TestNothingIsOversold: newcomers, updates and restorations never take more of
// a pool than there is, unless incumbents alone hold more already.
func TestNothingIsOversold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fleet, seen, ledger := generate(t)
		held := map[string]model.Resources{}
		for _, i := range ledger.Instances {
			for _, s := range i.Components {
				held[s.Grant.Pool] = held[s.Grant.Pool].Add(s.Grant.Requests.Times(s.Grant.Replicas))
			}
		}
		used := usage(Decide(fleet, seen, ledger, start))
		for _, p := range seen.Pools {
			for _, name := range used[p.Name].Exceeds(p.Capacity) {
				if used[p.Name].Get(name) > held[p.Name].Get(name) {
					t.Fatalf("pool %s: %s granted, %s capacity, %s held before", p.Name, used[p.Name], p.Capacity, held[p.Name])
				}
			}
		}
	})
}

// TestEveryApplicationIsRuledOnOnce: each declared application has exactly one
// decision, with a reason and a sentence, and grants if and only if granted.
func TestEveryApplicationIsRuledOnOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fleet, seen, ledger := generate(t)
		ruling := Decide(fleet, seen, ledger, start)
		var want []model.AppID
		for _, a := range fleet.Applications {
			want = append(want, a.ID)
		}
		for _, u := range fleet.Unusable {
			want = append(want, u.App)
		}
		slices.SortFunc(want, model.AppID.Compare)
		var got []model.AppID
		for _, d := range ruling.Decisions {
			got = append(got, d.App)
			if d.Reason == "" || d.Message == "" || d.Verdict == "" {
				t.Fatalf("decision without a reason: %+v", d)
			}
			if (d.Verdict == model.VerdictGranted) != (len(d.Grants) > 0) {
				t.Fatalf("grants do not go with the verdict: %+v", d)
			}
		}
		require.Equal(t, want, got)
	})
}

// TestIncumbentsStay: who runs is never rejected, made to wait or evicted.
func TestIncumbentsStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fleet, seen, ledger := generate(t)
		ruling := Decide(fleet, seen, ledger, start)
		for _, i := range ledger.Instances {
			d, ok := ruling.Find(i.App)
			if ok && d.Verdict != model.VerdictGranted {
				t.Fatalf("%s ran and is now %s", i.App, d.Verdict)
			}
		}
	})
}

// TestOrderOfInputDoesNotMatter: shuffled inputs give byte-equal rulings.
func TestOrderOfInputDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fleet, seen, ledger := generate(t)
		want := model.DigestOf(Decide(fleet, seen, ledger, start))
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		rng.Shuffle(len(fleet.Applications), func(i, j int) {
			fleet.Applications[i], fleet.Applications[j] = fleet.Applications[j], fleet.Applications[i]
		})
		rng.Shuffle(len(fleet.Tenants), func(i, j int) { fleet.Tenants[i], fleet.Tenants[j] = fleet.Tenants[j], fleet.Tenants[i] })
		rng.Shuffle(len(fleet.Unusable), func(i, j int) { fleet.Unusable[i], fleet.Unusable[j] = fleet.Unusable[j], fleet.Unusable[i] })
		require.Equal(t, want, model.DigestOf(Decide(fleet, seen, ledger, start)))
	})
}

// TestDecidingAgainChangesNothing: once everything granted runs as granted, the
// same inputs move nobody.
func TestDecidingAgainChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fleet, seen, ledger := generate(t)
		first := Decide(fleet, seen, ledger, start)
		settled := settle(fleet, ledger, first)
		second := Decide(fleet, seen, settled, start)
		third := Decide(fleet, seen, settle(fleet, settled, second), start)
		for i := range second.Decisions {
			require.Equal(t, second.Decisions[i].Grants, third.Decisions[i].Grants)
			require.Equal(t, second.Decisions[i].Verdict, third.Decisions[i].Verdict)
		}
	})
}

// settle is the ledger after everything granted has come to run.
func settle(fleet model.Fleet, ledger model.Ledger, r model.Ruling) model.Ledger {
	var next model.Ledger
	for _, d := range r.Decisions {
		if d.Verdict != model.VerdictGranted {
			continue
		}
		inst := model.Instance{App: d.App, Number: 1, Phase: model.PhaseRunning, Since: start.Add(-2 * solve.RestoreHold)}
		if old, ok := ledger.Find(d.App); ok {
			inst = *old
		}
		for i := range fleet.Applications {
			if fleet.Applications[i].Digest == d.Spec {
				inst.Spec = fleet.Applications[i]
			}
		}
		inst.Components = nil
		for _, g := range d.Grants {
			inst.Components = append(inst.Components, model.ComponentState{Grant: g, Run: g.Replicas, State: model.StateReady})
		}
		next.Instances = append(next.Instances, inst)
	}
	return next
}

// TestNoPriorityInversion: among newcomers of one tenant that are alike in all
// but priority, the more important one is never left out for the other.
func TestNoPriorityInversion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fleet, seen, ledger := generate(t)
		low := drawApplication(t, model.AppID{Tenant: "t0", Name: "alike-low"})
		high := low
		high.ID.Name, low.Priority, high.Priority = "alike-high", 50, 60
		fleet.Applications = append(fleet.Applications, new(low.Seal()), new(high.Seal()))
		ruling := Decide(fleet, seen, ledger, start)
		l, _ := ruling.Find(low.ID)
		h, _ := ruling.Find(high.ID)
		if l.Verdict == model.VerdictGranted && h.Verdict != model.VerdictGranted {
			t.Fatalf("priority 50 is granted and 60 is %s: %s", h.Verdict, h.Message)
		}
	})
}

// BenchmarkDecide prints the cost per application of a fleet in which most run.
func BenchmarkDecide(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			fleet := model.Fleet{Platform: &model.Platform{Pools: []model.PoolSpec{{Name: "general", OS: []string{"linux"}, Runtimes: []string{"container"}}}}}
			seen := model.Observation{Pools: []model.Pool{{Name: "general", Nodes: n, Capacity: model.Resources{CPU: int64(n) * 2000, Memory: int64(n) << 32}}}}
			var ledger model.Ledger
			for i := range n {
				app := model.Application{ID: model.AppID{Tenant: "t", Name: fmt.Sprintf("a%06d", i)}, Desired: "running", Priority: i % 7,
					Policy: &model.Policy{PriorityCeiling: 1000, Degradation: true},
					Components: []model.Component{{Name: "web", Type: "webservice", Runtime: "container", OS: "linux", Replicas: 3, Critical: true,
						Requests: model.Resources{CPU: 500, Memory: 1 << 28}, Degrade: &model.Degrade{MinReplicas: 1}}}}.Seal()
				fleet.Applications = append(fleet.Applications, &app)
				if i%10 != 0 {
					ledger.Instances = append(ledger.Instances, model.Instance{App: app.ID, Phase: model.PhaseRunning, Spec: &app,
						Components: []model.ComponentState{{Grant: model.Grant{Component: "web", Replicas: 3, Requests: app.Components[0].Requests, Pool: "general"}}}})
				}
			}
			b.ResetTimer()
			for range b.N {
				Decide(fleet, seen, ledger, start)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "µs/app")
		})
	}
}
