package arbitration

import (
	"cmp"
	"slices"
)

// option is an incumbent that may give way: how far down its ladder, and what
// that frees of each need.
type option struct {
	claim  *claim
	lowest int       // the lowest rung that it may be degraded to, its own if none
	evict  bool      // whether it may be evicted
	least  standing  // of the best part that it would lose when evicted, else of its worst part
	gains  [][]int64 // by rung below its own down to lowest, what becomes free of each need
	all    []int64   // what becomes free when it is evicted
}

// options lists the incumbents that may give way for the standing and free
// something that is needed: those of the same tenant, then all others that stand
// worse, worst first.
func (p *problem) options(c *claim, s standing, needs []need) []*option {
	w := p.weakness()
	var options []*option
	look := func(v *claim) {
		if v == c || !v.granted() || len(v.taken) == 0 {
			return
		}
		if o := p.option(c, s, v, needs); o != nil {
			options = append(options, o)
		}
	}
	if preemption(c.policy()) >= withinTenant {
		for _, v := range w.own[c.tenant] {
			look(v)
		}
	}
	allowed := min(preemption(&p.platform.Policy), preemption(c.policy()))
	if allowed < reclaim || s.class > entitled && allowed < anyBand {
		return options
	}
	s.priority = 0
	for i, v := range w.all {
		at := w.at[i]
		if at.priority = 0; at.compare(s) <= 0 {
			break // all that follow stand as well or better
		}
		if v.tenant != c.tenant {
			look(v)
		}
	}
	return options
}

// weakness lists the incumbents, those with the worst part first; of equal ones
// the youngest. It is not sorted anew when some of them give way: that only makes
// the worst part of what is left better. From one pass to the next it stays as long
// as the same run and stand as they did.
type weakness struct {
	all []*claim
	at  []standing // their worst parts when the list was made
	own map[int][]*claim

	guarded bool // some are protected for a time
}

func (p *problem) weakness() *weakness {
	if p.weak != nil {
		return p.weak
	}
	w := &weakness{own: map[int][]*claim{}}
	worst := map[*claim]standing{}
	for _, c := range p.running {
		if c.granted() && c.standing != nil {
			c.protected = p.protected(c)
			w.guarded = w.guarded || c.policy().MinRuntime > 0
			w.all, worst[c] = append(w.all, c), c.worst(c.rung)
		}
	}
	slices.SortFunc(w.all, func(x, y *claim) int {
		return cmp.Or(worst[y].compare(worst[x]), elders(y, x))
	})
	for _, c := range w.all {
		w.at = append(w.at, worst[c])
		w.own[c.tenant] = append(w.own[c.tenant], c)
	}
	p.weak = w
	return w
}

// option finds out how far an incumbent may give way, nil if not at all.
func (p *problem) option(c *claim, s standing, v *claim, needs []need) *option {
	if v.protected || !p.may(c, s, v, v.standing[v.rung]) {
		return nil
	}
	before := p.frees(v, nil, needs)
	if isNothing(before) {
		return nil
	}
	o := p.spare.option()
	o.claim, o.lowest = v, v.rung
	for l := v.rung; l < len(v.ladder); l++ {
		if !p.may(c, s, v, v.standing[l]) {
			break
		}
		if l+1 < len(v.ladder) {
			o.lowest = l + 1
		} else {
			o.evict = true
		}
	}
	useful := false
	for l := v.rung + 1; l <= o.lowest; l++ {
		gain := p.frees(v, &v.ladder[l], needs)
		for i := range gain {
			gain[i] = max(0, before[i]-gain[i])
			useful = useful || gain[i] > 0
		}
		o.gains = append(o.gains, gain)
	}
	if o.evict {
		o.all = before
		for _, n := range before {
			useful = useful || n > 0
		}
	}
	if !useful {
		return nil
	}
	o.least = v.base()
	return o
}

// frees is what an incumbent takes of each need: at the given rung, or as it is.
func (p *problem) frees(v *claim, r *rung, needs []need) []int64 {
	takes := p.spare.amounts(len(needs))
	for i, n := range needs {
		switch {
		case n.pool >= 0 && r == nil:
			takes[i] = heldOf(v.taken, n.pool, n.resource)
		case n.pool >= 0:
			takes[i] = r.takes(v.pool, n.pool, n.resource)
		case !p.above(n.node, v.tenant):
		case r == nil:
			takes[i] = p.sum(v.taken)[n.resource]
		default:
			takes[i] = r.total[n.resource]
		}
	}
	return takes
}

// spares are blocks of options and amounts, of which one decision may need many
// thousands.
type spares struct {
	options []option
	numbers []int64
}

const sparesInBlock = 512

func (s *spares) option() *option {
	if len(s.options) == 0 {
		s.options = make([]option, sparesInBlock)
	}
	o := &s.options[0]
	s.options = s.options[1:]
	return o
}

func (s *spares) amounts(n int) []int64 {
	if len(s.numbers) < n {
		s.numbers = make([]int64, sparesInBlock+n)
	}
	a := s.numbers[:n:n]
	s.numbers = s.numbers[n:]
	return a
}
