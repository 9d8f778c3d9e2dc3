package arbitration_test

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/inside"
)

// I38. Every sentence of a decision reads back to figures, and they are those of the outcome: the shares that
// tenants and groups had and have, their fair shares and guarantees, priorities and bands, what is asked for and what was
// free. A sentence of another form fails.
func TestSentencesAreTrue(t *testing.T) { holds(t, 4, sentencesAreTrue) }

func sentencesAreTrue(t *rapid.T) {
	s := plain(t).lived(t)
	for range 2 {
		s.arrive()
	}
	if s.short() { // what pools lack is said in other words
		return
	}
	s.Fleet.Platform.Policy.ReserveAfter = time.Minute
	for _, app := range s.Fleet.Applications {
		app.Policy = new(*app.Policy)
		app.Policy.ReserveAfter = time.Duration(s.rng.IntN(3)) * time.Minute
		*app = app.Seal()
	}
	s.tellsTrue(t)
}

// TestSentencesOfTurnsAreTrue: the same where so many exceed the fair share of their tenant that they take turns.
func TestSentencesOfTurnsAreTrue(t *testing.T) {
	holds(t, 1, func(t *rapid.T) { many(t).tellsTrue(t) })
}

// tellsTrue rules, and reads back what the decisions say.
func (s *scene) tellsTrue(t *rapid.T) {
	before := s.clone()
	r := readBack{scene: s, was: before.Ledger, before: before.takes(), look: before.inside()}
	r.ruling, _ = s.step(0)
	r.after = s.takes()
	for _, d := range r.ruling.Decisions {
		for _, v := range d.Displaced {
			r.check(t, d.App, v.App, v.Why)
		}
		if d.Verdict == model.VerdictGranted || d.Verdict == model.VerdictWaiting {
			for _, part := range strings.Split(d.Message, "; ") {
				taker := d.App
				if d.For != "" {
					taker, _ = model.ParseAppID(d.For)
				}
				r.check(t, taker, d.App, part)
			}
		}
	}
}

// readBack compares sentences with the world before and after a ruling.
type readBack struct {
	*scene
	before, after takings
	was           model.Ledger
	look          *inside.Inside
	ruling        model.Ruling
}

const (
	shareWent = `((?:tenant|group) \S+) had (\S+)% and has (\S+)%`
	shareFair = ` \(fair share (\S+)%\)`

	shareExceeded = `admitting it would exceed tenant (\S+)'s fair share \((\S+)%\), so nothing is preempted for it`
)

