package solve

import (
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
	for at := range a.Pools {
		q := &a.Pools[at]
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
			a.relieve(q, needs)
		}
	}
}

// relieve covers the needs of one pool.
func (a *allotment) relieve(q *Pool, needs []need) {
	w := a.ranked()
	var options []*option
	for i := range w.all {
		v := w.all[i].app
		if !v.Granted() || len(v.Taken) == 0 {
			continue
		}
		if held := a.frees(v, nil, needs); !held.isNothing() {
			last := len(v.Levels) - 1
			options = append(options, &option{app: v, lowest: last, evict: true, least: v.Base(), all: held, gains: a.gains(v, last, held, needs)})
		}
	}
	for _, m := range choose(options, needs) {
		a.giveWay(q, m)
	}
}

// giveWay degrades or evicts an incumbent because of a shortage, or announces that.
func (a *allotment) giveWay(q *Pool, m move) {
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
		v.Message = "granted less, because pool " + q.Name + " holds less than was granted of it"
	case !a.now.Before(announced):
		a.Release(v)
		v.Verdict, v.Reason, v.Level, v.Grants = model.VerdictEvicted, model.ReasonCapacityShort, -1, nil
		v.Message = "loses its place: pool " + q.Name + " has held less than was granted of it for " + ShortageHold.String()
	default:
		// Until then it is degraded as far as it can be.
		if last := len(v.Levels) - 1; v.Level < last {
			a.degrade(v, last)
		}
		v.Reason = model.ReasonCapacityShort
		v.Message = "pool " + q.Name + " holds less than was granted of it; the application loses its place if that lasts for " + ShortageHold.String()
		v.EvictAt = announced
	}
}
