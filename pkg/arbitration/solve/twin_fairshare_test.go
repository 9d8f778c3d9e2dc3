package solve

import (
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestFairSharesAreThoseOfExactFilling compares fair shares with a slow twin
// that fills in exact fractions, for tenants without groups and one to three
// resources: they differ by what rounding takes off.
func TestFairSharesAreThoseOfExactFilling(t *testing.T) {
	for range 10 {
		rapid.Check(t, func(t *rapid.T) {
			c := caseOf(drawFlat(t))
			c.FairShares()
			exactSteps(t, c)
			twin := exactFilling(c)
			for i := 1; i < len(c.Nodes); i++ {
				sameShare(t, c.Nodes[i].Name, c.Nodes[i].FairShare, dominant(twin[i]))
			}
		})
	}
}

// TestMembersShareWhatTheirGroupMayHave compares tenants in a group that may have half of the capacity with the same tenants
// without a group where there is half of it.
func TestMembersShareWhatTheirGroupMayHave(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		flat := drawFlat(t)
		flat.Fleet.Platform.HalfLife = 0 // past use counts against all capacity
		half, left := flat.Seen.Pools[0].Capacity, flat.Seen.Pools[0].Capacity
		for i := range flat.Fleet.Tenants { // more than there is would be scaled, and to all capacity, not to a limit of a group
			if guarantee := &flat.Fleet.Tenants[i].Guarantee; guarantee.Fits(left) {
				left = left.Sub(*guarantee)
			} else {
				*guarantee = model.Resources{}
			}
		}
		grouped := flat
		grouped.Fleet.Platform = new(*flat.Fleet.Platform)
		grouped.Seen.Pools = []model.Pool{{Name: "pool", Nodes: 1, Capacity: half.Add(half)}}
		group := model.Group{Name: "all", Weight: 1, Borrow: &half}
		for i := range flat.Fleet.Tenants {
			group.Tenants = append(group.Tenants, flat.Fleet.Tenants[i].Name)
		}
		grouped.Fleet.Platform.Groups = []model.Group{group}
		c, twin := caseOf(grouped), caseOf(flat)
		c.FairShares()
		exact := exactFilling(twin)
		for name, i := range c.Tenants {
			want := dominant(exact[twin.Tenants[name]])
			sameShare(t, name, c.Nodes[i].FairShare, want.Quo(want, big.NewRat(2, 1)))
		}
	})
}

// sameShare compares a share with an exact one, but for what rounding takes off.
func sameShare(t *rapid.T, name string, share Share, want *big.Rat) {
	got := new(big.Rat).SetFrac64(int64(share), int64(Whole))
	diff := new(big.Rat).Sub(want, got)
	if diff.Abs(diff).Cmp(big.NewRat(int64(grain), int64(Whole))) > 0 {
		t.Fatalf("the fair share of tenant %s is %s, the twin says %s", name, got.FloatString(9), want.FloatString(9))
	}
}

// dominant is the largest of the parts of resources.
func dominant(parts []*big.Rat) *big.Rat {
	most := new(big.Rat)
	for _, x := range parts {
		if x.Cmp(most) > 0 {
			most.Set(x)
		}
	}
	return most
}

