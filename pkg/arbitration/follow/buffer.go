package follow

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// decisionBuffer holds decisions in the order of names, with room at both ends:
// inserting or removing some moves each of the others once at most, and of one only the shorter
// side. Decisions are large, and the garbage collector scans everything that is moved.
type decisionBuffer struct {
	all      []model.Decision
	from, to int
}

// newDecisionBuffer returns a buffer of n decisions with room for more on each side.
func newDecisionBuffer(n, more int) decisionBuffer {
	room := n/64 + 8 + more
	return decisionBuffer{all: make([]model.Decision, n+2*room), from: room, to: room + n}
}

// decisions are those in the buffer, until some are inserted or removed.
func (s *decisionBuffer) decisions() []model.Decision { return s.all[s.from:s.to:s.to] }

// insert makes places for more decisions: those that they have afterwards, in order.
func (s *decisionBuffer) insert(places []int) {
	n, k := s.to-s.from, len(places)
	if k == 0 {
		return
	}
	if s.from < k && len(s.all)-s.to < k {
		wider := newDecisionBuffer(n, k)
		copy(wider.decisions(), s.decisions())
		*s = wider
	}
	if s.from >= k && (places[k-1] < n-places[0] || len(s.all)-s.to < k) {
		s.from -= k
		all, moved := s.all[s.from:], 0
		for i, at := range places {
			copy(all[moved+i:], all[moved+k:at-i+k])
			all[at], moved = model.Decision{}, at-i
		}
		return
	}
	s.to += k
	all, moved := s.all[s.from:], n
	for i, at := range slices.Backward(places) {
		copy(all[at+1:], all[at-i:moved])
		all[at], moved = model.Decision{}, at-i
	}
}

// remove takes decisions out: those at these places, in order.
func (s *decisionBuffer) remove(places []int) {
	n, k := s.to-s.from, len(places)
	if k == 0 {
		return
	}
	all := s.decisions()
	if places[k-1] < n-places[0] {
		for i, at := range slices.Backward(places) {
			begin := 0
			if i > 0 {
				begin = places[i-1] + 1
			}
			copy(all[begin+k-i:], all[begin:at])
		}
		clear(all[:k])
		s.from += k
		return
	}
	for i, at := range places {
		end := n
		if i+1 < k {
			end = places[i+1]
		}
		copy(all[at-i:], all[at+1:end])
	}
	clear(all[n-k:])
	s.to -= k
}
