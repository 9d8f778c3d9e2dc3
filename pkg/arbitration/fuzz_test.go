package arbitration_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/arbitration"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/world"
)

// FuzzDecide gives Decide what the schema would never let pass: it neither panics
// nor sells a pool twice, and rules on everything once.
func FuzzDecide(f *testing.F) { f.Fuzz(rapid.MakeFuzz(absurd)) }

// TestDecideTakesAnything is FuzzDecide on random input.
func TestDecideTakesAnything(t *testing.T) { holds(t, 10, absurd) }

func absurd(t *rapid.T) {
	fleet, seen, ledger := drawAbsurd(t)
	ruling := arbitration.Decide(fleet, seen, ledger, world.Start)
	var want, got []model.AppID
	for _, a := range fleet.Applications {
		want = append(want, a.ID)
	}
	for _, u := range fleet.Unusable {
		want = append(want, u.App)
	}
	for _, d := range ruling.Decisions {
		got = append(got, d.App)
	}
	slices.SortFunc(want, model.AppID.Compare)
	if !slices.Equal(want, got) {
		t.Fatalf("decided on %v, asked for %v", got, want)
	}
	// What newcomers get fits in what there is, whatever the incumbents hold.
	used := map[string]model.Resources{}
	for _, d := range ruling.Decisions {
		if _, ran := ledger.Find(d.App); ran || d.Verdict != model.VerdictGranted {
			continue
		}
		for _, g := range d.Grants {
			if g.Requests.CPU < 0 || g.Requests.Memory < 0 || g.Replicas < 0 {
				t.Fatalf("%s is granted less than nothing: %+v", d.App, g)
			}
			used[g.Pool] = used[g.Pool].Add(g.Requests.Times(g.Replicas))
		}
	}
	for _, q := range seen.Pools {
		if u := used[q.Name]; u.CPU > max(0, q.Capacity.CPU) || u.Memory > max(0, q.Capacity.Memory) {
			t.Fatalf("pool %s has %s, and %s is granted", q.Name, q.Capacity, u)
		}
	}
	model.DigestOf(ruling)
}

var amounts = rapid.Custom(func(t *rapid.T) int64 {
	return rapid.SampledFrom([]int64{0, 0, 1, 1, 2, 3, 500, 1000, 4000, -1, math.MinInt64, math.MaxInt64, math.MaxInt64 - 1, 1 << 56, 1<<56 - 1, 1 << 32}).Draw(t, "n")
})

func small(t *rapid.T, label string, odd ...int) int {
	return rapid.SampledFrom(append([]int{0, 1, 2, 3}, odd...)).Draw(t, label)
}

func drawAmounts(t *rapid.T) model.Resources {
	r := model.Resources{CPU: amounts.Draw(t, "cpu"), Memory: amounts.Draw(t, "memory")}
	if rapid.IntRange(0, 3).Draw(t, "devices") == 0 {
		r.Devices = map[string]int64{rapid.SampledFrom([]string{"", "gpu", "cpu"}).Draw(t, "device"): amounts.Draw(t, "count")}
	}
	return r
}

func maybe(t *rapid.T) *model.Resources {
	if rapid.Bool().Draw(t, "none") {
		return nil
	}
	r := drawAmounts(t)
	return &r
}

