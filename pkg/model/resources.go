package model

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Resources is an amount of compute: milli-CPU, bytes of memory and counts of
// devices by name. The zero value is nothing. Amounts are integers so that sums
// are exact and equal on every machine. Values are never changed in place.
type Resources struct {
	CPU     int64            `json:"cpu,omitempty"`     // milli-CPU
	Memory  int64            `json:"memory,omitempty"`  // bytes
	Devices map[string]int64 `json:"devices,omitempty"` // count by device name
}

// Names returns the names of the resources that r or any of others mentions, in
// the order in which people read them: cpu, memory, then devices by name.
func (r Resources) Names(others ...Resources) []string {
	devices := map[string]bool{}
	for _, x := range append(others, r) {
		for name := range x.Devices {
			devices[name] = true
		}
	}
	return append([]string{"cpu", "memory"}, slices.Sorted(maps.Keys(devices))...)
}

// Get returns the amount of the named resource.
func (r Resources) Get(name string) int64 {
	switch name {
	case "cpu":
		return r.CPU
	case "memory":
		return r.Memory
	}
	return r.Devices[name]
}

// Add returns r + o. Sums saturate instead of overflowing.
func (r Resources) Add(o Resources) Resources { return r.combine(o, saturatingAdd) }

// Sub returns r - o. The result may be negative.
func (r Resources) Sub(o Resources) Resources {
	return r.combine(o, func(a, b int64) int64 { return saturatingAdd(a, -b) })
}

// Max returns the larger amount of each resource.
func (r Resources) Max(o Resources) Resources {
	return r.combine(o, func(a, b int64) int64 { return max(a, b) })
}

// Or returns r with the CPU and the memory of o where r has none.
func (r Resources) Or(o Resources) Resources {
	r.CPU, r.Memory = cmp.Or(r.CPU, o.CPU), cmp.Or(r.Memory, o.Memory)
	return r
}

// Times returns n times r, for n >= 0.
func (r Resources) Times(n int) Resources {
	mul := func(a, _ int64) int64 {
		if a != 0 && int64(n) > math.MaxInt64/max(a, -a) {
			return math.MaxInt64
		}
		return a * int64(n)
	}
	return r.combine(Resources{}, mul)
}

// With returns r with another amount of the named resource.
func (r Resources) With(name string, n int64) Resources {
	switch name {
	case "cpu":
		r.CPU = n
	case "memory":
		r.Memory = n
	default:
		r.Devices = maps.Clone(r.Devices)
		if r.Devices == nil {
			r.Devices = map[string]int64{}
		}
		r.Devices[name] = n
	}
	return r
}

// Fits reports whether r is at most o in every resource.
func (r Resources) Fits(o Resources) bool { return len(r.Exceeds(o)) == 0 }

// Exceeds returns the names of the resources in which r is more than o.
func (r Resources) Exceeds(o Resources) []string {
	var over []string
	for _, name := range r.Names() {
		if r.Get(name) > o.Get(name) {
			over = append(over, name)
		}
	}
	return over
}

// Equal reports whether two amounts are the same.
func (r Resources) Equal(o Resources) bool {
	return r.CPU == o.CPU && r.Memory == o.Memory && maps.Equal(r.Devices, o.Devices)
}

// IsZero reports whether every amount is zero.
func (r Resources) IsZero() bool {
	for _, n := range r.Devices {
		if n != 0 {
			return false
		}
	}
	return r.CPU == 0 && r.Memory == 0
}

