package offline

import (
	"iter"
	"reflect"
	"slices"
	"time"

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