// drawFlat draws tenants that ask, in one pool.
func drawFlat(t *rapid.T) Inputs {
	dims := rapid.IntRange(1, 3).Draw(t, "resources")
	draw := func(most int, label string) model.Resources {
		r := model.Resources{CPU: int64(rapid.IntRange(0, most).Draw(t, label))}
		if dims > 1 {
			r.Memory = int64(rapid.IntRange(0, most).Draw(t, label))
		}
		if dims > 2 {
			r.Devices = map[string]int64{"gpu": int64(rapid.IntRange(0, most).Draw(t, label))}
		}
		return r
	}
	capacity := draw(30, "capacity").Add(model.Resources{CPU: 5, Memory: 5, Devices: map[string]int64{"gpu": 5}})
	fleet := model.Fleet{Platform: &model.Platform{
		Pools: []model.PoolSpec{{Name: "pool", OS: []string{"linux"}, Runtimes: []string{"container"}}},
		Bands: []model.Band{{Name: "high", Min: 100}, {Name: "low"}},
	}}
	for i := range rapid.IntRange(1, 4).Draw(t, "tenants") {
		tn := model.Tenant{Name: fmt.Sprint("t", i), Weight: rapid.IntRange(1, 5).Draw(t, "weight")}
		if rapid.Bool().Draw(t, "guaranteed") {
			tn.Guarantee = draw(12, "guarantee")
		}
		fleet.Tenants = append(fleet.Tenants, tn)
		for n := range rapid.IntRange(0, 4).Draw(t, "applications") {
			app := model.Application{ID: model.AppID{Tenant: tn.Name, Name: fmt.Sprint("a", n)}, Priority: 100 * rapid.IntRange(0, 1).Draw(t, "band")}
			app.Policy = &model.Policy{PriorityCeiling: 1000}
			app.Components = []model.Component{{Name: "main", Type: "worker", Runtime: "container", OS: "linux", Replicas: 1, Critical: true, Requests: draw(6, "size")}}
			fleet.Applications = append(fleet.Applications, new(app.Seal()))
		}
	}
	seen := model.Observation{Pools: []model.Pool{{Name: "pool", Nodes: 1, Capacity: capacity}}}
	var ledger model.Ledger
	if rapid.Bool().Draw(t, "history") {
		fleet.Platform.HalfLife = time.Hour
		past := &model.PastUse{At: time.Date(2026, 1, 1, 11, 0, 0, 0, time.UTC), HalfLife: time.Hour}
		for i := range fleet.Tenants {
			past.Nodes = append(past.Nodes, model.NodeUse{Tenant: fleet.Tenants[i].Name, Used: int64(rapid.IntRange(0, int(allOf(time.Hour))).Draw(t, "used")),
				Step: rapid.IntRange(model.LeastStep, model.MostStep).Draw(t, "step")})
		}
		ledger.PastUse = past.Seal()
	}
	return Inputs{Fleet: fleet, Seen: seen, Ledger: ledger, Now: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)}
}

// caseOf is a case in which applications have passed the gate and nothing is shared yet.
func caseOf(in Inputs) *Case {
	c := New(in)
	for _, app := range c.Apps {
		c.PassGate(app)
	}
	c.CountDemand()
	return c
}

// exactSteps compares the steps of weights with 16*(1 - used/fair) in exact numbers, fair being the share of the twin with
// declared weights: they are less than a step apart, but for what rounding takes off.
func exactSteps(t *rapid.T, c *Case) {
	if c.HalfLife == 0 {
		return
	}
	declared := *c
	declared.Books = &Books{Dimensions: c.Dimensions, PoolSet: c.PoolSet, Tree: c.Tree}
	declared.Nodes = slices.Clone(c.Nodes)
	for i := range declared.Nodes {
		declared.Nodes[i] = new(*c.Nodes[i])
		declared.Nodes[i].Weight = declared.Nodes[i].Declared
	}
	twin := exactFilling(&declared)
	for i := 1; i < len(c.Nodes); i++ {
		n, fair := c.Nodes[i], dominant(twin[i])
		if fair.Cmp(big.NewRat(1, 1000)) < 0 {
			continue
		}
		at := big.NewRat(n.used, int64(allOf(time.Hour)))
		at.Sub(big.NewRat(1, 1), at.Quo(at, fair)).Mul(at, big.NewRat(16, 1))
		want, _ := at.Float64()
		want = max(model.LeastStep, want)
		if off := want - float64(n.Step); off > 1.1 || off < -1.1 {
			t.Fatalf("the weight of tenant %d is on step %d, the twin says %.2f", i, n.Step, want)
		}
	}
}

