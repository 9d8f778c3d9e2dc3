package solve

import (
	"math/bits"
	"slices"
)

// divide computes the fair share of each tenant, as its dominant share of all
// capacity, and the guarantees that hold, both by node: first what a tenant is
// guaranteed and asks for, then its part of what is left, band by band, by weight,
// at every level of the tree, and never more than it asks for.
//
// What is left is shared by progressive filling: the shares of all that still
// want grow together, each node's in proportion to its weight, until a resource is
// used up; a tenant that needs that resource stops and the others go on. The share
// of a group is the dominant share of what its members take together, so that
// members with different dominant resources do not use up each other's part, and
// members that are stopped do not hold back their siblings (hierarchical
// dominant-resource fairness, Bhattacharya et al., SoCC 2013). Where a group has
// what it may have of a resource, by its guarantee and what it may borrow, those
// of its members stop that need it, as if the resource were used up.
//
// Amounts are in units of whole and rounded down, so that all fair shares together
// are at most what there is; what rounding loses is below the slack.
func divide(b *Books, demand [][]Vector) (fair []Share, floors []Vector) {
	f := newFilling(b)
	floors = f.guarantee(demand)
	f.guaranteeGroups(demand, floors)
	for band := range demand {
		f.setWants(demand, band)
		f.fill(0, f.left)
	}
	fair = make([]Share, len(b.Nodes))
	for i := range fair {
		for _, s := range f.got[i] {
			fair[i] = max(fair[i], s)
		}
	}
	return fair, floors
}

// filling is the state of progressive filling: by node, then resource.
type filling struct {
	*Books
	left    []Share   // of each resource
	got     [][]Share // what a node has so far
	want    [][]Share // what a tenant wants of the present band
	profile [][]Share // what a node takes when its dominant share grows by whole
	norm    []uint64  // by how much the sum of its children's profiles was scaled
	rate    []uint64  // at which a node's dominant share grows, in 1<<rateBits of the root's
	room    [][]Share // what a group may get beyond got, nil: no limit
	flow    [][]Share // at which those below top, or below a group with a limit, take of a resource
}

const rateBits = 44

func newFilling(b *Books) *filling {
	f := &filling{Books: b, left: slices.Repeat([]Share{Whole}, len(b.Names)), rate: make([]uint64, len(b.Nodes)), norm: make([]uint64, len(b.Nodes))}
	f.got, f.want, f.profile, f.flow = f.table(), f.table(), f.table(), f.table()
	f.room = make([][]Share, len(b.Nodes))
	for i := range b.Nodes {
		if n := b.Nodes[i]; n.group != nil && n.borrow != nil {
			f.room[i] = make([]Share, len(b.Names))
			for r := range f.room[i] {
				f.room[i][r] = part(n.Guarantee[r]+n.borrow[r], b.Total[r])
			}
		}
	}
	return f
}

func (f *filling) table() [][]Share {
	rows, cells := make([][]Share, len(f.Nodes)), make([]Share, len(f.Nodes)*len(f.Names))
	for i := range rows {
		rows[i], cells = cells[:len(f.Names):len(f.Names)], cells[len(f.Names):]
	}
	return rows
}

// give adds to what a node and those above it have.
func (f *filling) give(i, r int, amount Share) {
	for ; i >= 0 && amount > 0; i = f.Nodes[i].Parent {
		f.got[i][r] += amount
		if f.room[i] != nil {
			f.room[i][r] -= min(amount, f.room[i][r])
		}
	}
}

// setWants sets what every tenant wants of band b and the bands above it and has
// not got yet.
func (f *filling) setWants(demand [][]Vector, b int) {
	f.clear(f.want)
	for i := range f.Nodes {
		if f.Nodes[i].Tenant == nil {
			continue
		}
		for r := range f.Names {
			var sum int64
			for above := 0; above <= b; above++ {
				if d := demand[above][i]; d != nil {
					sum += d[r]
				}
			}
			// What rounding left is no want: it would stop the tenant where the
			// resource is used up. Nor is what no pool offers.
			if s := part(sum, f.Total[r]); f.Total[r] > 0 && s > f.got[i][r]+grain/4 {
				f.want[i][r] = s - f.got[i][r]
			}
		}
	}
}

func (f *filling) clear(table [][]Share) {
	for i := range table {
		clear(table[i])
	}
}

// fill shares left among the tenants at and below node top.
func (f *filling) fill(top int, left []Share) {
	for f.step(top, left) {
	}
}

