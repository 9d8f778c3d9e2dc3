package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/generate"
	"github.com/d-aros/d-aros/test/arbitration/optimum"
	"github.com/d-aros/d-aros/test/arbitration/world"
)

// crunch is a kind of instance in which one application can only get in when
// others make room, and any of them may be asked to: they are of lower bands.
type crunch struct {
	resources, bands int
	from, to         int // need, in hundredths of what is held
}

var crunches = []crunch{
	{1, 1, 10, 30}, {1, 1, 30, 60}, {1, 3, 10, 30}, {1, 3, 30, 60},
	{3, 1, 10, 30}, {3, 1, 30, 60}, {3, 3, 10, 30}, {3, 3, 30, 60},
}

const crunched = 12 // applications that hold the pool

// victims compares whom arbitration makes room with, with the best there is: by
// its own rules, which spare within a band what is within a fair share, and by
// bands alone, so that the difference is the price of fairness.
func victims(s size) (rows []row) {
	var all, bands []float64
	for _, c := range crunches {
		var rules []float64
		worse, refused := 0, 0
		rng := rand.New(rand.NewPCG(s.seed, uint64(c.resources*100+c.bands*10+c.from)))
		for range s.of(600, 60) {
			o, in := c.play(rng)
			if !in {
				refused++
				continue
			}
			if slices.Compare(o.ours.Evictions, o.best.Evictions) > 0 {
				worse++
			}
			rules = append(rules, float64(o.ours.Total())/float64(max(1, o.best.Total())))
			bands = append(bands, float64(o.ours.Total())/float64(max(1, o.byBand.Total())))
		}
		all = append(all, rules...)
		slices.Sort(rules)
		rows = append(rows, row{
			what: fmt.Sprintf("victims of %d, %d resources, %d bands, need %d to %d %%: ours / optimum, mean and p99",
				crunched, c.resources, c.bands, c.from, c.to),
			figure: fmt.Sprintf("%.3f, %.2f (%d of %d not optimal, %d not let in)", mean(rules), percentile(rules, 99), worse, len(rules)+refused, refused),
		})
	}
	slices.Sort(all)
	slices.Sort(bands)
	return append(rows, row{
		what: "victims, all kinds: ours / optimum, mean and p99", figure: fmt.Sprintf("%.3f, %.2f", mean(all), percentile(all, 99)),
		want: "≤ 1.02, ≤ 1.25", judged: true, met: len(all) > 0 && mean(all) <= 1.02 && percentile(all, 99) <= 1.25,
	}, row{
		what: "victims, all kinds: ours / optimum that knows bands but no shares", figure: fmt.Sprintf("%.3f, %.2f", mean(bands), percentile(bands, 99)),
	})
}

// outcome is the cost of what arbitration chose, and of the best choices.
type outcome struct{ ours, best, byBand optimum.Cost }

// play makes one instance, lets arbitration rule on it, and reports whether the
// application got in at all.
func (c crunch) play(rng *rand.Rand) (o outcome, in bool) {
	w, need := c.world(rng)
	before := make([]*model.Application, crunched)
	copy(before, w.Fleet.Applications)
	ruling, changes := w.Round()

	options, byBand := make([]optimum.Option, crunched), make([]optimum.Option, crunched)
	choice := make([]int, crunched)
	for i := range before {
		d, _ := ruling.Find(before[i].ID)
		frees := []model.Resources{before[i].Components[0].Requests}
		band := slices.Index([]int{50, 200, 600}, before[i].Priority)
		byBand[i] = optimum.Option{Tier: band, Frees: frees}
		options[i] = optimum.Option{Tier: 2 * band, Frees: frees}
		if d.Standing == model.StandingWithinFairShare || d.Standing == model.StandingWithinSlack {
			options[i].Tier++
		}
		if d.Verdict == model.VerdictEvicted {
			choice[i] = 1
		}
	}
	o.ours, in = optimum.Measure(need, options, choice)
	o.best, _ = optimum.Least(need, options)
	o.byBand, _ = optimum.Least(need, byBand)
	return o, in && slices.Contains(changes.Admitted, model.AppID{Tenant: "urgent", Name: "new"})
}

