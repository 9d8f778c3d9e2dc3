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
	for _, c := range a.Running {
		if c.Granted() && c.Level > 0 && c.Spec == c.Accepted() && c.Lost == nil && c.EvictAt.IsZero() && a.due(c) {
			degraded = append(degraded, c)
		}
	}
	slices.SortFunc(degraded, func(x, y *App) int {
		return cmp.Or(x.Standing[x.Level-1].Compare(y.Standing[y.Level-1]), FirstCome(x, y))
	})
	for _, c := range degraded {
		held := a.Release(c)
		for l := 0; l < c.Level; l++ {
			if c.Levels[l].Loose != nil || !c.mayGrow(l) {
				continue // its pool is gone, or what it depends on is not ready
			}
			loads, short := a.fit(c, &c.Levels[l], -1, held)
			if short == nil && a.marginHolds(c, loads, held) {
				a.settle(c, c.Spec, c.Levels, l, -1, loads)
				break
			}
			if l == 0 {
				c.Short = short
			}
		}
		if c.Taken == nil {
			a.take(c, held)
		}
	}
}

// due reports whether a degraded application may be restored now.
func (a *allotment) due(c *App) bool {
	return a.now.Sub(c.Instance.Since) >= c.RestoreHold() && c.mayGrow(c.Level-1)
}

// restoreHold is how long the application stays degraded at the least.
func (c *App) RestoreHold() time.Duration {
	if hold := c.Policy().RestoreHold; hold != 0 {
		return hold
	}
	return RestoreHold
}

// mayGrow reports whether level l gives no component more than is granted now whose
// dependencies are not ready.
func (c *App) mayGrow(l int) bool {
	for i := range c.Spec.Components {
		comp := &c.Spec.Components[i]
		for _, name := range comp.DependsOn {
			state, ok := c.Instance.Component(name)
			if more, _ := ReplicasAt(comp, c.Levels[l].Cut); ok && !Ready(state) && more > c.replicas(comp.Name) {
				return false
			}
		}
	}
	return true
}

func Ready(s *model.ComponentState) bool {
	return s.State == model.StateReady || s.State == model.StateDone || s.State == model.StateOff || s.State == ""
}

// replicas is how many of a component are granted.
func (c *App) replicas(component string) int {
	for i := range c.Grants {
		if c.Grants[i].Component == component {
			return c.Grants[i].Replicas
		}
	}
	return 0
}

// marginHolds reports whether the margin that policy wants stays free in the pools
// that the application would take more of.
func (a *allotment) marginHolds(c *App, loads, held []Load) bool {
	thousandths := int64(c.Policy().RestoreMargin)
	if thousandths <= 0 {
		return true
	}
	for _, l := range loads {
		q := &a.Pools[l.Pool]
		for r, n := range l.Amount {
			if n > HeldOf(held, l.Pool, r) && q.Free(c, r)-n < q.Offered[r]/1000*thousandths {
				return false
			}
		}
	}
	return true
}
