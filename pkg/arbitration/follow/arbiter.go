package follow

import (
	"time"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// Arbiter decides as Decide does, and remembers the last arbitration so that the
// next one costs as much as what changed. It decides everything from scratch where more
// changed than applications and their records. A decision that does not change keeps the
// sentences, shares and inputs with which it was made. An Arbiter is not safe for
// concurrent use; a ruling is good until the next call, and inputs must never be
// changed after the call.
type Arbiter struct {
	solve   func(solve.Inputs) *solve.Case // everything, from scratch
	advises bool
	last    *tracker
	ruling  model.Ruling
	wake    time.Time // when time alone can change the ruling, zero: never
	moved   bool      // the last ruling moved something, or looked at a part
}

// New returns an arbiter that knows nothing yet. Decide is the whole arbitration
// from scratch.
func New(decide func(solve.Inputs) *solve.Case) *Arbiter {
	return &Arbiter{solve: decide, advises: true}
}

// Silent returns an arbiter that knows nothing yet and advises nobody.
func Silent(decide func(solve.Inputs) *solve.Case) *Arbiter { return &Arbiter{solve: decide} }

// Decide rules as arbitration.Decide does, a silent arbiter as arbitration.Rule.
func (a *Arbiter) Decide(fleet model.Fleet, seen model.Observation, ledger model.Ledger, now time.Time) model.Ruling {
	if fleet.Platform == nil {
		a.last = nil
		return model.Ruling{}
	}
	t, e := a.last, &edits{Inputs: solve.Inputs{Fleet: fleet, Seen: seen, Ledger: ledger, Now: now}}
	switch {
	case t == nil || now.Before(t.Now) || !t.Returns.IsZero() && !now.Before(t.Returns) || !t.compare(e):
		t = newTracker(e.Inputs, a.solve, a.advises)
		a.last, a.ruling = t, t.all()
	case len(e.apps) == 0 && !e.past && !a.moved && !t.unfinished && (len(t.Newcomers) == 0 || now.Equal(t.Now)) && (a.wake.IsZero() || now.Before(a.wake)):
		t.Fleet, t.Ledger, t.Seen = fleet, ledger, seen
		a.ruling.PastUse = t.PastUse(ledger.PastUse, now)
		return a.ruling
	default:
		a.ruling = t.follow(e)
	}
	a.wake, a.moved = t.wakes(), !t.AtRest() || solve.TurnsRemain(t.Case)
	return a.ruling
}

// Forget makes the next decision start from scratch: what was ruled last was not
// saved, or another program has decided since.
func (a *Arbiter) Forget() { a.last = nil }

// wakes is when time alone can change the ruling next, zero: never.
func (t *tracker) wakes() (at time.Time) {
	soonest := func(next time.Time) {
		if next.After(t.Now) && (at.IsZero() || next.Before(at)) {
			at = next
		}
	}
	soonest(t.Returns)
	for _, app := range t.Running {
		if !app.Granted() {
			continue
		}
		if app.Level > 0 {
			soonest(t.RestoredFrom(app))
		}
		soonest(t.ProtectedUntil(app))
		soonest(app.Ending.Until)
		soonest(app.EvictAt)
	}
	if !t.Patient {
		return at
	}
	for _, line := range t.Pending {
		for _, app := range line {
			if after := app.Policy().ReserveAfter; after > 0 && app.Verdict == model.VerdictWaiting {
				soonest(app.WaitsSince(t.Now).Add(after))
			}
		}
	}
	return at
}