// exactFilling is progressive filling in fractions of all capacity: by node, then
// resource. First guarantees, by band and in proportion where there is too
// little; then what is left, band by band, by weight.
func exactFilling(c *Case) [][]*big.Rat {
	zero := func() []*big.Rat {
		row := make([]*big.Rat, len(c.Names))
		for r := range row {
			row[r] = new(big.Rat)
		}
		return row
	}
	got, left, held := make([][]*big.Rat, len(c.Nodes)), zero(), make([]Vector, len(c.Nodes))
	for i := range got {
		got[i], held[i] = zero(), c.Zero()
	}
	for r := range left {
		left[r].SetInt64(1)
	}
	fraction := func(n int64, r int) *big.Rat {
		if c.Total[r] == 0 {
			return new(big.Rat)
		}
		return big.NewRat(n, c.Total[r])
	}
	demand := c.boundedDemand()
	for b := range demand {
		for r := range c.Names {
			sum, want := new(big.Rat), make([]*big.Rat, len(c.Nodes))
			for i := 1; i < len(c.Nodes); i++ {
				var d int64
				if demand[b][i] != nil {
					d = demand[b][i][r]
				}
				n := max(0, min(d, c.Nodes[i].Guarantee[r]-held[i][r]))
				held[i][r] += n
				want[i] = fraction(n, r)
				sum.Add(sum, want[i])
			}
			scale := big.NewRat(1, 1)
			if sum.Cmp(left[r]) > 0 {
				scale.Quo(left[r], sum)
			}
			for i := 1; i < len(c.Nodes); i++ {
				part := new(big.Rat).Mul(want[i], scale)
				got[i][r].Add(got[i][r], part)
				left[r].Sub(left[r], part)
			}
		}
	}
	for b := range demand {
		want := make([][]*big.Rat, len(c.Nodes))
		for i := 1; i < len(c.Nodes); i++ {
			want[i] = zero()
			for r := range c.Names {
				var n int64
				for above := 0; above <= b; above++ {
					if d := demand[above][i]; d != nil {
						n += d[r]
					}
				}
				if more := new(big.Rat).Sub(fraction(n, r), got[i][r]); more.Sign() > 0 {
					want[i][r] = more
				}
			}
		}
		for exactStep(c, want, got, left) {
		}
	}
	return got
}

// exactStep lets all grow that can until the first has all or a resource is used up.
func exactStep(c *Case, want, got [][]*big.Rat, left []*big.Rat) bool {
	dominant := make([]*big.Rat, len(c.Nodes)) // of those that grow
	flow := make([]*big.Rat, len(c.Names))
	for r := range flow {
		flow[r] = new(big.Rat)
	}
	var time *big.Rat // until something happens
	sooner := func(t *big.Rat) {
		if time == nil || t.Cmp(time) < 0 {
			time = t
		}
	}
	for i := 1; i < len(c.Nodes); i++ {
		most, stopped := new(big.Rat), false
		for r, w := range want[i] {
			if w.Cmp(most) > 0 {
				most = w
			}
			stopped = stopped || w.Sign() > 0 && left[r].Sign() == 0
		}
		if most.Sign() == 0 || stopped {
			continue
		}
		dominant[i] = new(big.Rat).Set(most)
		weight := new(big.Rat).SetInt64(c.Nodes[i].Weight)
		sooner(new(big.Rat).Quo(most, weight))
		for r, w := range want[i] {
			rate := new(big.Rat).Mul(new(big.Rat).Quo(w, most), weight)
			flow[r].Add(flow[r], rate)
		}
	}
	if time == nil {
		return false
	}
	for r := range flow {
		if flow[r].Sign() > 0 {
			sooner(new(big.Rat).Quo(left[r], flow[r]))
		}
	}
	for i := range dominant {
		if dominant[i] == nil {
			continue
		}
		part := new(big.Rat).Mul(time, new(big.Rat).SetInt64(c.Nodes[i].Weight))
		part.Quo(part, dominant[i])
		for r, w := range want[i] {
			amount := new(big.Rat).Mul(w, part)
			want[i][r] = new(big.Rat).Sub(w, amount)
			got[i][r].Add(got[i][r], amount)
			left[r].Sub(left[r], amount)
		}
	}
	return true
}
