package solve

import (
	"math/big"
	"slices"
)

// blur is what rounding may take off in the engine: what differs by less is equal.
var blur = big.NewRat(4, 1_000_000)

// judge says why an exchange is fair, or that it is unfair. The rule, in the words of the
// documentation: of the tenants and groups that are concerned, below the group that has them all, less of the guarantees is broken;
// or as much, and everything lost is of lower bands than what is gained and policy says any; or
// as much, and fair shares are missed by less, from the top of the tree down, the largest shortfall first.
func (h *history) judge(x *exchange) string {
	tree := x.tree
	concerned := map[int]bool{}
	tenants := []int{x.taker.Tenant}
	best := len(x.c.Fleet.Platform.Bands) // band of the least that is gained
	worst := best                         // band of the best that another tenant loses
	gained := 0
	for i := range x.before {
		b, a := &x.before[i], &x.after[i]
		switch {
		case b.app == x.taker:
			gained, best = b.from-a.from, b.app.Band
		case a.from > b.from && b.app.Tenant != x.taker.Tenant:
			tenants, worst = append(tenants, b.app.Tenant), min(worst, b.app.Band)
			for l := b.from; l < a.from; l++ {
				if b.stands[l].Class == WithinGuarantee {
					return "unfair: a guaranteed part is taken"
				}
			}
		}
	}
	if gained <= 0 {
		return "unfair: nothing is gained"
	}
	common := func(i int) bool {
		for _, tn := range tenants {
			if !slices.Contains(tree.above(tn), i) {
				return false
			}
		}
		return true
	}
	for _, tn := range tenants {
		for _, i := range tree.above(tn) {
			concerned[i] = concerned[i] || !common(i)
		}
	}
	was, is := tree.uses(x.before), tree.uses(x.after)
	for band := range len(x.c.Fleet.Platform.Bands) + 1 {
		broken := func(all []held, used [][]*big.Rat) (list []*big.Rat) {
			for i := range x.c.Nodes {
				if concerned[i] {
					list = append(list, tree.broken(i, band, all, used[i]))
				}
			}
			return list
		}
		if d := firstDifference(broken(x.after, is), broken(x.before, was)); d != nil {
			if d.Sign() > 0 {
				return "unfair: more of a guarantee is broken"
			}
			return "guarantee"
		}
	}
	if x.taker.Policy().Preemption == "any" && best < worst {
		return "band"
	}
	for depth := 1; depth < len(x.c.Nodes); depth++ {
		short := func(used [][]*big.Rat) (list []*big.Rat) {
			for i := range x.c.Nodes {
				if concerned[i] && len(tree.above(i)) == depth {
					missing := new(big.Rat).Sub(largest(tree.fair[i]), largest(used[i]))
					list = append(list, maxRat(missing, new(big.Rat)))
				}
			}
			return list
		}
		if d := firstDifference(short(is), short(was)); d != nil {
			if d.Add(d, tree.thousandth).Sign() > 0 {
				return "unfair: fair shares are missed by as much or more"
			}
			return "share"
		}
	}
	return "unfair: nothing is better"
}

// firstDifference sorts two lists, the largest first, and returns by how much the
// first that differs differs, nil for none.
func firstDifference(x, y []*big.Rat) *big.Rat {
	descending := func(a, b *big.Rat) int { return b.Cmp(a) }
	slices.SortFunc(x, descending)
	slices.SortFunc(y, descending)
	for i := range x {
		d := new(big.Rat).Sub(x[i], y[i])
		if new(big.Rat).Abs(d).Cmp(blur) > 0 {
			return d
		}
	}
	return nil
}

func largest(row []*big.Rat) *big.Rat {
	most := new(big.Rat)
	for _, x := range row {
		most = maxRat(most, x)
	}
	return most
}

func maxRat(x, y *big.Rat) *big.Rat {
	if x.Cmp(y) < 0 {
		return y
	}
	return x
}

func minRat(x, y *big.Rat) *big.Rat {
	if x.Cmp(y) > 0 {
		return y
	}
	return x
}

// fractions is the tree with what is guaranteed to it and fair, in fractions of all capacity: by node,
// then resource.
type fractions struct {
	c           *Case
	weight      []int64
	wants       [][][]*big.Rat // by band: of that band and those above it
	got         [][]*big.Rat
	left        []*big.Rat
	floor, fair [][]*big.Rat
	thousandth  *big.Rat // of all capacity, less what rounding may take off
}

