package follow

import "github.com/d-aros/d-aros/pkg/model"

// shelf holds decisions in the order of names, with room at both ends: one more
// or one less moves only the fewer of those beside it. Decisions are large, and
// while the collector works it looks at everything that is moved.
type decisionBuffer struct {
	all      []model.Decision
	from, to int
}

func newDecisionBuffer(n int) decisionBuffer {
	room := n/64 + 8
	return decisionBuffer{all: make([]model.Decision, n+2*room), from: room, to: room + n}
}

// decisions are those on the shelf, until one is put there or taken away.
func (s *decisionBuffer) decisions() []model.Decision { return s.all[s.from:s.to:s.to] }

// insert makes a place for one more.
func (s *decisionBuffer) insert(at int) {
	if s.from == 0 && s.to == len(s.all) {
		wider := newDecisionBuffer(s.to)
		copy(wider.decisions(), s.all)
		*s = wider
	}
	if s.from > 0 && (2*at < s.to-s.from || s.to == len(s.all)) {
		copy(s.all[s.from-1:], s.all[s.from:s.from+at])
		s.from--
	} else {
		copy(s.all[s.from+at+1:s.to+1], s.all[s.from+at:s.to])
		s.to++
	}
	s.all[s.from+at] = model.Decision{}
}

// remove takes one away.
func (s *decisionBuffer) remove(at int) {
	if 2*at < s.to-s.from {
		copy(s.all[s.from+1:], s.all[s.from:s.from+at])
		s.all[s.from] = model.Decision{}
		s.from++
		return
	}
	copy(s.all[s.from+at:], s.all[s.from+at+1:s.to])
	s.to--
	s.all[s.to] = model.Decision{}
}