func drawAbsurd(t *rapid.T) (fleet model.Fleet, seen model.Observation, ledger model.Ledger) {
	name := func(kind string) string {
		return rapid.SampledFrom([]string{"", kind + "0", kind + "1", kind + "2"}).Draw(t, kind)
	}
	p := &model.Platform{}
	fleet.Platform = p
	p.Policy.Preemption = rapid.SampledFrom([]model.Preemption{"", "any", "reclaim"}).Draw(t, "preemption")
	p.Policy.OvercommitCPU = small(t, "overcommit", 1000, -1)
	for range small(t, "bands", 5) {
		p.Bands = append(p.Bands, model.Band{Name: name("band"), Min: small(t, "min", math.MinInt, math.MaxInt)})
	}
	pools := map[string]bool{}
	for range small(t, "pools") {
		q := name("pool")
		if pools[q] {
			continue
		}
		pools[q] = true
		p.Pools = append(p.Pools, model.PoolSpec{Name: q, OS: []string{"linux"}, Runtimes: []string{"container"}, Price: model.Price{CPU: amounts.Draw(t, "price")}})
		seen.Pools = append(seen.Pools, model.Pool{Name: q, Nodes: small(t, "nodes", -1, math.MaxInt), Capacity: drawAmounts(t), Largest: model.Resources{CPU: amounts.Draw(t, "largest")},
			Domains: []model.Domain{{Name: name("rack"), Nodes: small(t, "nodes"), Capacity: drawAmounts(t)}}})
	}
	for range small(t, "groups") {
		p.Groups = append(p.Groups, model.Group{Name: name("group"), Parent: name("group"), Tenants: []string{name("tenant")},
			Weight: small(t, "weight", -1, 1000, math.MaxInt, math.MinInt), Guarantee: drawAmounts(t), Quota: maybe(t), Borrow: maybe(t), Lend: maybe(t)})
	}
	for range small(t, "reservations") {
		p.Reservations = append(p.Reservations, model.Reservation{Tenant: name("tenant"), System: name("system"), Pool: name("pool"), Amount: drawAmounts(t)})
	}
	for range small(t, "tenants", 5) {
		fleet.Tenants = append(fleet.Tenants, model.Tenant{Name: name("tenant"), Weight: small(t, "weight", -1, 1000, math.MaxInt, math.MinInt),
			Guarantee: drawAmounts(t), Quota: maybe(t), Borrow: maybe(t), Lend: maybe(t), MaxApplications: small(t, "most", -1), PriorityCeiling: small(t, "ceiling", math.MaxInt)})
	}
	for range small(t, "applications", 8) {
		app := drawAbsurdApplication(t, model.AppID{Tenant: name("tenant"), Name: name("app")}, name)
		fleet.Applications = append(fleet.Applications, &app)
		if _, known := ledger.Find(app.ID); !known && rapid.IntRange(0, 2).Draw(t, "runs") == 0 {
			inst := model.Instance{App: app.ID, Phase: rapid.SampledFrom(model.Phases).Draw(t, "phase"), Since: world.Start.Add(-time.Hour)}
			if inst.Phase.Active() {
				inst.Spec = &app
				for _, c := range app.Components {
					inst.Components = append(inst.Components, model.ComponentState{Grant: model.Grant{
						Component: c.Name, Replicas: small(t, "holds", -1, math.MaxInt), Requests: drawAmounts(t), Pool: name("pool")}})
				}
			}
			ledger.Instances = append(ledger.Instances, inst)
			slices.SortFunc(ledger.Instances, func(x, y model.Instance) int { return x.App.Compare(y.App) })
		}
	}
	if rapid.Bool().Draw(t, "unusable") {
		fleet.Unusable = append(fleet.Unusable, model.Unusable{App: model.AppID{Tenant: name("tenant"), Name: "unusable"}})
	}
	return fleet, seen, ledger
}

func drawAbsurdApplication(t *rapid.T, id model.AppID, name func(string) string) model.Application {
	app := model.Application{ID: id, Priority: small(t, "priority", math.MaxInt, math.MinInt), Budget: amounts.Draw(t, "budget")}
	app.Policy = &model.Policy{PriorityCeiling: small(t, "ceiling", math.MaxInt), Degradation: rapid.Bool().Draw(t, "degradation"), MaxShare: small(t, "share", 500, -1, math.MaxInt),
		Preemption: rapid.SampledFrom([]model.Preemption{"", "any", "within-tenant"}).Draw(t, "preemption"), Strategy: rapid.SampledFrom([]string{"", "spread", "bin-pack", "cost-aware", "sla-aware"}).Draw(t, "strategy"),
		ReserveAfter: time.Duration(small(t, "after", -1)), RestoreMargin: small(t, "margin", math.MaxInt), Ladder: []string{"replicas", "replicas", "", "optional"}}
	for i := range small(t, "components") {
		c := model.Component{Name: fmt.Sprint("c", i/2), Type: "worker", Runtime: "container", OS: "linux", Replicas: small(t, "replicas", -1, math.MaxInt, math.MinInt),
			Critical: rapid.Bool().Draw(t, "critical"), Requests: drawAmounts(t), Placement: model.Placement{Pool: name("pool")}, DependsOn: []string{"c0"}}
		if rapid.Bool().Draw(t, "degrade") {
			c.Degrade = &model.Degrade{MinReplicas: small(t, "least", -1, math.MaxInt)}
		}
		if rapid.Bool().Draw(t, "spread") {
			c.Placement.Spread = &model.Spread{Over: "rack", Min: small(t, "domains", -1, math.MaxInt)}
		}
		app.Components = append(app.Components, c)
	}
	return app.Seal()
}