func (e *fractions) row() []*big.Rat {
	row := make([]*big.Rat, len(e.c.Names))
	for r := range row {
		row[r] = new(big.Rat)
	}
	return row
}

func (e *fractions) rows() [][]*big.Rat {
	all := make([][]*big.Rat, len(e.c.Nodes))
	for i := range all {
		all[i] = e.row()
	}
	return all
}

func (e *fractions) fraction(n int64, r int) *big.Rat {
	if e.c.Total[r] == 0 {
		return new(big.Rat)
	}
	return big.NewRat(n, e.c.Total[r])
}

// above lists a node and the groups that it is in, without the root.
func (e *fractions) above(i int) (path []int) {
	for ; i > 0; i = e.c.Nodes[i].Parent {
		path = append(path, i)
	}
	return path
}

func newFractions(c *Case, asked map[*App]Vector) *fractions {
	return byWeights(c, asked, func(n *Node) int64 { return n.Weight })
}

func byWeights(c *Case, asked map[*App]Vector, weight func(*Node) int64) *fractions {
	e := &fractions{c: c, thousandth: new(big.Rat).Sub(big.NewRat(1, 1000), blur)}
	for i := range c.Nodes {
		e.weight = append(e.weight, weight(c.Nodes[i]))
	}
	e.got, e.left = e.rows(), e.row()
	for r := range e.left {
		if c.Total[r] > 0 {
			e.left[r].SetInt64(1)
		}
	}
	e.countWants(asked)
	last := e.wants[len(e.wants)-1]
	e.floor = e.rows()
	for i := range c.Nodes {
		for r := range c.Names {
			e.floor[i][r] = e.fraction(c.Nodes[i].Guarantee[r], r)
			if c.Nodes[i].Tenant != nil {
				e.give(i, r, minRat(e.floor[i][r], last[i][r]))
			}
		}
	}
	var groups []int // inner ones first
	for i := len(c.Nodes) - 1; i > 0; i-- {
		if c.Nodes[i].Tenant == nil {
			groups = append(groups, i)
		}
	}
	before := e.copied()
	for _, g := range groups {
		beyond := e.row()
		for r := range beyond {
			below := new(big.Rat)
			for i := range c.Nodes {
				if c.Nodes[i].Parent == g {
					below.Add(below, e.floor[i][r])
				}
			}
			beyond[r] = maxRat(new(big.Rat).Sub(e.floor[g][r], below), beyond[r])
		}
		e.fillBands(g, beyond)
	}
	extra := e.copied()
	for i := range c.Nodes {
		if c.Nodes[i].Tenant != nil {
			for r := range c.Names {
				extra[i][r].Sub(extra[i][r], before[i][r])
				e.floor[i][r] = new(big.Rat).Add(e.floor[i][r], extra[i][r])
			}
		}
	}
	for _, g := range groups {
		rest := e.row()
		for r := range rest {
			rest[r] = maxRat(new(big.Rat).Sub(e.fraction(c.Nodes[g].Guarantee[r], r), e.got[g][r]), rest[r])
		}
		e.fillBands(g, rest)
	}
	for band := range e.wants {
		e.fill(0, band, e.left)
	}
	e.fair = e.got
	return e
}

func (e *fractions) copied() [][]*big.Rat {
	all := e.rows()
	for i := range all {
		for r := range all[i] {
			all[i][r].Set(e.got[i][r])
		}
	}
	return all
}

// countWants adds up what everybody asks for in full.
func (e *fractions) countWants(asked map[*App]Vector) {
	bands := len(e.c.Fleet.Platform.Bands) + 1
	for band := range bands {
		rows := e.rows()
		for _, app := range e.c.Apps {
			if app.Band > band {
				continue
			}
			for r, n := range asked[app] {
				rows[app.Tenant][r].Add(rows[app.Tenant][r], e.fraction(n, r))
			}
		}
		for i := range e.c.Nodes {
			if tn := e.c.Nodes[i].Tenant; tn != nil && tn.Borrow != nil { // it cannot have more
				most := e.c.Of(tn.Guarantee.Add(*tn.Borrow))
				for r := range most {
					rows[i][r] = minRat(rows[i][r], e.fraction(most[r], r))
				}
			}
		}
		e.wants = append(e.wants, rows)
	}
}

