// Package optimum finds by exhaustive search what arbitration finds by rules: the
// cheapest way to make room, and the best set to admit. It is for small instances
// and for comparing figures; it decides nothing.
package optimum

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// MostOptions bounds a search.
const MostOptions = 14

// Option is an application that can make room.
type Option struct {
	Tier  int               // of standing; who stands higher has the higher tier
	Frees []model.Resources // by degradation, step by step, in sum; the last by eviction
}

// Cost is what making room costs, compared in the order of the fields.
type Cost struct {
	Evictions []int // by tier, highest first
	Degraded  int   // applications that run on with less
	Waste     int64 // freed and not needed, in thousandths of the need, summed over resources
}

// Total is the number of evictions in all tiers.
func (c Cost) Total() (n int) {
	for _, e := range c.Evictions {
		n += e
	}
	return n
}

// Compare orders costs, the lower first.
func (c Cost) Compare(o Cost) int {
	if n := slices.Compare(c.Evictions, o.Evictions); n != 0 {
		return n
	}
	if c.Degraded != o.Degraded {
		return c.Degraded - o.Degraded
	}
	return int(min(1, max(-1, c.Waste-o.Waste)))
}

// Measure returns the cost of a choice: for every option the step taken, 0 for
// none. It says false where the choice does not free what is needed.
func Measure(need model.Resources, options []Option, choice []int) (c Cost, enough bool) {
	tiers := 0
	for _, o := range options {
		tiers = max(tiers, o.Tier+1)
	}
	c.Evictions = make([]int, tiers)
	var freed model.Resources
	for i, step := range choice {
		if step == 0 {
			continue
		}
		o := &options[i]
		freed = freed.Add(o.Frees[step-1])
		if step == len(o.Frees) {
			c.Evictions[tiers-1-o.Tier]++
		} else {
			c.Degraded++
		}
	}
	if !need.Fits(freed) {
		return c, false
	}
	for _, name := range need.Names() {
		if n := need.Get(name); n > 0 {
			c.Waste += (freed.Get(name) - n) * 1000 / n
		}
	}
	return c, true
}

// Least tries every combination of steps and returns the lowest cost that frees
// what is needed, false if none does.
func Least(need model.Resources, options []Option) (best Cost, found bool) {
	choice := make([]int, len(options))
	for {
		if c, enough := Measure(need, options, choice); enough && (!found || c.Compare(best) < 0) {
			best, found = c, true
		}
		i := 0
		for ; i < len(choice); i++ {
			if choice[i]++; choice[i] <= len(options[i].Frees) {
				break
			}
			choice[i] = 0
		}
		if i == len(choice) {
			return best, found
		}
	}
}
