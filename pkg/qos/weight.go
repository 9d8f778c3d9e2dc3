package qos

import "math"

// scale is the unit in which a cgroup version weighs CPU.
type scale struct {
	file        string
	max         int64
	unit        int64 // weight of a group nobody set
	of          func(milli int64) int64
	fromProfile func(weight int64) int64
}

// scaleOf returns the scale of a version of the cpu controller.
func scaleOf(v Version) scale {
	if v == V1 {
		return scale{
			file: "cpu.shares", max: maxShares, unit: 1024, of: Shares,
			fromProfile: func(w int64) int64 { return min(max(w*1024/100, minShares), maxShares) },
		}
	}
	return scale{
		file: "cpu.weight", max: 10000, unit: 100, of: Weight,
		fromProfile: func(w int64) int64 { return w },
	}
}

const minShares, maxShares = 2, 262144

// Shares returns the cgroup v1 shares of a request in milli-CPU.
func Shares(milli int64) int64 { return min(max(milli*1024/1000, minShares), maxShares) }

// Weight returns the cgroup v2 weight of a request in milli-CPU.
func Weight(milli int64) int64 { return weight(Shares(milli)) }

// weight converts v1 shares into a v2 weight the way container runtimes do, so
// that our groups weigh the same as theirs: a curve through (2, 1), (1024, 100)
// and (262144, 10000).
func weight(shares int64) int64 {
	switch {
	case shares <= minShares:
		return 1
	case shares >= maxShares:
		return 10000
	}
	l := math.Log2(float64(shares))
	return int64(math.Ceil(math.Pow(10, (l*l+125*l)/612-7.0/34)))
}