// world is a full pool and an application of the highest band that asks.
func (c crunch) world(rng *rand.Rand) (*world.World, model.Resources) {
	policy := generate.Policy("any")
	w := world.New(model.Platform{Name: "crunch", Policy: policy, Bands: generate.Bands})
	var held model.Resources
	apps := make([]model.Application, crunched)
	for i := range apps {
		r := c.requests(rng)
		apps[i] = generate.App(fmt.Sprintf("tenant-%02d", i), "app", []int{200, 600, 50}[rng.IntN(c.bands)], 1, r, &policy)
		held = held.Add(r)
		w.Fleet.Tenants = append(w.Fleet.Tenants, model.Tenant{Name: apps[i].ID.Tenant, Weight: 1, PriorityCeiling: 1000, Policy: policy})
	}
	w.Fleet.Tenants = append(w.Fleet.Tenants, model.Tenant{Name: "urgent", Weight: 1, PriorityCeiling: 1000, Policy: policy})
	w.AddPool(model.Pool{Name: "general", Nodes: 1, Capacity: held})
	w.Declare(apps...)
	for i := range apps {
		generate.Run(w, "general", apps[i].ID)
	}
	w.Now = w.Now.Add(3600e9)
	part := int64(c.from + rng.IntN(c.to-c.from+1))
	need := model.Resources{CPU: held.CPU * part / 100, Memory: held.Memory * part / 100}
	if n := held.Devices[generate.GPU] * part / 100; n > 0 {
		need.Devices = map[string]int64{generate.GPU: n}
	}
	w.Declare(generate.App("urgent", "new", 950, 1, need, &policy))
	return w, need
}

func (c crunch) requests(rng *rand.Rand) model.Resources {
	r := model.Resources{CPU: int64(1+rng.IntN(20)) * 500}
	if c.resources > 1 {
		r.Memory = int64(1+rng.IntN(20)) << 30
		if n := rng.IntN(5); n > 0 {
			r.Devices = map[string]int64{generate.GPU: int64(n)}
		}
	}
	return r
}

// admission compares what arbitration admits into an empty pool with the best
// sets of three kinds, each for itself.
func admission(s size) []row {
	rng := rand.New(rand.NewPCG(s.seed, 77))
	var admitted, used, least []float64
	idle := 0
	n := s.of(1000, 100)
	for range n {
		shape := generate.Shape{Pools: 1, Tenants: 1 + rng.IntN(4), Applications: 4 + rng.IntN(9), Memory: rng.IntN(2) == 0, Devices: rng.IntN(2) == 0, Preemption: "none"}
		w := generate.Random(rng, shape)
		weights := make([]int, shape.Tenants)
		for i := range w.Fleet.Tenants {
			t := &w.Fleet.Tenants[i]
			t.Guarantee, t.Borrow, t.Lend = model.Resources{}, nil, nil
			weights[i] = t.Weight
		}
		for i := range w.Fleet.Applications {
			w.Fleet.Applications[i].Priority = 200
		}
		capacity := w.Seen.Pools[0].Capacity
		capacity.CPU /= 2 // so that not everything fits
		w.Seen.Pools[0].Capacity = capacity
		_, changes := w.Round()
		asks, set := asked(w, changes.Admitted)
		ours, fits := optimum.Worth(capacity, weights, asks, set)
		if !fits {
			idle = n + 1
		}
		best := optimum.Best(capacity, weights, asks)
		admitted = append(admitted, gap(int64(ours.Admitted), int64(best.Admitted)))
		used = append(used, gap(ours.Used, best.Used))
		least = append(least, gap(ours.Least, best.Least))
		for i := range asks {
			if _, more := optimum.Worth(capacity, weights, asks, set|1<<i); more && set&(1<<i) == 0 {
				idle++
				break
			}
		}
	}
	figure := func(gaps []float64) string {
		slices.Sort(gaps)
		return fmt.Sprintf("%.3f / %.3f / %.3f", mean(gaps), percentile(gaps, 95), percentile(gaps, 99))
	}
	return []row{
		{what: fmt.Sprintf("admission, %d small instances: something that fits is left out", n), figure: fmt.Sprint(idle), want: "0", judged: true, met: idle == 0},
		{what: "admission: share of the tenant with least, below the best possible: mean / p95 / p99", figure: figure(least)},
		{what: "admission: use of the scarcest resource, below the best possible", figure: figure(used)},
		{what: "admission: applications admitted, below the most possible", figure: figure(admitted)},
	}
}

// asked lists all applications as the search wants them, and those admitted as a set.
func asked(w *world.World, admitted []model.AppID) (asks []optimum.Ask, set uint) {
	for i := range w.Fleet.Applications {
		app := w.Fleet.Applications[i]
		tenant := slices.IndexFunc(w.Fleet.Tenants, func(t model.Tenant) bool { return t.Name == app.ID.Tenant })
		asks = append(asks, optimum.Ask{Tenant: tenant, Amount: app.Components[0].Requests})
		if slices.Contains(admitted, app.ID) {
			set |= 1 << i
		}
	}
	return asks, set
}

// gap is how much ours is below the best, as a part of the best.
func gap(ours, best int64) float64 {
	if best == 0 {
		return 0
	}
	return float64(best-ours) / float64(best)
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(max(1, len(x)))
}

// percentile of sorted values.
func percentile(x []float64, p int) float64 {
	if len(x) == 0 {
		return 0
	}
	return x[(len(x)-1)*p/100]
}
