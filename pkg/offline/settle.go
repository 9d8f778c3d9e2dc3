package offline

import (
	"slices"
	"sort"
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
			n.add("after %d rounds the fleet is not at rest; these keep changing: %s", mostRounds, text.Enumerate(restless(&out.Next, &next.Next), 8))
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
		return len(restless(&was, &out.Next)) > 0
	}
	if changes(c.Now) {
		return out, true
	}
	now := c.Now
	ends := waits(c, now)
	if len(ends) == 0 || !changes(ends[len(ends)-1]) {
		c.Now = now
		return out, false
	}
	first := sort.Search(len(ends)-1, func(i int) bool { return changes(ends[i]) })
	return out, changes(ends[first])
}

// restless names the applications whose records differ.
func restless(was, is *model.Ledger) (names []string) {
	before := recordsOf(was)
	for app, digest := range recordsOf(is) {
		if before[app] != digest {
			names = append(names, app.String())
		}
	}
	slices.Sort(names)
	return names
}

// recordsOf returns digests of what the ledger says of each application, but for advice, which moves nothing.
func recordsOf(l *model.Ledger) map[model.AppID]model.Digest {
	records := map[model.AppID]model.Digest{}
	for i := range l.Instances {
		in := &l.Instances[i]
		var d model.Decision
		if made, ok := l.Decision(in.App); ok {
			d = *made
			d.Advice, d.Advised = nil, nil
		}
		records[in.App] = model.DigestOf([]any{in, in.SpecDigest(), in.Run, d})
	}
	return records
}
