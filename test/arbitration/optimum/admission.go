package optimum

import (
	"math/bits"

	"github.com/d-aros/d-aros/pkg/model"
)

// Ask is an application that asks for a place, all or nothing.
type Ask struct {
	Tenant int
	Amount model.Resources
}

// Value is what a set of admitted applications is worth in three ways; no set
// need be best in all of them.
type Value struct {
	Admitted int   // applications
	Used     int64 // of the resource that is used most, in thousandths of capacity
	Least    int64 // weighted dominant share of the tenant that has least, in thousandths, of those that ask
}

// Worth returns the value of a set, a bit for each application, and whether it
// fits in the capacity.
func Worth(capacity model.Resources, weights []int, asks []Ask, set uint) (v Value, fits bool) {
	total := make([]model.Resources, len(weights))
	active := make([]bool, len(weights))
	var sum model.Resources
	for i, a := range asks {
		active[a.Tenant] = true
		if set&(1<<i) != 0 {
			total[a.Tenant] = total[a.Tenant].Add(a.Amount)
			sum = sum.Add(a.Amount)
		}
	}
	if !sum.Fits(capacity) {
		return v, false
	}
	v = Value{Admitted: bits.OnesCount(set), Used: dominant(sum, capacity), Least: 1 << 40}
	for t := range weights {
		if active[t] {
			v.Least = min(v.Least, dominant(total[t], capacity)/int64(weights[t]))
		}
	}
	return v, true
}

// Best tries every set and returns the highest of each value.
func Best(capacity model.Resources, weights []int, asks []Ask) (best Value) {
	for set := range uint(1) << len(asks) {
		if v, fits := Worth(capacity, weights, asks, set); fits {
			best.Admitted = max(best.Admitted, v.Admitted)
			best.Used = max(best.Used, v.Used)
			best.Least = max(best.Least, v.Least)
		}
	}
	return best
}

// dominant is the largest share of any resource, in thousandths.
func dominant(r, capacity model.Resources) (share int64) {
	for _, name := range r.Names() {
		if c := capacity.Get(name); c > 0 {
			share = max(share, r.Get(name)*1000/c)
		}
	}
	return share
}
