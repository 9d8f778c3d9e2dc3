package solve

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// Vector is an amount of every resource that matters to the case, in the order of
// its Dimensions. Amounts are integers from 0 to most.
type Vector []int64

// most bounds every amount, so that no sum of them overflows an int64.
const most = int64(1) << 56

// NoLimit is the limit of a device that a limit does not name.
const NoLimit = most

// Dimensions are the resources that a pool offers, an application asks for or a limit names: cpu,
// memory, then devices by name.
type Dimensions struct {
	Names []string
	Index map[string]int
}

func newDimensions(devices map[string]bool) Dimensions {
	d := Dimensions{Names: append([]string{"cpu", "memory"}, slices.Sorted(maps.Keys(devices))...), Index: map[string]int{}}
	for i, name := range d.Names {
		d.Index[name] = i
	}
	return d
}

func (d *Dimensions) Zero() Vector { return make(Vector, len(d.Names)) }

func (d *Dimensions) Of(r model.Resources) Vector {
	v := d.Zero()
	v[0], v[1] = clamp(r.CPU), clamp(r.Memory)
	for name, n := range r.Devices {
		if i, ok := d.Index[name]; ok {
			v[i] = clamp(n)
		}
	}
	return v
}

// limit turns an optional ceiling into a vector, nil where there is none. A device
// that the ceiling does not name has none unless the ceiling names another.
func (d *Dimensions) limit(r *model.Resources) Vector {
	if r == nil {
		return nil
	}
	v := d.Of(*r)
	if r.Devices == nil {
		for i := 2; i < len(v); i++ {
			v[i] = most
		}
	}
	return v
}

func clamp(n int64) int64 { return min(max(n, 0), most) }

func (v Vector) Add(w Vector) { v.move(w, 1) }
func (v Vector) sub(w Vector) { v.move(w, -1) }

// move adds w, or takes it away where sign is -1.
func (v Vector) move(w Vector, sign int) {
	for i, n := range w {
		v[i] += int64(sign) * n
	}
}

func (v Vector) addTimes(w Vector, n int) {
	for i, x := range w {
		if hi, lo := bits.Mul64(uint64(x), uint64(max(n, 0))); hi != 0 || lo > uint64(most) {
			v[i] = most
		} else {
			v[i] = min(v[i]+int64(lo), most)
		}
	}
}

func (v Vector) Fits(w Vector) bool {
	for i, n := range v {
		if n > w[i] {
			return false
		}
	}
	return true
}

// all reports whether something is so of every amount above zero.
func (v Vector) all(is func(r int, n int64) bool) bool {
	for r, n := range v {
		if n > 0 && !is(r, n) {
			return false
		}
	}
	return true
}

// isNothing reports whether no amount is above zero. What is missing may be negative,
// where more is free than needed.
func (v Vector) isNothing() bool {
	return !slices.ContainsFunc(v, func(n int64) bool { return n > 0 })
}

// Share is a part of the capacity of all pools together: whole is all of it.
type Share uint64

const (
	Whole   Share = 1 << 32
	endless Share = 1 << 63 // more than there can be
)

// Of is how much of a total the share is, without what rounding took off.
func (s Share) Of(total int64) int64 {
	hi, lo := bits.Mul64(uint64(s+grain/4), uint64(total))
	return int64(hi<<32 | lo>>32)
}

// part returns n/of in units of whole, rounded down.
func part(n, of int64) Share {
	switch {
	case n <= 0:
		return 0
	case of <= 0:
		return endless
	}
	return min(mulDiv(Share(n), Whole, Share(of)), endless)
}

// Dominant is the largest share that v has of any resource: the measure by which
// tenants are compared (dominant-resource fairness, Ghodsi et al., NSDI 2011).
func (v Vector) Dominant(total Vector) Share {
	var s Share
	for i, n := range v {
		if n > 0 {
			s = max(s, part(n, total[i]))
		}
	}
	return s
}

// comparePerWeight compares x/xw and y/yw, exactly. A weight of zero
// makes a share endless.
func comparePerWeight(x Share, xw int64, y Share, yw int64) int {
	switch {
	case xw <= 0 && yw <= 0:
		return cmp.Compare(x, y)
	case xw <= 0:
		return 1
	case yw <= 0:
		return -1
	}
	return compareProducts(uint64(x), uint64(yw), uint64(y), uint64(xw))
}

// compareProducts compares a*b and c*d, exactly.
func compareProducts(a, b, c, d uint64) int {
	xh, xl := bits.Mul64(a, b)
	yh, yl := bits.Mul64(c, d)
	return cmp.Or(cmp.Compare(xh, yh), cmp.Compare(xl, yl))
}
