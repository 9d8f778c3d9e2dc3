package arbitration

import "math/bits"

// guarantee gives each tenant what it is guaranteed and asks for. When all
// together is more than there is, higher bands are served first, and inside a
// band everybody gets the same part. It returns the guarantees that hold.
func (f *filling) guarantee(demand [][]vector) []vector {
	held := make([]vector, len(f.nodes))
	all := true
	for b := range demand {
		f.clear(f.want)
		sum := make([]share, len(f.names))
		for i := range f.nodes {
			n := &f.nodes[i]
			if n.tenant == nil {
				continue
			}
			if held[i] == nil {
				held[i] = f.zero()
			}
			for r, d := range demand[b][i] {
				if amount := min(d, n.guarantee[r]-held[i][r]); amount > 0 {
					held[i][r] += amount
					f.want[i][r] = part(amount, f.total[r])
					sum[r] = min(sum[r]+f.want[i][r], endless)
				}
			}
		}
		for r := range sum {
			if sum[r] > f.left[r] {
				all = false
			}
		}
		for i := range f.nodes {
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
	for i := range f.nodes {
		n := &f.nodes[i]
		switch {
		case n.tenant == nil:
		case all:
			held[i] = n.guarantee
		default:
			for r := range held[i] {
				hi, lo := bits.Mul64(uint64(f.got[i][r]), uint64(f.total[r]))
				held[i][r] = int64(hi<<32 | lo>>32)
			}
		}
	}
	return held
}

// guaranteeGroup shares among the members of a group what the group is
// guaranteed beyond what its members are.
func (f *filling) guaranteeGroup(i int, demand [][]vector) {
	extra := make([]share, len(f.names))
	for r, n := range f.nodes[i].guarantee {
		if g := min(part(n, f.total[r]), whole); g > f.got[i][r] {
			extra[r] = min(g-f.got[i][r], f.left[r])
		}
	}
	for b := range demand {
		f.ask(demand, b)
		before := append([]share(nil), extra...)
		f.fill(i, extra)
		for r := range extra {
			f.left[r] -= before[r] - extra[r]
		}
	}
}
