package advice

import (
	"fmt"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// change is a kind of change with the amounts that may matter.
type change struct {
	kind, by string
	list     []int64 // amounts, the smallest change first
	between  bool    // amounts between those of the list are changes too
	any      bool    // each amount may help, whatever those beside it do
	own      bool    // it helps nobody who is alike
	only     bool    // it is of several things at once, and tried only if none of its kind alone is enough

	edit func(spec *model.Application, n int64) // of the spec in Git; nil: something else changes
	beyond
	tell  func(n int64) model.Advice // the change in words, and as settings of a what-if
	until func(n int64) time.Time    // how long that is enough, nil: as long as nothing else changes
	next  func(n int64) *change      // the change of a further amount that this one leaves as it is; nil: there is none
}

// beyond is a change of something else than the application.
type beyond struct {
	inputs func(in *solve.Inputs, n int64)
	quota  func(n int64) solve.Raise // the same, as a larger quota; nil: it is none
	more   func(n int64) solve.More  // the same, as more of what many share; nil: it is none
}

// hit is an amount that admits, and who gives way.
type hit struct {
	amount  int64
	victims []*solve.Displaced
}

// glance is at how many applications and tenants a try on the solved case looks in the time in which one is decided.
const glance = 200

// search looks for what helps one application.
type search struct {
	*Advisor
	app  *solve.App
	aim  aim
	left int  // applications that may be decided again
	cut  bool // something could not be tried
}

// try reports whether a change by an amount helps. An amount of zero changes nothing, so it does not.
func (s *search) try(ch *change, n int64) (hit, bool) {
	if n == 0 {
		return hit{}, false
	}
	if s.left--; s.left < 0 {
		s.cut = true
		return hit{}, false
	}
	in, wanted := s.Inputs, s.edited(ch, n)
	if s.rests {
		if t, known := ch.onCase(s, wanted, n); known {
			return hit{n, t.Victims}, t.Granted
		}
	}
	cost := overhead + len(s.Apps)
	if len(s.Apps) > s.whole || cost > s.left {
		s.cut = true
		return hit{}, false
	}
	s.left -= cost
	if wanted == nil {
		ch.inputs(&in, n)
	} else {
		replace(&in, s.app, wanted)
	}
	_, again := s.again(in).Find(s.app.ID)
	if !s.aim.reached(again) {
		return hit{}, false
	}
	return hit{n, again.Victims}, true
}

// onCase tries a change on the solved case, where that can tell what comes of it.
func (ch *change) onCase(s *search, wanted *model.Application, n int64) (t solve.Trial, known bool) {
	switch {
	case wanted != nil && s.aim == aPlace:
		t, known = s.Try(s.app, wanted)
	case wanted != nil:
		t, known = solve.TryInPlace(wanted, s.app, s.Case)
	case ch.quota != nil && s.aim == aPlace:
		t, known = ch.quota(n).Try(s.Case, s.app)
	case ch.more != nil && s.aim != itsNewer:
		t, known = ch.withMore(s, n)
	}
	s.left -= t.Looked / glance
	return t, known
}

// withMore finds out what the application would get with more of what many share. Who gets what is found out once in a pass.
func (ch *change) withMore(s *search, n int64) (t solve.Trial, known bool) {
	m := ch.more(n)
	key := fmt.Sprint(m)
	served, ok := s.served[key]
	if !ok {
		if s.waiting == nil {
			s.waiting = new(solve.Waiting)
			s.waiting.SumUp(s.Case)
		}
		served = m.Try(s.waiting)
		s.served[key] = served
	}
	if t, known = served.Of(s.app); !ok {
		t.Looked = served.Looked
	}
	return t, known
}

// all finds the smallest amounts of a change that help, one after the other. It returns the change of the last of them.
func (s *search) all(ch *change, hint int64) (last *change, first int64, found hit, ok bool) {
	found, ok = s.least(ch, hint)
	first = found.amount
	for ok && ch.next != nil {
		next := ch.next(found.amount)
		if next == nil {
			break
		}
		ch = next
		found, ok = s.least(ch, 0)
	}
	return ch, first, found, ok
}

// least finds the smallest amount of a change that helps: the first of the list that does, and then the smallest
// between it and the one before. Hint, if it is not zero, is what helped an application that is alike.
func (s *search) least(ch *change, hint int64) (found hit, ok bool) {
	if hint > 0 {
		if found, ok = s.try(ch, hint); ok {
			if _, less := s.try(ch, ch.before(hint)); !less {
				return found, true
			}
		}
	}
	lo := int64(0)
	for _, n := range some(ch.list) {
		if found, ok = s.try(ch, n); ok {
			break
		}
		if lo = n; s.cut {
			return hit{}, false
		}
	}
	if !ok {
		s.cut = ch.any && len(ch.list) > most // one that was not tried might
		return hit{}, false
	}
	next := ch.before(found.amount) // nearly always a break point is where it begins to fit
	for next > lo {
		h, admits := s.try(ch, next)
		switch {
		case s.cut:
			return hit{}, false
		case admits:
			found = h
		default:
			lo = next
		}
		next = ch.middle(lo, found.amount)
	}
	return found, true
}

// most bounds how many amounts of a change are tried before it is known between which of them the smallest is.
const most = 32

// some are at most so many of a list, the first and the last among them.
func some(list []int64) []int64 {
	if len(list) <= most {
		return list
	}
	few := make([]int64, most)
	for i := range few {
		few[i] = list[i*(len(list)-1)/(most-1)]
	}
	return few
}

// middle is an amount about halfway between one that does not help and one that does, or that not if there is none.
func (ch *change) middle(lo, hi int64) int64 {
	if ch.between {
		return lo + (hi-lo)/2
	}
	from, _ := slices.BinarySearch(ch.list, lo+1)
	to, _ := slices.BinarySearch(ch.list, hi)
	if from >= to {
		return lo
	}
	return ch.list[(from+to)/2]
}

// before is the next smaller amount, 0: nothing changes.
func (ch *change) before(n int64) int64 {
	if ch.between {
		return n - 1
	}
	i, _ := slices.BinarySearch(ch.list, n)
	if i == 0 {
		return 0
	}
	return ch.list[i-1]
}

// replace puts another spec of an application into inputs.
func replace(in *solve.Inputs, app *solve.App, wanted *model.Application) {
	if app.Incumbent() {
		sealed := wanted.Seal() // a spec that runs is known by its digest
		wanted = &sealed
	}
	in.Fleet.Applications = slices.Clone(in.Fleet.Applications)
	at := slices.IndexFunc(in.Fleet.Applications, func(a *model.Application) bool { return a.ID == app.ID })
	in.Fleet.Applications[at] = wanted
}
