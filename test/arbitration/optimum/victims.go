// Package optimum finds by exhaustive search what arbitration finds by rules: the
// cheapest way to make room, and the best set to admit. It is for small instances
// and for comparing figures; it decides nothing.
package optimum

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

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
	s := newSearch(need, options)
	s.try(0)
	if s.best == nil {
		return best, false
	}
	return Measure(need, options, s.best)
}

// search goes through all combinations with amounts as plain numbers, and leaves
// those that already cost more than the best.
type search struct {
	options []Option
	frees   [][][]int64 // by option and step, of each resource that is needed
	need    []int64

	choice    []int
	freed     []int64
	evictions []int // by tier, highest first
	degraded  int

	best          []int
	bestEvictions []int
	bestDegraded  int
	bestWaste     int64
}

func newSearch(need model.Resources, options []Option) *search {
	s := &search{options: options, choice: make([]int, len(options))}
	var names []string
	for _, name := range need.Names() {
		if n := need.Get(name); n > 0 {
			names, s.need = append(names, name), append(s.need, n)
		}
	}
	s.freed = make([]int64, len(names))
	tiers := 0
	for _, o := range options {
		tiers = max(tiers, o.Tier+1)
		var steps [][]int64
		for _, r := range o.Frees {
			var amounts []int64
			for _, name := range names {
				amounts = append(amounts, r.Get(name))
			}
			steps = append(steps, amounts)
		}
		s.frees = append(s.frees, steps)
	}
	s.evictions = make([]int, tiers)
	return s
}

// try goes through the steps of option i and of all after it.
func (s *search) try(i int) {
	if s.best != nil && slices.Compare(s.evictions, s.bestEvictions) > 0 {
		return
	}
	if i == len(s.options) {
		s.keep()
		return
	}
	s.try(i + 1)
	tier := len(s.evictions) - 1 - s.options[i].Tier
	for step, amounts := range s.frees[i] {
		last := step == len(s.frees[i])-1
		s.choice[i] = step + 1
		for r, n := range amounts {
			s.freed[r] += n
		}
		if last {
			s.evictions[tier]++
		} else {
			s.degraded++
		}
		s.try(i + 1)
		if last {
			s.evictions[tier]--
		} else {
			s.degraded--
		}
		for r, n := range amounts {
			s.freed[r] -= n
		}
		s.choice[i] = 0
	}
}

// keep remembers the present combination if it is enough and the cheapest yet.
func (s *search) keep() {
	var waste int64
	for r, n := range s.need {
		if s.freed[r] < n {
			return
		}
		waste += (s.freed[r] - n) * 1000 / n
	}
	now := Cost{s.evictions, s.degraded, waste}
	if s.best == nil || now.Compare(Cost{s.bestEvictions, s.bestDegraded, s.bestWaste}) < 0 {
		s.best, s.bestEvictions = slices.Clone(s.choice), slices.Clone(s.evictions)
		s.bestDegraded, s.bestWaste = s.degraded, waste
	}
}
