// Package world plays rounds of arbitration: it holds what Decide is told, and
// after each ruling what the ledger then says, as if everything granted ran at
// once and everything evicted was gone at once. So tests and benchmarks see what
// a sequence of rulings leads to without runtimes, and without the phases that
// pkg/lifecycle adds. It decides nothing.
package world

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/arbitration"
	"github.com/d-aros/d-aros/pkg/model"
)

// Start is when every world begins.
var Start = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// World is a fleet, what its runtimes show, its ledger and the time.
type World struct {
	Fleet  model.Fleet
	Seen   model.Observation
	Ledger model.Ledger
	Now    time.Time

	Advises bool // Decide gives advice too

	at map[model.AppID]int // place in Fleet.Applications
}

// New returns a world without tenants and applications.
func New(platform model.Platform) *World {
	return &World{
		Fleet: model.Fleet{Commit: "c0ffee", Platform: &platform},
		Now:   Start,
		at:    map[model.AppID]int{},
	}
}

// AddPool gives the platform a pool for Linux containers.
func (w *World) AddPool(pool model.Pool) {
	w.Fleet.Platform.Pools = append(w.Fleet.Platform.Pools, model.PoolSpec{
		Name: pool.Name, OS: []string{"linux"}, Runtimes: []string{"container"},
	})
	w.Seen.Pools = append(w.Seen.Pools, pool)
}

// Declare puts applications into Git, now. One that is there already is changed
// and keeps its place among equals.
func (w *World) Declare(apps ...model.Application) {
	var fresh []model.Instance
	for _, app := range apps {
		app = app.Seal()
		if i, ok := w.at[app.ID]; ok {
			w.Fleet.Applications[i] = &app
			continue
		}
		w.at[app.ID] = len(w.Fleet.Applications)
		w.Fleet.Applications = append(w.Fleet.Applications, &app)
		fresh = append(fresh, created(app.ID, w.Now))
	}
	w.add(fresh)
}

// created is the instance of an application that was declared at a time.
func created(app model.AppID, at time.Time) model.Instance {
	return model.Instance{App: app, Number: 1, Phase: model.PhaseCreated, Reason: model.ReasonDeclared, Since: at, Declared: at}
}

// add adds instances to the ledger, which is in order.
func (w *World) add(fresh []model.Instance) {
	if len(fresh) == 0 {
		return
	}
	w.Ledger.Instances = append(w.Ledger.Instances, fresh...)
	slices.SortFunc(w.Ledger.Instances, func(x, y model.Instance) int { return x.App.Compare(y.App) })
}

// Remove takes applications out of Git; what they held is free at once.
func (w *World) Remove(ids ...model.AppID) {
	gone := map[model.AppID]bool{}
	for _, id := range ids {
		gone[id] = w.App(id) != nil
	}
	w.Fleet.Applications = slices.DeleteFunc(slices.Clone(w.Fleet.Applications), func(a *model.Application) bool { return gone[a.ID] })
	clear(w.at)
	for i := range w.Fleet.Applications {
		w.at[w.Fleet.Applications[i].ID] = i
	}
	w.Ledger.Instances = slices.DeleteFunc(w.Ledger.Instances, func(i model.Instance) bool { return gone[i.App] })
	w.Ledger.Decisions = slices.DeleteFunc(w.Ledger.Decisions, func(d model.Decision) bool { return gone[d.App] })
}

// Shuffle puts what Git declares and what pools show into another order. What it
// says stays the same.
func (w *World) Shuffle(rng *rand.Rand) {
	w.Fleet.Applications = slices.Clone(w.Fleet.Applications)
	w.Fleet.Tenants = slices.Clone(w.Fleet.Tenants)
	w.Seen.Pools = slices.Clone(w.Seen.Pools)
	apps, tenants, pools := w.Fleet.Applications, w.Fleet.Tenants, w.Seen.Pools
	rng.Shuffle(len(apps), func(i, j int) { apps[i], apps[j] = apps[j], apps[i] })
	rng.Shuffle(len(tenants), func(i, j int) { tenants[i], tenants[j] = tenants[j], tenants[i] })
	rng.Shuffle(len(pools), func(i, j int) { pools[i], pools[j] = pools[j], pools[i] })
	for i := range apps {
		w.at[apps[i].ID] = i
	}
}

// App returns what Git declares, nil if it declares no such application.
func (w *World) App(id model.AppID) *model.Application {
	if i, ok := w.at[id]; ok {
		return w.Fleet.Applications[i]
	}
	return nil
}

// Decide rules on the world as it is and changes nothing.
func (w *World) Decide() model.Ruling {
	if !w.Advises {
		return arbitration.Rule(w.Fleet, w.Seen, w.Ledger, w.Now)
	}
	return arbitration.Decide(w.Fleet, w.Seen, w.Ledger, w.Now)
}

// Round rules once and lets the ruling come true.
func (w *World) Round() (model.Ruling, Changes) {
	ruling := w.Decide()
	return ruling, w.Apply(ruling)
}

// Settle plays rounds, step apart, until one changes nothing, and returns how many
// changed something. It gives up after limit rounds and says so.
func (w *World) Settle(limit int, step time.Duration) (rounds int, settled bool) {
	for ; rounds < limit; rounds++ {
		if _, c := w.Round(); c.None() {
			return rounds, true
		}
		w.Now = w.Now.Add(step)
	}
	return rounds, false
}