// give adds to what a node and those above it have, and takes it from what is left.
func (e *fractions) give(i, r int, amount *big.Rat) {
	e.left[r].Sub(e.left[r], amount)
	for ; i >= 0; i = e.c.Nodes[i].Parent {
		e.got[i][r].Add(e.got[i][r], amount)
	}
}

func (e *fractions) fillBands(top int, amount []*big.Rat) {
	for band := range e.wants {
		e.fill(top, band, amount)
	}
}

// fill shares amount among the tenants below top: all that still want something grow, each in proportion
// to its weight among the children of its group, until one has all or a resource is used up.
func (e *fractions) fill(top, band int, amount []*big.Rat) {
	own := &amount[0] != &e.left[0]
	for {
		rate, profile, want := e.rates(top, band, amount)
		var until *big.Rat
		sooner := func(x *big.Rat) {
			if until == nil || x.Cmp(until) < 0 {
				until = x
			}
		}
		flow, within := e.row(), e.rows() // of all, and of the members of each group
		for i := range rate {
			if rate[i] == nil || want[i] == nil {
				continue
			}
			sooner(new(big.Rat).Quo(largest(want[i]), rate[i]))
			for r := range flow {
				grows := new(big.Rat).Mul(rate[i], profile[i][r])
				flow[r].Add(flow[r], grows)
				for _, above := range e.above(i) {
					within[above][r].Add(within[above][r], grows)
				}
			}
		}
		if until == nil {
			return
		}
		for r := range flow {
			if flow[r].Sign() > 0 {
				sooner(new(big.Rat).Quo(amount[r], flow[r]))
			}
			for i := range within {
				if room := e.room(i, r); room != nil && within[i][r].Sign() > 0 {
					sooner(room.Quo(room, within[i][r]))
				}
			}
		}
		for i := range rate {
			if rate[i] == nil || want[i] == nil {
				continue
			}
			for r := range flow {
				grown := new(big.Rat).Mul(new(big.Rat).Mul(rate[i], profile[i][r]), until)
				e.give(i, r, grown)
				if own {
					amount[r].Sub(amount[r], grown)
				}
			}
		}
	}
}

// rates finds who still grows, in which proportion of resources and how fast.
func (e *fractions) rates(top, band int, amount []*big.Rat) (rate []*big.Rat, profile, want [][]*big.Rat) {
	n := len(e.c.Nodes)
	rate, profile, want = make([]*big.Rat, n), make([][]*big.Rat, n), make([][]*big.Rat, n)
	norm := make([]*big.Rat, n)
	for i := n - 1; i >= top; i-- {
		if e.c.Nodes[i].Tenant != nil {
			e.want(i, band, amount, profile, want)
			continue
		}
		sum, some := e.row(), new(big.Rat)
		for k := range e.c.Nodes {
			if e.c.Nodes[k].Parent == i && profile[k] != nil {
				for r := range sum {
					sum[r].Add(sum[r], new(big.Rat).Mul(big.NewRat(e.weight[k], 1), profile[k][r]))
				}
			}
		}
		for r := range sum {
			if amount[r].Sign() > 0 {
				some = maxRat(some, sum[r])
			}
		}
		if some.Sign() == 0 {
			continue
		}
		profile[i], norm[i] = e.row(), some
		for r := range sum {
			profile[i][r].Quo(sum[r], some)
		}
	}
	if profile[top] == nil {
		return rate, profile, want
	}
	rate[top] = big.NewRat(1, 1)
	for i := top + 1; i < n; i++ {
		if p := e.c.Nodes[i].Parent; p >= top && rate[p] != nil && profile[i] != nil {
			rate[i] = new(big.Rat).Quo(new(big.Rat).Mul(rate[p], big.NewRat(e.weight[i], 1)), norm[p])
		}
	}
	return rate, profile, want
}

// room is what a group may still have by its guarantee and what it may borrow, nil where that has no limit.
func (e *fractions) room(i, r int) *big.Rat {
	g := e.c.Nodes[i].group
	if g == nil || g.Borrow == nil {
		return nil
	}
	room := e.fraction(e.c.Of(g.Guarantee.Add(*g.Borrow))[r], r)
	return maxRat(room.Sub(room, e.got[i][r]), new(big.Rat))
}

