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
		for r := range q.Used {
			if over := q.Used[r] - q.Offered[r]; over > 0 {
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
	for _, v := range w.all {
		if !v.Granted() || len(v.Taken) == 0 {
			continue
		}
		o := &option{app: v, lowest: len(v.Levels) - 1, evict: true, least: v.Base()}
		o.all = a.frees(v, nil, needs)
		if isNothing(o.all) {
			continue
		}
		for l := v.Level + 1; l < len(v.Levels); l++ {
			gain := a.frees(v, &v.Levels[l], needs)
			for i := range gain {
				gain[i] = max(0, o.all[i]-gain[i])
			}
			o.Gains = append(o.Gains, gain)
		}
		options = append(options, o)
	}
	for _, m := range choose(options, needs) {
		a.giveWay(q, m)
	}
}

// giveWay carries out what a shortage asks of an incumbent.
func (a *allotment) giveWay(q *Pool, m move) {
	v := m.option.app
	a.noteChange(v)
	switch {
	case m.to >= 0:
		a.degrade(v, m.to)
		v.Message = "granted less, because pool " + q.Name + " holds less than was granted of it"
	case a.announced(v):
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
		if v.EvictAt = announcement(a.ledger, v); v.EvictAt.IsZero() {
			v.EvictAt = a.now.Add(ShortageHold)
		}
	}
}

// announced reports whether the time has come that an earlier decision announced.
func (a *allotment) announced(v *App) bool {
	at := announcement(a.ledger, v)
	return !at.IsZero() && !a.now.Before(at)
}

// announcement is when an earlier decision said that the application would lose
// its place, zero if none did.
func announcement(ledger *model.Ledger, app *App) time.Time {
	if d := Recorded(ledger, app.ID); d != nil {
		return d.EvictAt
	}
	return time.Time{}
}
