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
// when it fits with the margin that policy wants or others give way for it, they have been
// degraded for long enough, and what they depend on is ready.
func (a *allotment) restore() {
	degraded := a.degraded(func(*App) bool { return true })
	for _, app := range degraded {
		if a.reduced(app) && !app.shrunk && a.due(app) { // it may have given way just now
			a.raise(app)
		}
	}
	for _, app := range degraded {
		if a.reduced(app) {
			a.explain(app)
		}
	}
}

// degraded lists those of some applications that run degraded, in the order in which they are restored.
func (a *Roster) degraded(some func(*App) bool) (list []*App) {
	for _, app := range a.Running {
		if a.reduced(app) && some(app) {
			list = append(list, app)
		}
	}
	slices.SortFunc(list, func(x, y *App) int {
		return cmp.Or(x.Standing[x.Level-1].Compare(y.Standing[y.Level-1]), FirstCome(x, y))
	})
	return list
}

// reduced reports whether an application runs degraded, and keeps that place.
func (a *Roster) reduced(app *App) bool {
	return app.Granted() && app.Level > 0 && app.Update == nil && app.Lost == nil && app.EvictAt.IsZero() && !app.Unusable.Damaged()
}

// due reports whether a degraded application may be restored now.
func (a *allotment) due(app *App) bool {
	return !a.now.Before(a.RestoredFrom(app)) && app.mayGrow(app.Level-1)
}

// raise puts a degraded incumbent on the best level that it may have now.
func (a *allotment) raise(app *App) {
	kept := a.Release(app)
	switch level, loads, pl := a.higher(app, kept); {
	case level < 0:
		a.take(app, kept)
	case pl != nil:
		a.grows(app)
		a.makeRoom(app, app.Spec, pl, kept)
	default:
		a.grows(app)
		a.settle(app, app.Spec, app.Levels, level, -1, loads)
	}
}

// higher finds the best level that a degraded incumbent may have now in place of what it held: it fits and takes loads, or others give
// way for it by a plan. The level is -1 if there is none. It changes nothing.
func (a *allotment) higher(app *App, held []Load) (level int, loads []Load, pl *plan) {
	p := &preemptor{app: app, kept: held, from: app.Level}
	for l := range p.from {
		if app.Levels[l].Loose != nil || !app.mayGrow(l) {
			continue // its pool is gone, or what it depends on is not ready
		}
		loads, short := a.fit(app, &app.Levels[l], -1, held)
		switch {
		case short == nil && a.marginHolds(app, loads, held):
			return l, loads, nil
		case short == nil: // nobody gives way for a margin
		default:
			if pl := a.best(p, l, []int{-1}); pl != nil {
				return l, nil, pl
			}
		}
	}
	return -1, nil, nil
}

// explain finds what is short for a degraded application to run in full.
func (a *allotment) explain(app *App) {
	if full := &app.Levels[0]; full.Loose == nil {
		held := a.Release(app)
		_, app.Short = a.fit(app, full, -1, held)
		a.take(app, held)
	}
}

// RestoredFrom is when a degraded application may be restored.
func (a *Roster) RestoredFrom(app *App) time.Time {
	from := app.Instance.Since.Add(app.RestoreHold())
	return latest(from, app.Instance.Lowered, app.RestoreHold(), app.Policy().MinRuntime)
}

// ProtectedUntil is when others may take from an application that runs: it has then run for the
// minimum time that policy gives it, and had for a while what it was last given.
func (a *Roster) ProtectedUntil(app *App) (until time.Time) {
	if least := app.Policy().MinRuntime; least > 0 {
		until = app.Started().Add(least)
	}
	return latest(until, app.Instance.Raised, app.RestoreHold(), app.Policy().MinRuntime)
}

// latest is the end of the longer hold after something happened, if it did, and no earlier than from.
func latest(from, happened time.Time, hold, other time.Duration) time.Time {
	if at := happened.Add(max(hold, other)); !happened.IsZero() && at.After(from) {
		return at
	}
	return from
}

// RestoreHold is how long the application stays degraded at the least.
func (app *App) RestoreHold() time.Duration {
	return cmp.Or(app.Policy().RestoreHold, RestoreHold)
}

// mayGrow reports whether level l gives no component more than is granted now whose
// dependencies are not ready.
func (app *App) mayGrow(l int) bool {
	for i := range app.Spec.Components {
		comp := &app.Spec.Components[i]
		granted := model.Get(app.Grants, comp.Name).Replicas
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
		q := a.Pools[l.Pool]
		for r, n := range l.Amount {
			if n > HeldOf(held, l.Pool, r) && q.Free(app, r)-n < q.Offered[r]/1000*thousandths {
				return false
			}
		}
	}
	return true
}