// want is what a tenant still wants, and in which proportion; nil for nothing, or where something it
// needs is used up.
func (e *fractions) want(i, band int, amount []*big.Rat, profile, want [][]*big.Rat) {
	row := e.row()
	for r := range row {
		if row[r].Sub(e.wants[band][i][r], e.got[i][r]); row[r].Sign() < 0 {
			row[r].SetInt64(0)
		}
		if row[r].Sign() > 0 && amount[r].Sign() == 0 {
			return
		}
		for _, above := range e.above(i) {
			if room := e.room(above, r); room != nil && row[r].Sign() > 0 && room.Sign() == 0 {
				return
			}
		}
	}
	most := largest(row)
	if most.Sign() == 0 || e.weight[i] <= 0 {
		return
	}
	want[i], profile[i] = row, e.row()
	for r := range row {
		profile[i][r].Quo(row[r], most)
	}
}

// uses is what nodes use.
func (e *fractions) uses(all []held) [][]*big.Rat {
	used := e.rows()
	for _, h := range all {
		for _, i := range append(e.above(h.app.Tenant), 0) {
			for r, n := range h.uses {
				used[i][r].Add(used[i][r], e.fraction(n, r))
			}
		}
	}
	return used
}

// broken is what a node lacks of its guarantee down to a band: what its guaranteed parts that do not run
// ask for, and no more than its guarantee is more than its use.
func (e *fractions) broken(node, band int, all []held, used []*big.Rat) *big.Rat {
	idle := e.row()
	for _, h := range all {
		if h.levels == nil || h.app.Band > band || !slices.Contains(e.above(h.app.Tenant), node) {
			continue
		}
		for l := range h.from {
			if h.stands[l].Class != WithinGuarantee {
				continue
			}
			for r, n := range h.levels[l].lasts {
				if l+1 < len(h.levels) {
					n -= h.levels[l+1].lasts[r]
				}
				idle[r].Add(idle[r], e.fraction(n, r))
			}
		}
	}
	for r := range idle {
		lack := new(big.Rat).Sub(e.floor[node][r], used[r])
		idle[r] = minRat(idle[r], maxRat(lack, new(big.Rat)))
	}
	return largest(idle)
}

// missesSome reports whether a tenant, or a group of it, has less than its guarantee or its fair share.
func (e *fractions) missesSome(used [][]*big.Rat, tenant int) bool {
	for _, i := range e.above(tenant) {
		if e.misses(used, i) || !fitsRow(e.floor[i], used[i]) {
			return true
		}
	}
	return false
}

// misses reports whether a node has less than its fair share.
func (e *fractions) misses(used [][]*big.Rat, i int) bool {
	missing := new(big.Rat).Sub(largest(e.fair[i]), largest(used[i]))
	return missing.Sub(missing, e.thousandth).Sign() > 0
}

func fitsRow(x, y []*big.Rat) bool {
	for r := range x {
		if new(big.Rat).Sub(x[r], y[r]).Cmp(blur) > 0 {
			return false
		}
	}
	return true
}

// standsBetter reports whether of the best standing of which another amount runs more does.
func (x *exchange) standsBetter() bool {
	sums := map[Rank]*big.Rat{}
	var all []Rank
	for i := range x.before {
		b, a := &x.before[i], &x.after[i]
		for l := min(b.from, a.from); l < max(b.from, a.from); l++ {
			row := x.tree.row()
			for r := range row {
				n := b.levels[l].lasts[r]
				if l+1 < len(b.levels) {
					n -= b.levels[l+1].lasts[r]
				}
				row[r] = x.tree.fraction(n, r)
			}
			share := largest(row)
			if a.from > b.from {
				share = new(big.Rat).Neg(share)
			}
			s := b.ranks[l]
			if sums[s] == nil {
				sums[s], all = new(big.Rat), append(all, s)
			}
			sums[s].Add(sums[s], share)
		}
	}
	slices.SortFunc(all, Rank.Compare)
	for _, s := range all {
		if new(big.Rat).Abs(sums[s]).Cmp(blur) > 0 {
			return sums[s].Sign() > 0
		}
	}
	return false
}
