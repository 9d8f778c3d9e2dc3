package solve

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/tier"
)

// I12, I35. At rest no exchange is left that the rules allow and that makes the outcome fairer:
// no tenant or group lacks a part that it is guaranteed, or that is within its fair share, while
// up to three others could give way for it. The twin tries every set of them, each at every level that it
// has, for every level of everybody who waits or runs degraded. Fleets are those of
// TestEveryDisruptionIsFair, with a capacity that changes.
func TestNothingFairerIsLeftAtRest(t *testing.T) {
	wanted := tier.Count(300, 5_000, 20_000)
	rests, tried, byPastUse := 0, 0, 0
	for seed := uint64(1); rests < wanted; seed++ {
		h := newHistory(seed)
		if seed%3 == 0 {
			h.in.Fleet.Platform.HalfLife = time.Hour
		}
		for range 8 {
			h.event()
			h.event()
			h.settle(t)
			rests++
			c := h.stood()
			if c.HalfLife > 0 {
				byPastUse += h.weightsFollow(t, seed, c)
			}
			h.everyExchange(c, func(x *exchange, verdict string) {
				tried++
				require.Contains(t, verdict, "unfair", "seed %d: at rest this is left for %s\n%s", seed, x.taker.ID, x)
			})
		}
	}
	t.Logf("%d fleets at rest, %d exchanges tried; %d weights are scaled by past use", rests, tried, byPastUse)
	require.NotZero(t, byPastUse)
	require.NotZero(t, tried)
}

// settle arbitrates until nothing changes. Past use is written by what changes something.
func (h *history) settle(t *testing.T) {
	for range 40 {
		c := h.stood()
		c.Allot(nil)
		before, past := fmt.Sprint(h.running()), h.in.Ledger.PastUse
		h.apply(c)
		h.in.Now = h.in.Now.Add(2 * ShortageHold)
		if fmt.Sprint(h.running()) == before {
			h.in.Ledger.PastUse = past
			return
		}
	}
	require.Fail(t, "it does not come to rest")
}

// running lists who runs with how much.
func (h *history) running() (list []string) {
	for i := range h.in.Ledger.Instances {
		inst := &h.in.Ledger.Instances[i]
		for _, comp := range inst.Components {
			list = append(list, fmt.Sprint(inst.App, comp.Grant.Replicas, comp.Grant.Requests.CPU, comp.Grant.QoS))
		}
	}
	return list
}

// weightsFollow checks the weights at rest against the ledger: that of everybody who asks for something is the declared one, scaled
// by 2^(1-used/fair) and within a quarter and twice, to a step of a sixteenth of the exponent. It returns how many are scaled.
func (h *history) weightsFollow(t *testing.T, seed uint64, c *Case) (scaled int) {
	tree := byWeights(c, allAsked(c), func(n *Node) int64 { return n.Declared })
	for i := 1; i < len(c.Nodes); i++ {
		n := &c.Nodes[i]
		fair, _ := largest(tree.fair[i]).Float64()
		if fair == 0 {
			continue
		}
		used := 0.0
		if past := h.in.Ledger.PastUse; past != nil {
			for _, u := range past.Nodes {
				if u.Tenant == n.Name || u.Group == n.Name {
					used = float64(u.Used) / (float64(past.HalfLife.Microseconds()) / math.Ln2)
				}
			}
		}
		exponent := min(max(1-used/fair, -2), 1)
		got := math.Log2(float64(n.Weight) / float64(n.Declared*unscaled))
		require.InDelta(t, exponent, got, 1.0/16+0.01, "seed %d: %s used %f of its fair share of %f", seed, n.Name, used, fair)
		if n.Weight != n.Declared*unscaled {
			scaled++
		}
	}
	return scaled
}

// everyExchange judges every exchange that policy allows and that fits: somebody gains a level, and up to three
// others give up as little as it takes.
func (h *history) everyExchange(c *Case, found func(*exchange, string)) {
	e := &exchanges{history: h, c: c, tree: newFractions(c, allAsked(c)), holds: h.holds(c, nil), found: found}
	e.used = e.tree.uses(e.holds)
	for i := range e.holds {
		for l := range e.holds[i].from {
			e.taker, e.level = i, l
			e.giveUp(nil, 0)
		}
	}
}

// exchanges tries what others could give up for one level of one application.
type exchanges struct {
	*history
	c     *Case
	tree  *fractions
	holds []held
	used  [][]*big.Rat
	found func(*exchange, string)

	taker, level int
}

