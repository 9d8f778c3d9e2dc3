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

// I7, I12, I35. At rest no exchange is left that the rules allow and that makes the outcome fairer:
// no tenant or group lacks a part that it is guaranteed, or that is within its fair share, no higher band where policy says any,
// and no higher priority inside a tenant, while any number of others could give way for it. The twin tries every set of them, each at every
// level that it has, that is needed whole, for every level, flavour and pool of everybody who waits, grows or runs degraded. Fleets are those of
// TestEveryDisruptionIsFair, with a capacity that changes, and crowded ones of many small applications.
func TestNothingFairerIsLeftAtRest(t *testing.T) {
	wanted := tier.Count(300, 1_500, 100_000)
	rests, tried, byPastUse, byPools, limited, most := 0, 0, 0, 0, 0, 0
	for seed := uint64(1); rests < wanted; seed++ {
		h := newHistory(seed)
		if seed%3 == 0 {
			h.in.Fleet.Platform.HalfLife = time.Hour
		}
		h.divide([]string{"other", "third"}[:seed%4%3]...)
		if seed%5 < 2 {
			h.limit()
		}
		if h.crowded = seed%2 == 0; h.crowded {
			for range []int{10 + h.rng.IntN(30), 30 + h.rng.IntN(60)}[seed/2%2] {
				h.arrive()
			}
		}
		for range 8 {
			h.event()
			h.event()
			h.settle(t, seed)
			rests++
			c := h.stood()
			if c.HalfLife > 0 {
				byPastUse += h.weightsFollow(t, seed, c)
			}
			h.everyExchange(c, func(x *exchange, verdict string) {
				if tried++; len(h.others) > 0 {
					byPools++
				}
				if h.limited {
					limited++
				}
				most = max(most, x.losers())
				require.Contains(t, verdict, "unfair", "seed %d: at rest this is left for %s\n%s", seed, x.taker.ID, x)
			})
		}
	}
	t.Logf("%d fleets at rest, %d exchanges tried, %d of them where there are several pools and %d where there are limits, quotas and racks, with up to %d that give way; %d weights are scaled by past use", rests, tried, byPools, limited, most, byPastUse)
	require.NotZero(t, limited)
	require.NotZero(t, byPastUse)
	require.NotZero(t, byPools)
	require.Greater(t, most, 3)
}

// losers is how many give way in an exchange.
func (x *exchange) losers() (n int) {
	for i := range x.before {
		if x.after[i].from > x.before[i].from {
			n++
		}
	}
	return n
}

// settle arbitrates until nothing changes. Past use is written by what changes something.
func (h *history) settle(t *testing.T, seed uint64) {
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
	require.Fail(t, "it does not come to rest", "seed %d", seed)
}

// running lists which spec runs where with how much, and who is to lose its place.
func (h *history) running() (list []string) {
	for i := range h.in.Ledger.Decisions {
		list = append(list, fmt.Sprint(h.in.Ledger.Decisions[i].App, h.in.Ledger.Decisions[i].EvictAt))
	}
	for i := range h.in.Ledger.Instances {
		inst := &h.in.Ledger.Instances[i]
		for _, comp := range inst.Components {
			list = append(list, fmt.Sprintf("%v %p", inst.App, inst.Spec), fmt.Sprint(comp.Grant.Pool, comp.Grant.Replicas, comp.Grant.Requests.CPU, comp.Grant.QoS))
		}
	}
	return list
}