// String writes r for people: "1500m cpu, 2Gi memory".
func (r Resources) String() string {
	var parts []string
	for _, name := range r.Names() {
		if n := r.Get(name); n != 0 {
			parts = append(parts, FormatAmount(name, n)+" "+name)
		}
	}
	if parts == nil {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

func (r Resources) combine(o Resources, f func(a, b int64) int64) Resources {
	sum := Resources{CPU: f(r.CPU, o.CPU), Memory: f(r.Memory, o.Memory)}
	if r.Devices == nil && o.Devices == nil {
		return sum
	}
	for _, name := range r.Names(o)[2:] {
		if n := f(r.Devices[name], o.Devices[name]); n != 0 {
			if sum.Devices == nil {
				sum.Devices = map[string]int64{}
			}
			sum.Devices[name] = n
		}
	}
	return sum
}

func saturatingAdd(a, b int64) int64 {
	switch {
	case b > 0 && a > math.MaxInt64-b:
		return math.MaxInt64
	case b < 0 && a < math.MinInt64-b:
		return math.MinInt64
	}
	return a + b
}

// FormatAmounts writes amounts of one resource in one unit, the largest in which
// all of them are whole numbers.
func FormatAmounts(resource string, amounts ...int64) []string {
	factor, suffix := int64(1), ""
	fits := func(factor int64) bool {
		return !slices.ContainsFunc(amounts, func(n int64) bool { return n%factor != 0 })
	}
	switch {
	case resource == "cpu" && fits(1000):
		factor = 1000
	case resource == "cpu":
		suffix = "m"
	case resource == "memory" || resource == DiskResource || resource == NetworkResource:
		for _, u := range units {
			if strings.HasSuffix(u.suffix, "i") == (resource != NetworkResource) && u.factor > factor && fits(u.factor) {
				factor, suffix = u.factor, u.suffix
			}
		}
	}
	out := make([]string, len(amounts))
	for i, n := range amounts {
		if out[i] = strconv.FormatInt(n/factor, 10); n != 0 {
			out[i] += suffix
		}
	}
	return out
}

// FormatAmount writes an amount of the named resource the way it is written in
// a fleet: 500m or 2 for cpu, 256Mi for memory, a count for devices.
func FormatAmount(resource string, n int64) string { return FormatAmounts(resource, n)[0] }

// ReadableAmounts writes amounts of one resource in one unit, as sentences for people have them: CPU as "24"
// and "11.5" as soon as one of the amounts is a whole CPU. A decision has FormatAmounts, because a replay compares
// its bytes.
func ReadableAmounts(resource string, amounts ...int64) []string {
	out := FormatAmounts(resource, amounts...)
	if resource != "cpu" || slices.Min(amounts) < 0 || slices.Max(amounts) < 1000 {
		return out
	}
	for i, n := range amounts {
		out[i] = strings.TrimRight(strings.TrimRight(fmt.Sprintf("%d.%03d", n/1000, n%1000), "0"), ".")
	}
	return out
}

// ColumnAmounts writes amounts that stand beside each other in a table: CPU as ReadableAmounts, and others each
// in the largest unit of its own, because one odd byte would have all of them written in bytes.
func ColumnAmounts(resource string, amounts ...int64) []string {
	if resource == "cpu" {
		return ReadableAmounts(resource, amounts...)
	}
	out := make([]string, len(amounts))
	for i, n := range amounts {
		out[i] = FormatAmount(resource, n)
	}
	return out
}

// ofShares ends the name of the shares of a device, as the device plugin of NVIDIA renames what it shares.
const ofShares = ".shared"

// SharesOf names the shares of a device.
func SharesOf(device string) string { return device + ofShares }

// SharedDevice returns the device that a resource is a share of.
func SharedDevice(resource string) (device string, ok bool) {
	return strings.CutSuffix(resource, ofShares)
}

// Shared returns r with shares in the place of each device that is shared: so many of each, and none whole. A device
// plugin that shares devices offers none of them whole either, so nothing counts twice.
func (r Resources) Shared(shares map[string]int64) Resources {
	r.Devices = maps.Clone(r.Devices)
	for device, each := range shares {
		if n := r.Devices[device]; n > 0 {
			r.Devices[SharesOf(device)] = n * each
			delete(r.Devices, device)
		}
	}
	return r
}
