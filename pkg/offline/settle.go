package offline

import (
	"cmp"
	"iter"
	"reflect"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/turn"
)

// mostRounds is how many passes a fleet may take to come to rest.
const mostRounds = 50

// settle takes turn after turn, from the outcome of the first one on, until the ledger stays as it is, and returns the
// last outcome. Rounds gets those that change something for people; nil leaves them out.
func settle(c turn.Case, out turn.Outcome, rounds *[]plan.Round, n *notes) plan.Outcome {
	n.add("the rounds assume that everything that starts becomes ready, that what stops is gone before the next round, that no job ends, and that nobody approves or changes anything; the clock goes on only to the end of a wait")
	last := outcomeOf(out)
	for number := 2; ; number++ {
		c.Ledger, c.Orphans, c.Tallies = out.Next, out.Next.Orphans, out.Tallies
		c.Seen.Workloads = turn.AsStarted(&c.Ledger)
		next, moved := advance(&c)
		if !moved {
			return last
		}
		if number > mostRounds {
			n.add("after %d rounds the fleet is not at rest; these keep changing: %s", mostRounds, text.Enumerate(slices.Collect(restless(&out.Next, &next.Next)), 8))
			return last
		}
		is := outcomeOf(next)
		if rounds != nil {
			if r := plan.RoundOf(number, c.Now, &last, &is); !r.Changes().Empty() {
				*rounds = append(*rounds, r)
			}
		}
		out, last = next, is
	}
}

// advance takes the next turn that changes something: now, else at the end of the first wait that leads to it. It sets
// the clock of the case. Rules of time say from when something may be, so what the last wait does not change, no earlier
// one does.
func advance(c *turn.Case) (out turn.Outcome, moved bool) {
	was := c.Ledger
	changes := func(at time.Time) bool {
		c.Now = at
		out = turn.Take(*c)
		for range restless(&was, &out.Next) {
			return true
		}
		return false
	}
	if changes(c.Now) {
		return out, true
	}
	now := c.Now
	ends := waits(c, now)
	last := len(ends) - 1
	if last < 0 || !changes(ends[last]) {
		c.Now = now
		return out, false
	}
	found := out
	for first, step := 0, 1; first < last; { // nearly always it is one of the first few
		at := min(first+step-1, (first+last)/2)
		if changes(ends[at]) {
			last, found = at, out
		} else {
			first, step = at+1, 2*step
		}
	}
	c.Now = ends[last]
	return found, true
}

// restless yields the names of the applications of which the later ledger says something else than the earlier one, but for
// advice, which moves nothing.
func restless(was, is *model.Ledger) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range is.Instances {
			in := &is.Instances[i]
			if old, ok := was.Find(in.App); ok && sameRecord(old, in) && sameRuling(was, is, in.App) {
				continue
			}
			if !yield(in.App.String()) {
				return
			}
		}
	}
}

// sameRecord reports whether two records of an application are saved alike. Nearly always they are deeply equal, and it costs much less
// to find that than to encode them.
func sameRecord(x, y *model.Instance) bool {
	saved := func(in *model.Instance) model.Digest { return model.DigestOf([]any{in, in.SpecDigest(), in.Run}) }
	return reflect.DeepEqual(x, y) || saved(x) == saved(y)
}

// sameRuling reports whether two ledgers decide alike on an application.
func sameRuling(was, is *model.Ledger, app model.AppID) bool {
	ruled := func(l *model.Ledger) (d model.Decision) {
		if made, ok := l.Decision(app); ok {
			d = *made
			d.Advice, d.Advised, d.Revision = nil, nil, model.Revision{}
		}
		return d
	}
	x, y := ruled(was), ruled(is)
	return reflect.DeepEqual(x, y) || model.DigestOf(x) == model.DigestOf(y)
}

// waits are the times after now, in order, until which a rule of time may hold something back: how long what was lowered
// or raised is left alone, the minimum run time of what others want, free capacity that is kept for who waits, the grace
// of an eviction, a pause after failures, a step of a workflow. Deadlines are none of them: nobody waits for these.
func waits(c *turn.Case, now time.Time) []time.Time {
	w := ends{after: now, policies: map[model.AppID]*model.Policy{}}
	for _, app := range c.Fleet.Applications {
		w.policies[app.ID] = &app.Policy
	}
	short := slices.ContainsFunc(c.Ledger.Decisions, func(d model.Decision) bool {
		return d.Verdict == model.VerdictWaiting || d.Degraded || d.Refused != nil
	})
	for i := range c.Ledger.Instances {
		in := &c.Ledger.Instances[i]
		w.pauses(in)
		if short {
			w.holds(in)
		}
		if d, ok := c.Ledger.Decision(in.App); ok {
			w.add(d.EvictAt, 0)
		}
	}
	slices.SortFunc(w.times, time.Time.Compare)
	return slices.CompactFunc(w.times, time.Time.Equal)
}

// ends are the ends of waits.
type ends struct {
	after    time.Time
	policies map[model.AppID]*model.Policy // of the specs in Git
	times    []time.Time
}

func (e *ends) add(from time.Time, wait time.Duration) {
	if at := from.Add(wait); !from.IsZero() && at.After(e.after) {
		e.times = append(e.times, at)
	}
}

// pauses adds what an instance does by itself later.
func (e *ends) pauses(in *model.Instance) {
	e.add(in.Returns, 0)
	for i := range in.Components {
		e.add(in.Components[i].Pause, 0)
	}
	if in.Run == nil || in.Run.Phase.Ended() {
		return
	}
	for i := range in.Run.Steps {
		switch s := &in.Run.Steps[i]; s.Phase {
		case model.StepActive:
			e.add(s.Until, 0)
		case model.StepRetrying:
			e.add(s.Next, 0)
		}
	}
}

// holds adds until when arbitration leaves an instance as it is.
func (e *ends) holds(in *model.Instance) {
	policy := e.policies[in.App]
	if policy == nil && in.Spec != nil {
		policy = &in.Spec.Policy
	}
	switch {
	case policy == nil:
	case in.Phase == model.PhaseAdmitted:
		e.add(in.Since, policy.ReserveAfter)
	case in.Phase.Active():
		began := []time.Time{in.Since, in.Lowered, in.Raised}
		for i := range in.History {
			began = append(began, in.History[i].At)
		}
		for _, from := range began {
			e.add(from, cmp.Or(policy.RestoreHold, solve.RestoreHold))
			e.add(from, policy.MinRuntime)
		}
	}
}