// step lets shares grow until the next tenant has all that it wants, a
// resource is used up, or a group has what it may have of one. It reports whether
// any tenant still wanted something.
func (f *filling) step(top int, left []Share) bool {
	if !f.profiles(top, left) {
		return false
	}
	clear(f.flow[top])
	for i, room := range f.room {
		if room != nil {
			clear(f.flow[i])
		}
	}
	next := ^uint64(0) // how far the share of top grows
	var growing []int  // tenants
	for i := top; i < len(f.Nodes); i++ {
		if f.rate[i] == 0 || f.Nodes[i].Tenant == nil {
			continue
		}
		growing = append(growing, i)
		dom := f.dominantWant(i)
		next = min(next, ceilDiv(uint64(dom), f.rate[i]))
		for above := i; above >= 0; above = f.Nodes[above].Parent {
			if above == top || f.room[above] != nil {
				f.addFlow(above, i)
			}
		}
	}
	var last *Share // what is used up
	bound := func(flow, left []Share) {
		for r, n := range flow {
			if n == 0 {
				continue
			}
			if d := floorDiv(uint64(left[r]), uint64(n)); d < next {
				next, last = d, &left[r]
			}
		}
	}
	bound(f.flow[top], left)
	for i, room := range f.room {
		if room != nil {
			bound(f.flow[i], room)
		}
	}
	for _, i := range growing {
		dom := f.dominantWant(i)
		hi, lo := bits.Mul64(f.rate[i], next)
		grown := min(Share(hi<<(64-rateBits)|lo>>rateBits), dom)
		for r, want := range f.want[i] {
			amount := min(mulDiv(want, grown, dom), f.open(i, r, left))
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
	if last != nil {
		*last = 0
	}
	return true
}

// addFlow adds what tenant i takes while it grows to the flow below a node.
func (f *filling) addFlow(node, i int) {
	for r, s := range f.profile[i] {
		hi, lo := bits.Mul64(f.rate[i], uint64(s))
		f.flow[node][r] += Share(hi<<32 | lo>>32)
	}
}

// open is how much a tenant may get of a resource: of what is left, and of what its groups may have.
func (f *filling) open(i, r int, left []Share) Share {
	least := left[r]
	for ; i >= 0; i = f.Nodes[i].Parent {
		if f.room[i] != nil {
			least = min(least, f.room[i][r])
		}
	}
	return least
}

// profiles finds the nodes below top that still grow, in which proportion of
// resources and how fast, and reports whether there are any. Children come after
// their parents in nodes.
func (f *filling) profiles(top int, left []Share) bool {
	for i := len(f.Nodes) - 1; i >= top; i-- {
		f.rate[i], f.norm[i] = 0, 0
		n := f.Nodes[i]
		if n.Tenant != nil {
			dom := f.dominantWant(i)
			if dom == 0 || n.Weight <= 0 || f.stopped(i, left) {
				continue
			}
			for r, want := range f.want[i] {
				f.profile[i][r] = mulDiv(want, Whole, dom)
			}
			f.norm[i] = 1
			continue
		}
		clear(f.profile[i])
		sum := make([]uint64, len(f.Names))
		for _, c := range n.children {
			if f.norm[c] == 0 {
				continue
			}
			for r, s := range f.profile[c] {
				sum[r] += uint64(f.Nodes[c].Weight) * uint64(s)
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
			f.profile[i][r] = mulDiv(Share(sum[r]), Whole, Share(f.norm[i]))
		}
	}
	if f.norm[top] == 0 {
		return false
	}
	f.rate[top] = 1 << rateBits
	for i := top; i < len(f.Nodes); i++ {
		if f.rate[i] == 0 {
			continue
		}
		for _, c := range f.Nodes[i].children {
			if f.norm[c] > 0 {
				hi, lo := bits.Mul64(f.rate[i], uint64(f.Nodes[c].Weight)<<32)
				f.rate[c], _ = bits.Div64(hi, lo, f.norm[i])
				f.rate[c] = max(f.rate[c], 1)
			}
		}
	}
	return true
}

// stopped reports whether a tenant needs a resource that is used up, or of which a group of it has all that it may have.
func (f *filling) stopped(i int, left []Share) bool {
	for r, want := range f.want[i] {
		if want > 0 && f.open(i, r, left) == 0 {
			return true
		}
	}
	return false
}

func (f *filling) dominantWant(i int) Share { return slices.Max(f.want[i]) }

// mulDiv returns x*y/z, rounded down, for z > 0 and a result below endless.
func mulDiv(x, y, z Share) Share {
	hi, lo := bits.Mul64(uint64(x), uint64(y))
	if hi >= uint64(z) {
		return endless
	}
	q, _ := bits.Div64(hi, lo, uint64(z))
	return Share(q)
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
