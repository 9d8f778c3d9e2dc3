package solve

import "math/bits"

// guarantee gives each tenant what it is guaranteed and asks for. When all
// guarantees together exceed the capacity, higher bands are served first, and
// inside a band every tenant gets the same part. It returns the guarantees that hold.
func (f *filling) guarantee(demand [][]Vector) []Vector {
	held := make([]Vector, len(f.Nodes))
	all := true
	for b := range demand {
		f.clear(f.want)
		sum := make([]Share, len(f.Names))
		for i := range f.Nodes {
			n := &f.Nodes[i]
			if n.Tenant == nil {
				continue
			}
			if held[i] == nil {
				held[i] = f.Zero()
			}
			for r, d := range demand[b][i] {
				if amount := min(d, n.Guarantee[r]-held[i][r]); amount > 0 {
					held[i][r] += amount
					f.want[i][r] = part(amount, f.Total[r])
					sum[r] = min(sum[r]+f.want[i][r], endless)
				}
			}
		}
		for r := range sum {
			if sum[r] > f.left[r] {
				all = false
			}
		}
		for i := range f.Nodes {
			for r, want := range f.want[i] {
				if sum[r] > f.left[r] {
					want = mulDiv(want, f.left[r], sum[r])
				}
				f.want[i][r] = want
				f.give(i, r, want)
			}
		}
		for r := range sum {
			f.left[r] -= min(sum[r], f.left[r])
		}
	}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		switch {
		case n.Tenant == nil:
		case all:
			held[i] = n.Guarantee
		default:
			for r := range held[i] {
				hi, lo := bits.Mul64(uint64(f.got[i][r]), uint64(f.Total[r]))
				held[i][r] = int64(hi<<32 | lo>>32)
			}
		}
	}
	return held
}

// guaranteeGroup divides what a group is guaranteed beyond its members' guarantees
// among these members.
func (f *filling) guaranteeGroup(i int, demand [][]Vector) {
	extra := make([]Share, len(f.Names))
	for r, n := range f.Nodes[i].Guarantee {
		if g := min(part(n, f.Total[r]), Whole); g > f.got[i][r] {
			extra[r] = min(g-f.got[i][r], f.left[r])
		}
	}
	for b := range demand {
		f.setWants(demand, b)
		before := append([]Share(nil), extra...)
		f.fill(i, extra)
		for r := range extra {
			f.left[r] -= before[r] - extra[r]
		}
	}
}