var forms = []struct {
	words *regexp.Regexp
	true  func(r readBack, taker, loser model.AppID, w []string) bool
}{
	{regexp.MustCompile(`^preempted for \S+: of all capacity ` + shareWent + shareFair + `, ` + shareWent + shareFair + `$`), func(r readBack, _, _ model.AppID, w []string) bool {
		return r.went(w[1], w[2], w[3]) && r.fair(w[1], w[4]) && r.went(w[5], w[6], w[7]) && r.fair(w[5], w[8])
	}},
	{regexp.MustCompile(`^preempted for \S+: it has waited for (\S+) \(reserveAfter\): of all capacity ` + shareWent + shareFair + `, ` + shareWent + shareFair + `$`), func(r readBack, taker, _ model.AppID, w []string) bool {
		return w[1] == r.app(taker).Policy.ReserveAfter.String() && r.Now.Sub(r.since(taker)) >= r.app(taker).Policy.ReserveAfter &&
			r.went(w[2], w[3], w[4]) && r.fair(w[2], w[5]) && r.went(w[6], w[7], w[8]) && r.fair(w[6], w[9])
	}},
	{regexp.MustCompile(`^preempted for \S+: ((?:tenant|group) \S+) takes back its guarantee: of all capacity it had (\S+)% and has (\S+)% \(guarantee (\S+)%\), ` + shareWent + shareFair + `$`), func(r readBack, _, _ model.AppID, w []string) bool {
		return r.went(w[1], w[2], w[3]) && r.guaranteed(w[1], w[4]) && r.went(w[5], w[6], w[7]) && r.fair(w[5], w[8])
	}},
	{regexp.MustCompile(`^preempted for \S+: band (\S+) is served before band (\S+)$`), func(r readBack, taker, loser model.AppID, w []string) bool {
		return w[1] == r.bandOf(taker) && w[2] == r.bandOf(loser) && band(r.app(taker).Priority) < band(r.app(loser).Priority)
	}},
	{regexp.MustCompile(`^preempted for \S+: priority (\d+) is higher than (\d+)$`), func(r readBack, taker, loser model.AppID, w []string) bool {
		high, low := r.app(taker).Priority, r.priorityOf(loser)
		return high > low && w[1] == fmt.Sprint(high) && w[2] == fmt.Sprint(low)
	}},
	{regexp.MustCompile(`^waits for capacity, number (\d+) in the line of its tenant$`), func(r readBack, _, app model.AppID, w []string) bool {
		d, _ := r.ruling.Find(app)
		return fmt.Sprint(d.Position) == w[1]
	}},
	{regexp.MustCompile(`^(?:in full )?it (needs .+)$`), func(r readBack, _, app model.AppID, w []string) bool {
		for _, part := range strings.Split(w[1], " and needs ") {
			if !r.lacks(app, strings.TrimPrefix(part, "needs ")) {
				return false
			}
		}
		return true
	}},
	{regexp.MustCompile(`^(?:everything it asks for is granted|granted less than it asks for, .+) in pools? .+$`), func(r readBack, _, app model.AppID, _ []string) bool { return r.runs(app) }},
	{regexp.MustCompile(`^` + shareExceeded + `$`), func(r readBack, _, app model.AppID, w []string) bool { return r.exceeds(app, w) }},
	{regexp.MustCompile(`^` + shareExceeded + `, however long it waits \(reserveAfter: 0s\)$`), func(r readBack, _, app model.AppID, w []string) bool {
		return r.exceeds(app, w) && r.app(app).Policy.ReserveAfter == 0 && r.lacksShare(app.Tenant)
	}},
	{regexp.MustCompile(`^` + shareExceeded + `, also when it has waited for (\S+) \(reserveAfter\): what others would have to give up would not make room, would leave one of them with as little of its own, or has not run for its minRuntime$`), func(r readBack, _, app model.AppID, w []string) bool {
		return r.exceeds(app, w) && w[3] == r.app(app).Policy.ReserveAfter.String() && r.lacksShare(app.Tenant)
	}},
	{regexp.MustCompile(`^` + shareExceeded + ` yet: at (\S+(?: \S+)?) UTC \(reserveAfter: (\S+)\) it may take from (.+)$`), func(r readBack, _, app model.AppID, w []string) bool {
		d, _ := r.ruling.Find(app)
		return r.exceeds(app, w) && w[4] == r.app(app).Policy.ReserveAfter.String() && r.lacksShare(app.Tenant) && r.takes(app, w[3], w[5]) && r.enough(app, d.Takes.From)
	}},
	{regexp.MustCompile(`^` + shareExceeded + ` yet: from (\S+(?: \S+)?) UTC on \(reserveAfter: (\S+)\) it may take what leaves the outcome fairer$`), func(r readBack, _, app model.AppID, w []string) bool {
		return r.exceeds(app, w) && w[4] == r.app(app).Policy.ReserveAfter.String() && r.lacksShare(app.Tenant) && r.takes(app, w[3], "")
	}},
	{regexp.MustCompile(`^whether and of whom is worked out (?:by the next pass|within the next (\d+) passes)$`), func(r readBack, _, app model.AppID, w []string) bool {
		d, _ := r.ruling.Find(app)
		return d.Takes != nil && d.Takes.From == nil && cmp.Or(w[1], "1") == strconv.Itoa(d.Takes.Within)
	}},
	{regexp.MustCompile(`^tenant (\S+) would then have (\S+)% of all capacity$`), func(r readBack, _, app model.AppID, w []string) bool {
		d, _ := r.ruling.Find(app)
		return w[1] == app.Tenant && d.Takes != nil && near(w[2], d.Takes.Share) && near(w[2], r.shareThen(app, d.Takes.From))
	}},
	{regexp.MustCompile(`^tenant (\S+) has (\S+)% of all capacity, which is no less than its guarantee and its fair share \((\S+)%\), so nothing is preempted for it$`), func(r readBack, _, app model.AppID, w []string) bool {
		return w[1] == app.Tenant && r.has("tenant "+w[1], w[2], r.after) && r.fair("tenant "+w[1], w[3])
	}},
	{regexp.MustCompile(`^policy allows no preemption \(preemption: none\)$`), func(r readBack, _, _ model.AppID, _ []string) bool { return r.shape.Preemption == "none" }},
	{regexp.MustCompile(`^preempting everything of a lower priority in its tenant would not make room \(preemption: within-tenant\)$`), func(r readBack, _, _ model.AppID, _ []string) bool { return r.shape.Preemption == "within-tenant" }},
	{regexp.MustCompile(`^what others would have to give up would not make room, would leave one of them with as little of its own, or has not run for its minRuntime$`), func(r readBack, _, _ model.AppID, _ []string) bool {
		return r.shape.Preemption == "reclaim" || r.shape.Preemption == "any"
	}},
}

