package solve

import (
	"cmp"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// RestoreHold is how long an application stays degraded before it is restored
// where policy does not say, so that capacity that comes and goes does not move
// replicas with it.
const RestoreHold = 30 * time.Second

// restore gives degraded incumbents back what they gave up, best standing first,
// when it fits with the margin that policy wants, they have been degraded for long
// enough, and what they depend on is ready.
func (a *allotment) restore() {
	var degraded []*App
	for _, app := range a.Running {
		if app.Granted() && app.Level > 0 && app.Update == nil && app.Lost == nil && app.EvictAt.IsZero() && a.due(app) {
			degraded = append(degraded, app)
		}
	}
	slices.SortFunc(degraded, func(x, y *App) int {
		return cmp.Or(x.Standing[x.Level-1].Compare(y.Standing[y.Level-1]), FirstCome(x, y))
	})
	for _, app := range degraded {
		held := a.Release(app)
		for l := 0; l < app.Level; l++ {
			if app.Levels[l].Loose != nil || !app.mayGrow(l) {
				continue // its pool is gone, or what it depends on is not ready
			}
			loads, short := a.fit(app, &app.Levels[l], -1, held)
			if short == nil && a.marginHolds(app, loads, held) {
				a.settle(app, app.Spec, app.Levels, l, -1, loads)
				break
			}
			if l == 0 {
				app.Short = short
			}
		}
		if app.Taken == nil {
			a.take(app, held)
		}
	}
}

// due reports whether a degraded application may be restored now.
func (a *allotment) due(app *App) bool {
	return !app.Unusable.Damaged() && a.now.Sub(app.Instance.Since) >= app.RestoreHold() && app.mayGrow(app.Level-1)
}

// RestoreHold is how long the application stays degraded at the least.
func (app *App) RestoreHold() time.Duration {
	if hold := app.Policy().RestoreHold; hold != 0 {
		return hold
	}
	return RestoreHold
}

// mayGrow reports whether level l gives no component more than is granted now whose
// dependencies are not ready.
func (app *App) mayGrow(l int) bool {
	for i := range app.Spec.Components {
		comp, granted := &app.Spec.Components[i], 0
		if g, ok := model.Find(app.Grants, comp.Name); ok {
			granted = g.Replicas
		}
		for _, name := range comp.DependsOn {
			state, ok := app.Instance.Component(name)
			if more, _ := ReplicasAt(comp, app.Levels[l].Cut); ok && !Ready(state) && more > granted {
				return false
			}
		}
	}
	return true
}

// Ready reports whether what depends on a component may grow.
func Ready(s *model.ComponentState) bool {
	return s.State == model.StateReady || s.Finished() || s.State == model.StateOff || s.State == ""
}

// marginHolds reports whether the margin that policy wants stays free in the pools
// that the application would take more of.
func (a *allotment) marginHolds(app *App, loads, held []Load) bool {
	thousandths := int64(app.Policy().RestoreMargin)
	if thousandths <= 0 {
		return true
	}
	for _, l := range loads {
		q := &a.Pools[l.Pool]
		for r, n := range l.Amount {
			if n > HeldOf(held, l.Pool, r) && q.Free(app, r)-n < q.Offered[r]/1000*thousandths {
				return false
			}
		}
	}
	return true
}
