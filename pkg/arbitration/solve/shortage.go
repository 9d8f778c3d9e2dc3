package solve

import (
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// ShortageHold is how long a pool must have been short of what was granted before
// an application that cannot be degraded loses its place. The decision announces it.
const ShortageHold = time.Minute

// shortages lets incumbents give way where a pool holds less than was granted of
// it, worst standing first: by degradation at once, by eviction when the shortage
// has lasted for ShortageHold.
func (a *allotment) shortages() {
	for at, q := range a.Pools {
		a.domainShortages(at)
		var needs []need
		if q.Used.Fits(q.Offered) {
			continue
		}
		untold := a.untold(q.Name)
		for r := range q.Used {
			if over := q.Used[r] - untold[r] - q.Offered[r]; over > 0 {
				needs = append(needs, need{Shortage{Pool: at, Resource: r, Asked: q.Used[r], Free: q.Offered[r]}, over})
			}
		}
		if len(needs) > 0 {
			a.relieve("pool "+q.Name, needs)
		}
	}
}

// domainShortages lets gangs give way that stand in a domain of a pool that holds less than they take, as where its nodes
// are gone: they cannot go to another one while they run.
func (a *allotment) domainShortages(at int) {
	q := a.Pools[at]
	for _, d := range q.domains {
		if d.taken.Fits(d.capacity) || d.nodes == 0 && !d.gone {
			continue
		}
		taken, over := a.Zero(), ""
		for _, app := range a.Running {
			if g := a.bound(app); g != nil {
				over = g.over
				for r := range taken {
					taken[r] += insideOf(app.Taken, at, d.name, r)
				}
			}
		}
		var needs []need
		for r, n := range taken {
			if n > d.capacity[r] {
				needs = append(needs, need{Shortage{Pool: at, Resource: r, Asked: n, Free: d.capacity[r], Gang: &GangShort{Over: over, In: d.name}}, n - d.capacity[r]})
			}
		}
		if len(needs) > 0 {
			a.relieve(over+" "+d.name+" of pool "+q.Name, needs)
		}
	}
}

// bound is the gang of an application that has to stay in one domain, nil if it has none.
func (a *allotment) bound(app *App) *gang {
	if !app.Granted() || app.Level < 0 || app.Levels[app.Level].gang == nil || !app.Levels[app.Level].gang.required {
		return nil
	}
	return app.Levels[app.Level].gang
}

// relieve covers the needs of a pool or a domain of one. Where names it. Of those that stand alike and would do as well the youngest
// gives way, whatever each runs now. So who is told that it loses its place is chosen again in the next pass, though it was degraded by then.
func (a *allotment) relieve(where string, needs []need) {
	var options []*option
	for _, at := range a.all() {
		v := at.app
		if !v.Granted() || len(v.Taken) == 0 || needs[0].Gang != nil && a.bound(v) == nil {
			continue
		}
		if held := a.frees(v, nil, needs); !held.isNothing() {
			last := len(v.Levels) - 1
			options = append(options, &option{app: v, lowest: last, evict: true, least: v.Base(), all: held, gains: a.gains(v, last, held, needs)})
		}
	}
	slices.SortFunc(options, func(x, y *option) int { return FirstCome(y.app, x.app) })
	for _, m := range choose(options, needs) {
		a.giveWay(where, m)
	}
}

// giveWay degrades or evicts an incumbent because of a shortage, or announces that.
func (a *allotment) giveWay(where string, m move) {
	v := m.option.app
	announced := a.now.Add(ShortageHold)
	if d, ok := a.ledger.Decision(v.ID); ok && !d.EvictAt.IsZero() {
		announced = d.EvictAt
	}
	a.noteChange(v)
	switch {
	case m.to >= 0:
		a.degrade(v, m.to)
		v.shrunk = true
		v.Message = "granted less, because " + where + " holds less than was granted of it"
	case !a.now.Before(announced):
		a.Release(v)
		v.Verdict, v.Reason, v.Level, v.Grants = model.VerdictEvicted, model.ReasonCapacityShort, -1, nil
		v.Message = "loses its place: " + where + " has held less than was granted of it for " + ShortageHold.String()
	default:
		// Until then it is degraded as far as it can be.
		if last := len(v.Levels) - 1; v.Level < last {
			a.degrade(v, last)
		}
		v.Reason = model.ReasonCapacityShort
		v.Message = where + " holds less than was granted of it; the application loses its place if that lasts for " + ShortageHold.String()
		v.EvictAt = announced
	}
}