// weightsFollow checks the weights at rest against the ledger: that of everybody who asks for something is the declared one, scaled
// by 2^(1-used/fair) and within a quarter and twice, to a step of a sixteenth of the exponent. It returns how many are scaled.
func (h *history) weightsFollow(t *testing.T, seed uint64, c *Case) (scaled int) {
	tree := byWeights(c, allAsked(c), func(n *Node) int64 { return n.Declared })
	for i := 1; i < len(c.Nodes); i++ {
		n := c.Nodes[i]
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

// everyExchange judges every exchange that policy allows and that fits: somebody gains a level, and any number of
// others give up as little as it takes.
func (h *history) everyExchange(c *Case, found func(*exchange, string)) {
	e := &exchanges{history: h, c: c, tree: newFractions(c, allAsked(c)), holds: h.holds(c, nil), found: found, limits: limitsNow(c)}
	e.tree.thousandth = new(big.Rat).Add(big.NewRat(1, 1000), blur) // nothing is left for what rounding may take off
	used := e.tree.uses(e.holds)
	for i := range c.Nodes {
		e.misses = append(e.misses, e.tree.missesSome(used, i))
	}
	for i, app := range c.Apps {
		e.taker = i
		e.everyLevel(e.holds[i])
		if app.Update != nil && app.Granted() {
			newer := h.holds(c, app)[i]
			newer.levels, newer.stands, newer.ranks = app.Update.levels, app.Update.standing, ranksOfUpdate(c, app)
			e.everyLevel(newer)
		}
		for n := 1; n < len(app.Variants) && !app.Granted(); n++ {
			flavour := e.holds[i]
			flavour.levels, e.onlyFree = app.Variants[n].levels, !app.Variants[n].claims
			e.everyLevel(flavour)
		}
		e.onlyFree = false
	}
}

// ranksOfUpdate are those of all parts of the newer spec of an application.
func ranksOfUpdate(c *Case, app *App) []Rank {
	newer := *app
	newer.Levels, newer.Standing, newer.before = app.Update.levels, app.Update.standing, app.Update.before
	return ranksOf(c, &newer)
}

// exchanges tries what others could give up for one level of one application.
type exchanges struct {
	*history
	c      *Case
	tree   *fractions
	holds  []held
	misses []bool // by node: it, or a group of it, has less than what is its own
	found  func(*exchange, string)

	limits *limits
	loads  []Load // of the level, in the pool

	taker    int
	onlyFree bool // nobody gives way: it is a flavour that asks for more
	wants    held // what it runs, with the levels that it could get
	level    int
	missing  []missing
	offers   []offer
	most     [][]int64 // by offer: what that one and all after it free
}

// missing is how much of a resource has to become free: of a pool, or a rack of it, or of what a tenant or group may have,
// in a pool or in all.
type missing struct {
	node, pool, resource int // 0: all of them; -1: all of them
	rack                 string
	amount               int64
}

// of is what an application of a tenant holds of it.
func (m *missing) of(e *exchanges, tenant int, loads []Load) (n int64) {
	for _, l := range loads {
		switch {
		case m.node > 0 && !slices.Contains(e.tree.above(tenant), m.node) || m.pool >= 0 && m.pool != l.Pool || m.rack != "" && m.rack != l.In:
		case m.rack != "":
			n += l.Inside[m.resource]
		default:
			n += l.Amount[m.resource]
		}
	}
	return n
}

// offer is what an application frees at each of the levels that it may be degraded to; the last one may be none.
type offer struct {
	app   int
	to    []int
	frees [][]int64
}

// loss is what one application would give up: all levels above one.
type loss struct{ app, to int }

// everyLevel tries every level that an application could get, in every pool that it may run in.
func (e *exchanges) everyLevel(wants held) {
	pools := []int{-1}
	if wants.levels != nil && wants.levels[0].Loose != nil {
		pools = pools[:0]
		for at := range e.c.Pools {
			pools = append(pools, at)
		}
	}
	for e.wants, e.level = wants, 0; e.level < wants.from; e.level++ {
		for _, at := range pools {
			for _, rack := range e.racks(at) {
				e.lacks(at, rack)
				e.offer()
				e.giveUp(nil, 0, make([]int64, len(e.missing)))
			}
		}
	}
}

// racks are those in which the level may stand together: the one in which the application does, or any of the pool. None is named
// where that makes no difference.
func (e *exchanges) racks(at int) (names []string) {
	g := e.wants.levels[e.level].gang
	if g == nil || !g.required || g.amount.isNothing() {
		return []string{""}
	}
	if g.pool >= 0 {
		at = g.pool
	}
	for _, l := range e.wants.app.Taken {
		if l.Pool == at && l.In != "" {
			return []string{l.In}
		}
	}
	for i := range e.c.Pools[at].domains {
		if d := e.c.Pools[at].domains[i]; !d.gone {
			names = append(names, d.name)
		}
	}
	return names
}

// lacks lists what is missing for the level in a pool, and in a rack.
func (e *exchanges) lacks(at int, rack string) {
	e.loads = e.wants.levels[e.level].loads(at)
	e.missing = e.limits.lacks(e.wants.app, e.loads, e.wants.app.Taken)
	for _, load := range e.loads {
		q := e.c.Pools[load.Pool]
		for r, n := range load.Amount {
			kept := HeldOf(e.wants.app.Taken, load.Pool, r)
			if lacks := n - kept - q.Offered[r] + q.Used[r]; n > kept && lacks > 0 {
				e.missing = append(e.missing, missing{pool: load.Pool, resource: r, amount: lacks})
			}
		}
	}
	if rack == "" {
		return
	}
	g := e.wants.levels[e.level].gang
	if g.pool >= 0 {
		at = g.pool
	}
	for i := range e.c.Pools[at].domains {
		d := e.c.Pools[at].domains[i]
		for r, n := range g.amount {
			kept := insideOf(e.wants.app.Taken, at, rack, r)
			if lacks := n - kept - d.capacity[r] + d.taken[r] + d.used[r]; d.name == rack && n > kept && lacks > 0 {
				e.missing = append(e.missing, missing{pool: at, rack: rack, resource: r, amount: lacks})
			}
		}
	}
}

// offer lists what others may give up, as far as that frees something that is missing.
func (e *exchanges) offer() {
	e.offers = nil
	for i := range e.holds {
		h, o, last := &e.holds[i], offer{app: i}, make([]int64, len(e.missing))
		for to := h.from + 1; i != e.taker && !e.onlyFree && to <= len(h.levels) && e.mayTake(i, to-1); to++ {
			frees, more := make([]int64, len(e.missing)), false
			for k, m := range e.missing {
				frees[k] = m.of(e, h.app.Tenant, h.app.Taken)
				if to < len(h.levels) {
					frees[k] -= m.of(e, h.app.Tenant, h.levels[to].of(h.app))
				}
				more = more || frees[k] > last[k]
			}
			if more {
				o.to, o.frees, last = append(o.to, to), append(o.frees, frees), frees
			}
		}
		if o.to != nil {
			e.offers = append(e.offers, o)
		}
	}
	e.most = [][]int64{make([]int64, len(e.missing))}
	for _, o := range slices.Backward(e.offers) {
		e.most = append(e.most, plus(e.most[len(e.most)-1], o.frees[len(o.frees)-1]))
	}
	slices.Reverse(e.most)
}

// giveUp tries what is freed by some losses and by each choice among the offers from one on.
func (e *exchanges) giveUp(losses []loss, next int, freed []int64) {
	switch {
	case e.suffices(freed) && e.allowed(losses):
		if e.least(losses, freed) && e.withinQuotas(losses) {
			e.judgeOne(losses)
		}
		return
	case !e.suffices(plus(freed, e.most[next])):
		return
	}
	for ; next < len(e.offers); next++ {
		o := &e.offers[next]
		for k, to := range o.to {
			e.giveUp(append(slices.Clip(losses), loss{next, to}), next+1, plus(freed, o.frees[k]))
		}
	}
}

func (e *exchanges) suffices(freed []int64) bool {
	for k, m := range e.missing {
		if freed[k] < m.amount {
			return false
		}
	}
	return true
}

// allowed reports whether what is not linear in what others give up holds: what is not lent of guarantees that become unused.
func (e *exchanges) allowed(losses []loss) bool {
	defer e.lost(losses)()
	return len(e.limits.lacks(e.wants.app, e.loads, e.wants.app.Taken)) == 0
}

// withinQuotas reports whether the application keeps to the quotas above it. Nobody gives way for one.
func (e *exchanges) withinQuotas(losses []loss) bool {
	defer e.lost(losses)()
	return !e.limits.overQuota(e.wants.app, e.loads, e.wants.app.Taken)
}

// lost counts what others lose, and returns what undoes that.
func (e *exchanges) lost(losses []loss) (undo func()) {
	move := func(sign int64) {
		for _, l := range losses {
			o := &e.offers[l.app]
			h := &e.holds[o.app]
			e.limits.move(h.app.Tenant, h.app.Taken, -sign)
			if l.to < len(h.levels) {
				e.limits.move(h.app.Tenant, h.levels[l.to].of(h.app), sign)
			}
		}
	}
	move(1)
	return func() { move(-1) }
}

func plus(x, y []int64) []int64 {
	x = slices.Clone(x)
	for i, n := range y {
		x[i] += n
	}
	return x
}

// least reports whether nobody could keep one level more.
func (e *exchanges) least(losses []loss, freed []int64) bool {
	for n, l := range losses {
		o := &e.offers[l.app]
		k := slices.Index(o.to, l.to)
		spared := slices.Clone(freed)
		for i := range spared {
			if spared[i] -= o.frees[k][i]; k > 0 {
				spared[i] += o.frees[k-1][i]
			}
		}
		if e.suffices(spared) && e.allowed(keeping(losses, n, o, k)) {
			return false
		}
	}
	return true
}

// keeping returns losses of which one is a level less, where the one before it is the offer's kth.
func keeping(losses []loss, n int, o *offer, k int) []loss {
	losses = slices.Clone(losses)
	if k == 0 {
		return slices.Delete(losses, n, n+1)
	}
	losses[n].to = o.to[k-1]
	return losses
}

// gains is the weakest standing of what the taker would gain.
func (e *exchanges) gains() Standing {
	return slices.MaxFunc(e.wants.stands[e.level:e.wants.from], Standing.Compare)
}

// mayTake reads the table of rule 7: whether what is gained may take the place of a part.
func (e *exchanges) mayTake(i, l int) bool {
	app, v, s, z := e.wants.app, e.holds[i].app, e.gains(), e.holds[i].stands[l]
	anyBand := e.c.Fleet.Platform.Policy.Preemption == "any"
	switch {
	case app.Tenant == v.Tenant:
		return app.Priority > v.Priority && s.Compare(z) < 0
	case z.Class == WithinGuarantee:
		return false
	case anyBand && app.Band < v.Band:
		return true
	case !e.misses[app.Tenant]:
		return false
	}
	return s.Class == WithinGuarantee || s.Class == WithinFairShare && app.Band <= v.Band && (z.Class > WithinSlack || z.Class == WithinFairShare)
}

// onlyGuaranteed reports whether one of those that give way, the worst standing first, is in a tenant or a
// group without the taker that has no more than it is guaranteed when its turn comes.
func (e *exchanges) onlyGuaranteed(x *exchange, losses []loss) bool {
	base := func(l loss) Standing { return x.before[l.app].stands[len(x.before[l.app].stands)-1] }
	slices.SortFunc(losses, func(l, m loss) int {
		return cmp.Or(base(m).Compare(base(l)), FirstCome(x.before[m.app].app, x.before[l.app].app))
	})
	now := slices.Clone(x.before)
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

// judgeOne judges an exchange in which what runs stands better afterwards. Inside a tenant priorities alone decide.
func (e *exchanges) judgeOne(offers []loss) {
	x := &exchange{c: e.c, kind: "at rest", taker: e.wants.app, tree: e.tree, before: slices.Clone(e.holds)}
	x.before[e.taker] = e.wants
	x.after = slices.Clone(x.before)
	x.after[e.taker].from, x.after[e.taker].uses = e.level, e.wants.levels[e.level].Total
	others, losses := false, make([]loss, len(offers))
	for k, l := range offers {
		i := e.offers[l.app].app
		losses[k] = loss{i, l.to}
		gives := &x.after[i]
		if gives.from, gives.uses = l.to, e.c.Zero(); l.to < len(gives.levels) {
			gives.uses = gives.levels[l.to].Total
		}
		others = others || gives.app.Tenant != x.taker.Tenant
	}
	switch {
	case len(losses) == 0:
		e.found(x, "free")
	case !others:
		e.found(x, "priority")
	case x.standsBetter() && !e.onlyGuaranteed(x, losses):
		e.found(x, e.judge(x))
	}
}