// loss is what one application would give up: all levels above one.
type loss struct{ app, to int }

func (e *exchanges) giveUp(losses []loss, next int) {
	if len(losses) > 0 && e.fits(losses) {
		if e.least(losses) {
			e.judgeOne(losses)
		}
		return
	}
	if len(losses) == 3 {
		return
	}
	for i := next; i < len(e.holds); i++ {
		for to := e.holds[i].from + 1; i != e.taker && to <= len(e.holds[i].levels) && e.mayTake(i, to-1); to++ {
			e.giveUp(append(slices.Clip(losses), loss{i, to}), i+1)
		}
	}
}

// fits reports whether the level fits when others have given up so much. There is one pool.
func (e *exchanges) fits(losses []loss) bool {
	sum := e.c.Zero()
	for i := range e.holds {
		sum.Add(e.at(i, losses))
	}
	return sum.Fits(e.c.Total)
}

// at is what an application uses after an exchange.
func (e *exchanges) at(i int, losses []loss) Vector {
	h := &e.holds[i]
	level := h.from
	if i == e.taker {
		level = e.level
	}
	for _, l := range losses {
		if l.app == i {
			level = l.to
		}
	}
	switch {
	case level == h.from:
		return h.uses
	case level == len(h.levels):
		return e.c.Zero()
	}
	return h.levels[level].lasts
}

// least reports whether nobody could keep one level more.
func (e *exchanges) least(losses []loss) bool {
	for k := range losses {
		less := slices.Clone(losses)
		if less[k].to--; less[k].to == e.holds[less[k].app].from {
			less = slices.Delete(less, k, k+1)
		}
		if e.fits(less) {
			return false
		}
	}
	return true
}

// gains is the weakest standing of what the taker would gain.
func (e *exchanges) gains() Standing {
	h := &e.holds[e.taker]
	return slices.MaxFunc(h.stands[e.level:h.from], Standing.Compare)
}

// mayTake reads the table of rule 7: whether what is gained may take the place of a part.
func (e *exchanges) mayTake(i, l int) bool {
	app, v, s, z := e.holds[e.taker].app, e.holds[i].app, e.gains(), e.holds[i].stands[l]
	anyBand := e.c.Fleet.Platform.Policy.Preemption == "any"
	switch {
	case app.Tenant == v.Tenant:
		return app.Priority > v.Priority && s.Compare(z) < 0
	case z.Class == WithinGuarantee:
		return false
	case anyBand && app.Band < v.Band:
		return true
	case !e.tree.missesSome(e.used, app.Tenant):
		return false
	}
	return s.Class == WithinGuarantee || s.Class == WithinFairShare && app.Band <= v.Band && (z.Class > WithinSlack || z.Class == WithinFairShare)
}

// onlyGuaranteed reports whether one of those that give way, the worst standing first, is in a tenant or a
// group without the taker that has no more than it is guaranteed when its turn comes.
func (e *exchanges) onlyGuaranteed(x *exchange, losses []loss) bool {
	base := func(l loss) Standing { return e.holds[l.app].stands[len(e.holds[l.app].stands)-1] }
	losses, now := slices.Clone(losses), slices.Clone(x.before)
	slices.SortFunc(losses, func(l, m loss) int {
		return cmp.Or(base(m).Compare(base(l)), FirstCome(e.holds[m.app].app, e.holds[l.app].app))
	})
	for _, l := range losses {
		used := e.tree.uses(now)
		for _, i := range e.tree.above(now[l.app].app.Tenant) {
			if slices.Contains(e.tree.above(x.taker.Tenant), i) {
				break
			}
			if fitsRow(used[i], e.tree.floor[i]) {
				return true
			}
		}
		now[l.app] = x.after[l.app]
	}
	return false
}

// judgeOne judges an exchange between tenants in which what runs stands better afterwards.
func (e *exchanges) judgeOne(losses []loss) {
	x := &exchange{c: e.c, kind: "at rest", taker: e.holds[e.taker].app, tree: e.tree, before: e.holds, after: slices.Clone(e.holds)}
	x.after[e.taker].from, x.after[e.taker].uses = e.level, e.at(e.taker, losses)
	others := false
	for _, l := range losses {
		x.after[l.app].from, x.after[l.app].uses = l.to, e.at(l.app, losses)
		others = others || x.after[l.app].app.Tenant != x.taker.Tenant
	}
	if others && !e.onlyGuaranteed(x, losses) && x.standsBetter() {
		e.found(x, e.judge(x))
	}
}
