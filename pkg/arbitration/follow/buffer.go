package follow

import "github.com/d-aros/d-aros/pkg/model"

// decisionBuffer holds decisions in the order of names, with room at both ends:
// inserting or removing one moves only the shorter side. Decisions are large, and
// the garbage collector scans everything that is moved.
type decisionBuffer struct {
	all      []model.Decision
	from, to int
}

func newDecisionBuffer(n int) decisionBuffer {
	room := n/64 + 8
	return decisionBuffer{all: make([]model.Decision, n+2*room), from: room, to: room + n}
}

// decisions are those in the buffer, until one is inserted or removed.
func (s *decisionBuffer) decisions() []model.Decision { return s.all[s.from:s.to:s.to] }

// insert makes a place for one more decision.
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

// remove takes one decision out.
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
