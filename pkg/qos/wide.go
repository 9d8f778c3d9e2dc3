package qos

import (
	"math"
	"math/bits"
)

// product is a 128-bit product of two non-negative numbers.
type product struct{ hi, lo uint64 }

func wide(a, b int64) product {
	hi, lo := bits.Mul64(uint64(max(a, 0)), uint64(max(b, 0)))
	return product{hi, lo}
}

func (p product) less(q product) bool { return p.hi < q.hi || p.hi == q.hi && p.lo < q.lo }

// floor returns p/d rounded down, saturating, for d > 0.
func (p product) floor(d int64) int64 {
	if p.hi >= uint64(d) {
		return math.MaxInt64
	}
	q, _ := bits.Div64(p.hi, p.lo, uint64(d))
	return int64(min(q, math.MaxInt64))
}

// ceil returns p/d rounded up, saturating, for d > 0.
func (p product) ceil(d int64) int64 {
	q := p.floor(d)
	if q < math.MaxInt64 && wide(q, d).less(p) {
		q++
	}
	return q
}

// Part returns the part of n that share is of a whole, rounded down; nothing of no whole.
func Part(n, share, whole int64) int64 {
	if whole <= 0 {
		return 0
	}
	return wide(n, share).floor(whole)
}
