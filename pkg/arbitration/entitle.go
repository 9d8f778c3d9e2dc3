package arbitration

import (
	"math/bits"
	"slices"
)

// entitle computes what each tenant is entitled to, as its dominant share of all
// capacity: first what it is guaranteed and asks for, then its part of what is
// left, band by band, by weight, at every level of the tree, and never more than
// it asks for.
//
// What is left is shared by progressive filling: the shares of all that still
// want grow together, each node's as its weight, until a resource is used up;
// who needs that resource stops and the others go on. The share of a group is
// the dominant share of what its members take together, so that members with
// different dominant resources do not use up each other's part, and members that
// are stopped do not hold back their siblings (hierarchical dominant-resource
// fairness, Bhattacharya et al., SoCC 2013).
//
// Amounts are in units of whole and rounded down, so that all entitlements
// together are at most what there is; what rounding loses is below the slack.
func (p *problem) entitle() {
	f := &filling{problem: p, left: make([]share, len(p.names)), rate: make([]uint64, len(p.nodes))}
	for i := range f.left {
		f.left[i] = whole
	}
	f.got, f.want, f.profile = f.table(), f.table(), f.table()
	f.norm = make([]uint64, len(p.nodes))

	demand := p.demand()
	guaranteed := f.guarantee(demand)
	for i := len(p.nodes) - 1; i > 0; i-- {
		if p.nodes[i].group != nil && !p.nodes[i].guarantee.isZero() {
			f.guaranteeGroup(i, demand)
		}
	}
	for b := range demand {
		f.ask(demand, b)
		f.fill(0, f.left)
	}
	for i := range p.nodes {
		p.nodes[i].entitled = 0
		for _, s := range f.got[i] {
			p.nodes[i].entitled = max(p.nodes[i].entitled, s)
		}
		if p.nodes[i].tenant != nil {
			p.nodes[i].floor = guaranteed[i]
		}
	}
}

// askFor counts what a claim asks for in full.
func (p *problem) askFor(c *claim) {
	at := &p.asked[c.band][c.tenant]
	if *at == nil {
		*at = p.zero()
	}
	at.add(c.ladder[0].lasts)
}

// demand is what the claims of each tenant ask for in full, by band, then node,
// then resource, up to what the tenant may borrow.
func (p *problem) demand() [][]vector {
	if p.asked == nil {
		p.asked = make([][]vector, len(p.platform.Bands)+1)
		for b := range p.asked {
			p.asked[b] = make([]vector, len(p.nodes))
		}
		for _, c := range p.claims {
			if c.ladder != nil {
				p.askFor(c)
			}
		}
	}
	demand := make([][]vector, len(p.asked))
	for b := range demand {
		demand[b] = slices.Clone(p.asked[b])
	}
	for i := range p.nodes {
		n := &p.nodes[i]
		if n.borrow == nil || n.tenant == nil {
			continue
		}
		sum := p.zero()
		for b := range demand {
			demand[b][i] = slices.Clone(demand[b][i])
			for r := range demand[b][i] {
				d := &demand[b][i][r]
				*d = max(0, min(*d, n.guarantee[r]+n.borrow[r]-sum[r]))
				sum[r] += *d
			}
		}
	}
	return demand
}

// filling is the state of progressive filling: by node, then resource.
type filling struct {
	*problem
	left    []share   // of each resource
	got     [][]share // what a node has so far
	want    [][]share // what a tenant wants of the present band
	profile [][]share // what a node takes when its dominant share grows by whole
	norm    []uint64  // by how much the sum of its children's profiles was scaled
	rate    []uint64  // at which a node's dominant share grows, in 1<<rateBits of the root's
}

const rateBits = 44

func (f *filling) table() [][]share {
	rows, cells := make([][]share, len(f.nodes)), make([]share, len(f.nodes)*len(f.names))
	for i := range rows {
		rows[i], cells = cells[:len(f.names):len(f.names)], cells[len(f.names):]
	}
	return rows
}

// give adds to what a node and those above it have.
func (f *filling) give(i, r int, amount share) {
	for ; i >= 0 && amount > 0; i = f.nodes[i].parent {
		f.got[i][r] += amount
	}
}

// ask sets what every tenant wants of band b and the bands above it and has not
// got yet.
func (f *filling) ask(demand [][]vector, b int) {
	f.clear(f.want)
	for i := range f.nodes {
		if f.nodes[i].tenant == nil {
			continue
		}
		for r := range f.names {
			var sum int64
			for above := 0; above <= b; above++ {
				if d := demand[above][i]; d != nil {
					sum += d[r]
				}
			}
			// What rounding left is no want: it would stop the tenant where the
			// resource is used up.
			if s := part(sum, f.total[r]); s > f.got[i][r]+grain/4 {
				f.want[i][r] = s - f.got[i][r]
			}
		}
	}
}

func (f *filling) clear(table [][]share) {
	for i := range table {
		clear(table[i])
	}
}

