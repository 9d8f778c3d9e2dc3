package arbitration

import (
	"maps"
	"math/bits"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// vector is an amount of every resource that matters to the problem, in the
// order of its dimensions. Amounts are integers from 0 to most.
type vector []int64

// most bounds every amount, so that no sum of them overflows an int64.
const most = int64(1) << 56

// dimensions are the resources that anybody offers, asks for or is limited in:
// cpu, memory, then devices by name.
type dimensions struct {
	names []string
	index map[string]int
}

func newDimensions(devices map[string]bool) dimensions {
	d := dimensions{names: append([]string{"cpu", "memory"}, slices.Sorted(maps.Keys(devices))...), index: map[string]int{}}
	for i, name := range d.names {
		d.index[name] = i
	}
	return d
}

func (d *dimensions) zero() vector { return make(vector, len(d.names)) }

func (d *dimensions) of(r model.Resources) vector {
	v := d.zero()
	v[0], v[1] = clamp(r.CPU), clamp(r.Memory)
	for name, n := range r.Devices {
		if i, ok := d.index[name]; ok {
			v[i] = clamp(n)
		}
	}
	return v
}

// limit turns an optional ceiling into a vector: nil where there is none. Of
// devices that it does not name there is no ceiling unless it names any.
func (d *dimensions) limit(r *model.Resources) vector {
	if r == nil {
		return nil
	}
	v := d.of(*r)
	if r.Devices == nil {
		for i := 2; i < len(v); i++ {
			v[i] = most
		}
	}
	return v
}

func clamp(n int64) int64 { return min(max(n, 0), most) }

func (v vector) add(w vector) {
	for i, n := range w {
		v[i] += n
	}
}

func (v vector) sub(w vector) {
	for i, n := range w {
		v[i] -= n
	}
}

func (v vector) addTimes(w vector, n int) {
	for i, x := range w {
		if hi, lo := bits.Mul64(uint64(x), uint64(max(n, 0))); hi != 0 || lo > uint64(most) {
			v[i] = most
		} else {
			v[i] = min(v[i]+int64(lo), most)
		}
	}
}

func (v vector) fits(w vector) bool {
	for i, n := range v {
		if n > w[i] {
			return false
		}
	}
	return true
}

func (v vector) isZero() bool {
	for _, n := range v {
		if n != 0 {
			return false
		}
	}
	return true
}

// share is a part of the capacity of all pools together: whole is all of it.
type share uint64

const (
	whole   share = 1 << 32
	endless share = 1 << 63 // more than there can be
)

// part returns n/of in units of whole, rounded down.
func part(n, of int64) share {
	switch {
	case n <= 0:
		return 0
	case of <= 0:
		return endless
	}
	hi, lo := bits.Mul64(uint64(n), uint64(whole))
	if hi >= uint64(of) {
		return endless
	}
	q, _ := bits.Div64(hi, lo, uint64(of))
	return min(share(q), endless)
}

// dominant is the largest share that v has of any resource: the measure by which
// tenants are compared (dominant-resource fairness, Ghodsi et al., NSDI 2011).
func (v vector) dominant(total vector) share {
	var s share
	for i, n := range v {
		if n > 0 {
			s = max(s, part(n, total[i]))
		}
	}
	return s
}

// comparePerWeight compares x/xw and y/yw, exactly. A weight of zero
// makes a share endless.
func comparePerWeight(x share, xw int64, y share, yw int64) int {
	xh, xl := bits.Mul64(uint64(x), uint64(yw))
	yh, yl := bits.Mul64(uint64(y), uint64(xw))
	switch {
	case xw <= 0 && yw <= 0:
		return compare(x, y)
	case xw <= 0:
		return 1
	case yw <= 0:
		return -1
	case xh != yh:
		return compare(xh, yh)
	}
	return compare(xl, yl)
}

func compare[T share | uint64](x, y T) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}