func (r readBack) check(t *rapid.T, taker, loser model.AppID, sentence string) {
	for _, form := range forms {
		if w := form.words.FindStringSubmatch(sentence); w != nil {
			if !form.true(r, taker, loser, w) {
				t.Fatalf("%s of %s, for %s, is not what came out", sentence, loser, taker)
			}
			return
		}
	}
	t.Fatalf("%s: %q has no form that reads back", loser, sentence)
}

// node is the tenant or group that a sentence names.
func (r readBack) node(called string) branch {
	_, name, _ := strings.Cut(called, " ")
	for _, b := range r.tree() {
		if b.name == name {
			return b
		}
	}
	return branch{}
}

func (r readBack) went(called, had, has string) bool {
	return r.has(called, had, r.before) && r.has(called, has, r.after)
}

func (r readBack) total() (sum model.Resources) {
	for _, q := range r.Seen.Pools {
		sum = sum.Add(r.offers(q))
	}
	return sum
}

// has reports whether a percentage is what a node takes of all capacity, rounded.
func (r readBack) has(called, percent string, k takings) bool {
	var sum model.Resources
	for id, takes := range k.of {
		if b := r.node(called); b.has(id) {
			sum = sum.Add(takes)
		}
	}
	return near(percent, dominant(sum, r.total()))
}

func (r readBack) guaranteed(called, percent string) bool {
	return near(percent, dominant(r.node(called).guarantee, r.total()))
}

// fair compares with the fair share that was computed for the tenant.
func (r readBack) fair(called, percent string) bool {
	return near(percent, int((r.look.FairShare(strings.TrimPrefix(called, "tenant "))*1000+inside.Whole/2)/inside.Whole))
}

// near reports whether a percentage says so many thousandths; both are rounded once.
func near(percent string, thousandths int) bool {
	whole, tenth, _ := strings.Cut(percent, ".")
	return abs(int(amount("", whole)*10+amount("", tenth))-thousandths) <= 1
}

func (r readBack) bandOf(id model.AppID) string {
	return r.Fleet.Platform.Bands[band(r.priorityOf(id))].Name
}

// priorityOf is that of the spec in Git.
func (r readBack) priorityOf(id model.AppID) int { return r.app(id).Priority }

var needed = regexp.MustCompile(`^(\S+) (\S+) in pool (\S+), where (\S+) is free$`)

// lacks reports whether a decision has the figures of a shortage among its constraints too, and whether these add up.
func (r readBack) lacks(app model.AppID, words string) bool {
	w := needed.FindStringSubmatch(words)
	if w == nil { // a limit of the tree, or domains
		return strings.Contains(words, " may borrow ") || strings.Contains(words, " others lend ") || strings.Contains(words, " domains of pool ")
	}
	d, _ := r.ruling.Find(app)
	at := slices.IndexFunc(d.Constraints, func(c model.Constraint) bool { return c.Name == "free."+w[3]+"."+w[2] })
	if at < 0 {
		return d.Verdict == model.VerdictGranted // in full; see the competitors
	}
	c := d.Constraints[at]
	asked, free := amount(w[2], w[1]), amount(w[2], w[4])
	return asked == amount(w[2], c.Asked) && asked > free && amount(w[2], c.Short) == asked-free
}
