package solve

import (
	"math/bits"
	"slices"
)

// guarantee gives each tenant what it is guaranteed and asks for. When all
// guarantees together exceed the capacity, higher bands are served first, and
// inside a band every tenant gets the same part. It returns the guarantees that hold.
func (f *filling) guarantee(demand [][]Vector) []Vector {
	held := make([]Vector, len(f.Nodes))
	all := true
	for b := range demand {
		f.clear(f.want)
		sum := make([]Share, len(f.Names))
		for i, n := range f.Nodes {
			if n.Tenant == nil {
				continue
			}
			if held[i] == nil {
				held[i] = f.Zero()
			}
			for r, d := range demand[b][i] {
				if amount := min(d, n.Guarantee[r]-held[i][r]); amount > 0 {
					held[i][r] += amount
					if f.Total[r] > 0 { // what no pool offers scales nothing
						f.want[i][r] = part(amount, f.Total[r])
						sum[r] = min(sum[r]+f.want[i][r], endless)
					}
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
	for i, n := range f.Nodes {
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

// guaranteeGroups divides what groups are guaranteed among their members, as fair shares are
// divided, inner groups first. What a group is guaranteed beyond its members adds to the floors
// of its tenants. What members do not ask for of their guarantees goes to their siblings
// first, and adds to no floor. It sets the floors of the groups.
func (f *filling) guaranteeGroups(demand [][]Vector, floors []Vector) {
	own := f.table()
	for i := range own {
		copy(own[i], f.got[i])
	}
	for i := len(f.Nodes) - 1; i > 0; i-- {
		if n := f.Nodes[i]; n.group != nil && !n.Guarantee.isNothing() {
			beyond := slices.Clone(n.Guarantee)
			beyond.sub(f.guaranteedBelow(i))
			extra, _ := f.owed(beyond, make([]Share, len(f.Names)))
			f.fillGroup(i, extra, demand)
		}
	}
	for i := range f.Nodes {
		if f.Nodes[i].Tenant == nil || slices.Equal(f.got[i], own[i]) {
			continue
		}
		floors[i] = slices.Clone(floors[i])
		for r := range floors[i] {
			if more := f.got[i][r] - own[i][r]; more > 0 {
				floors[i][r] += f.amount(more, r)
			}
		}
	}
	for i := len(f.Nodes) - 1; i > 0; i-- {
		n := f.Nodes[i]
		if n.group == nil {
			continue
		}
		if floors[i] = n.Guarantee; n.Guarantee.isNothing() {
			continue
		}
		extra, enough := f.owed(n.Guarantee, f.got[i])
		f.fillGroup(i, extra, demand)
		if !enough {
			floors[i] = f.Zero()
			for r := range floors[i] {
				floors[i][r] = min(f.amount(f.got[i][r], r), n.Guarantee[r])
			}
		}
	}
}

// guaranteedBelow is what the members of a group are guaranteed together.
func (f *filling) guaranteedBelow(i int) Vector {
	sum := f.Zero()
	for _, c := range f.Nodes[i].children {
		below := f.guaranteedBelow(c)
		for r, n := range f.Nodes[c].Guarantee {
			sum[r] += max(n, below[r])
		}
	}
	return sum
}

// owed is what an amount is more than what was got, as far as it is left, and whether all of it is.
func (f *filling) owed(amount Vector, got []Share) (extra []Share, enough bool) {
	extra, enough = make([]Share, len(f.Names)), true
	for r, n := range amount {
		if s := min(part(n, f.Total[r]), Whole); f.Total[r] > 0 && s > got[r] {
			extra[r] = min(s-got[r], f.left[r])
			enough = enough && extra[r] == s-got[r]
		}
	}
	return extra, enough
}

// fillGroup shares what a group is owed among its members, band by band.
func (f *filling) fillGroup(i int, extra []Share, demand [][]Vector) {
	for b := range demand {
		f.setWants(demand, b)
		before := slices.Clone(extra)
		f.fill(i, extra)
		for r := range extra {
			f.left[r] -= before[r] - extra[r]
		}
	}
}

// amount is how much of a resource a share is, without what rounding took off.
func (f *filling) amount(s Share, r int) int64 { return s.Of(f.Total[r]) }
