package solve

import (
	"encoding/binary"
	"slices"
	"strconv"
)

// attempts are the choices of those who give way that are tried for a level: few of many options, more where
// there are so few that nearly every choice can be tried.
type attempts struct {
	left  int
	tried map[string]bool // options that were chosen from, nil: not remembered
}

func attemptsOf(options int) *attempts {
	if options > fewOptions {
		return &attempts{left: 32}
	}
	return &attempts{128, map[string]bool{}}
}

// fewOptions is the most of which more choices are tried.
const fewOptions = 24

// next reports whether to choose from options: they are others than before, and not too many were tried.
func (a *attempts) next(options []*option, needs []need) bool {
	if a.tried != nil {
		key := make([]byte, 0, 4*len(options))
		for _, n := range needs {
			key = binary.AppendVarint(key, n.amount)
		}
		for _, o := range options {
			key = binary.AppendVarint(key, int64(o.app.slot))
			key = binary.AppendVarint(key, int64(o.lowest))
			key = strconv.AppendBool(key, o.evict)
		}
		if a.tried[string(key)] {
			return false
		}
		a.tried[string(key)] = true
	}
	a.left--
	return a.left >= 0
}

// attempt chooses among options. If the outcome is not good, some of those chosen must give up less: it
// tries again without the one that review names, then with less of it, then so with the others.
func (r *room) attempt(d *search, level, at int, options []*option, needs []need, tries *attempts) *plan {
	if !tries.next(options, needs) {
		return nil
	}
	*r.looked += len(options)
	moves := choose(options, needs)
	if moves == nil {
		return nil
	}
	cause, spared := r.review(d, level, at, moves)
	if spared == nil {
		return &plan{moves, level, at, cause, d.app.inside}
	}
	if more := besidesUnlent(needs, moves, d.short); more != nil {
		if pl := r.attempt(d, level, at, options, more, tries); pl != nil {
			return pl
		}
	}
	if i := slices.IndexFunc(moves, func(m move) bool { return m.option == spared }); i > 0 {
		moves[0], moves[i] = moves[i], moves[0]
	}
	for _, m := range moves {
		for _, o := range m.less() {
			if pl := r.attempt(d, level, at, instead(options, m.option, o), needs, tries); pl != nil {
				return pl
			}
		}
	}
	return nil
}

// besidesUnlent is what must become free where all that is short, when those of a plan have given way, is what is not lent: each of them alone
// would leave less of that than they do together. It is nil where something else is short.
func besidesUnlent(needs []need, moves []move, short []Shortage) (more []need) {
	for _, s := range short {
		k := slices.IndexFunc(needs, func(n need) bool { return n.Pool < 0 && n.Node == 0 && n.Resource == s.Resource })
		if s.Pool >= 0 || s.Node != 0 || k < 0 {
			return nil
		}
		if more == nil {
			more = slices.Clone(needs)
		}
		gained := int64(0)
		for _, m := range moves {
			if m.to < 0 {
				gained += m.option.all[k]
			} else {
				gained += m.option.gains[m.to-m.option.app.Level-1][k]
			}
		}
		more[k].amount = max(more[k].amount, gained) + s.Asked - s.Free
	}
	return more
}

// less lists what may be asked of an application that is to give up less than in a move: nothing, and
// one level less, if that is something.
func (m *move) less() []*option {
	lowest := m.to - 1
	if m.to < 0 {
		lowest = m.option.lowest
	}
	if lowest <= m.option.app.Level {
		return []*option{nil}
	}
	o := *m.option
	o.lowest, o.gains, o.evict, o.all = lowest, o.gains[:lowest-o.app.Level], false, nil
	return []*option{nil, &o}
}

// instead returns the options with one replaced, or left out where the other is nil.
func instead(options []*option, old, by *option) []*option {
	options = slices.Clone(options)
	i := slices.Index(options, old)
	if by == nil {
		return slices.Delete(options, i, i+1)
	}
	options[i] = by
	return options
}