// fill shares left among the tenants at and below node top.
func (f *filling) fill(top int, left []share) {
	for f.step(top, left) {
	}
}

// step lets shares grow until the next tenant has all that it wants or a
// resource is used up, and says whether anybody still wants something.
func (f *filling) step(top int, left []share) bool {
	if !f.profiles(top, left) {
		return false
	}
	flow := make([]uint64, len(f.names))
	next := ^uint64(0) // how far the share of top grows
	for i := top; i < len(f.nodes); i++ {
		if f.rate[i] == 0 || f.nodes[i].tenant == nil {
			continue
		}
		dom := f.dominantWant(i)
		next = min(next, ceilDiv(uint64(dom), f.rate[i]))
		for r, s := range f.profile[i] {
			hi, lo := bits.Mul64(f.rate[i], uint64(s))
			flow[r] += hi<<32 | lo>>32
		}
	}
	used := -1
	for r, n := range flow {
		if n == 0 {
			continue
		}
		if d := floorDiv(uint64(left[r]), n); d < next {
			next, used = d, r
		}
	}
	for i := top; i < len(f.nodes); i++ {
		if f.rate[i] == 0 || f.nodes[i].tenant == nil {
			continue
		}
		dom := f.dominantWant(i)
		hi, lo := bits.Mul64(f.rate[i], next)
		grown := min(share(hi<<(64-rateBits)|lo>>rateBits), dom)
		for r, want := range f.want[i] {
			amount := min(mulDiv(want, grown, dom), left[r])
			if want == 0 {
				continue
			}
			f.want[i][r] -= amount
			left[r] -= amount
			f.give(i, r, amount)
		}
		if grown == dom {
			clear(f.want[i])
		}
	}
	if used >= 0 {
		left[used] = 0
	}
	return true
}

// profiles finds out who still grows below top, in which proportion of resources
// and how fast. Children come after their parents in nodes.
func (f *filling) profiles(top int, left []share) bool {
	for i := len(f.nodes) - 1; i >= top; i-- {
		f.rate[i], f.norm[i] = 0, 0
		n := &f.nodes[i]
		if n.tenant != nil {
			dom := f.dominantWant(i)
			if dom == 0 || n.weight <= 0 || f.stopped(i, left) {
				continue
			}
			for r, want := range f.want[i] {
				f.profile[i][r] = mulDiv(want, whole, dom)
			}
			f.norm[i] = 1
			continue
		}
		clear(f.profile[i])
		sum := make([]uint64, len(f.names))
		for _, c := range n.children {
			if f.norm[c] == 0 {
				continue
			}
			for r, s := range f.profile[c] {
				sum[r] += uint64(f.nodes[c].weight) * uint64(s)
			}
		}
		for r := range sum {
			if left[r] > 0 {
				f.norm[i] = max(f.norm[i], sum[r])
			}
		}
		if f.norm[i] == 0 {
			continue
		}
		for r := range sum {
			f.profile[i][r] = mulDiv(share(sum[r]), whole, share(f.norm[i]))
		}
	}
	if f.norm[top] == 0 {
		return false
	}
	f.rate[top] = 1 << rateBits
	for i := top; i < len(f.nodes); i++ {
		if f.rate[i] == 0 {
			continue
		}
		for _, c := range f.nodes[i].children {
			if f.norm[c] > 0 {
				hi, lo := bits.Mul64(f.rate[i], uint64(f.nodes[c].weight)<<32)
				f.rate[c], _ = bits.Div64(hi, lo, f.norm[i])
				f.rate[c] = max(f.rate[c], 1)
			}
		}
	}
	return true
}

// stopped says whether a tenant needs a resource that is used up.
func (f *filling) stopped(i int, left []share) bool {
	for r, want := range f.want[i] {
		if want > 0 && left[r] == 0 {
			return true
		}
	}
	return false
}

func (f *filling) dominantWant(i int) share {
	var dom share
	for _, want := range f.want[i] {
		dom = max(dom, want)
	}
	return dom
}

// mulDiv returns x*y/z, rounded down, for z > 0 and a result below endless.
func mulDiv(x, y, z share) share {
	hi, lo := bits.Mul64(uint64(x), uint64(y))
	if hi >= uint64(z) {
		return endless
	}
	q, _ := bits.Div64(hi, lo, uint64(z))
	return share(q)
}

// ceilDiv and floorDiv return n/rate in units of 1<<rateBits.
func ceilDiv(n, rate uint64) uint64 {
	q := floorDiv(n, rate)
	hi, lo := bits.Mul64(q, rate)
	if want := n << rateBits; hi < n>>(64-rateBits) || hi == n>>(64-rateBits) && lo < want {
		q++
	}
	return q
}

func floorDiv(n, rate uint64) uint64 {
	hi, lo := n>>(64-rateBits), n<<rateBits
	if hi >= rate {
		return 1 << 62
	}
	q, _ := bits.Div64(hi, lo, rate)
	return min(q, 1<<62)
}
