package solve

import (
	"cmp"
	"slices"
)

// Cause is why an application may take from others.
type Cause int

const (
	ByPriority  Cause = iota // inside its tenant
	ByGuarantee              // less of the guarantees is broken
	ByBand                   // it is of a higher band
	ByFairShare              // fair shares are missed by less
	ByWaiting                // so, and it exceeds the fair share of its tenant and has waited for long
)

// search looks for who gives way for a level of an application.
type search struct {
	*preemptor
	standing Standing   // of the weakest part that is gained
	counts   Standing   // as what it takes from other tenants; see Taking
	priority int        // the lowest of those parts
	allowed  Reach      // across tenants
	below    bool       // the tenant, or a group of it, has less than its guarantee or its fair share
	deep     bool       // also what stands alike in other tenants may give way
	short    []Shortage // after the plan that was reviewed last
}

// search begins to look for who gives way for a level.
func (r *room) search(c *preemptor, level int) *search {
	s := c.standing(level)
	d := &search{preemptor: c, standing: s, counts: s, priority: c.priority(level), allowed: min(Preemption(r.platform), Preemption(c.app.Policy()))}
	if c.exceeds {
		d.counts.Class = WithinFairShare
	}
	r.move(c.app, c.kept, 1)
	d.below = r.Below(c.app.Tenant)
	r.move(c.app, c.kept, -1)
	return d
}

// Below reports whether a tenant, or a group of it, has less than its guarantee or its
// fair share.
func (b *Books) Below(tenant int) bool {
	for i := tenant; i > 0; i = b.Nodes[i].Parent {
		if b.shortfall(i) >= Slack || !b.Nodes[i].Floor.Fits(b.Nodes[i].Used) {
			return true
		}
	}
	return false
}

// shortfall is how much a node has less than its fair share.
func (b *Books) shortfall(i int) Share {
	n := b.Nodes[i]
	used := n.Used.Dominant(b.Total)
	return n.FairShare - min(n.FairShare, used)
}

// lack is what a node lacks of what is its own.
type lack struct {
	depth  int     // of the node: in how many groups it is
	broken []Share // of its guarantee, by band: what its guaranteed parts down to that band do not have
	short  Share   // of its fair share
}

// scale compares what tenants and groups lack before and after a plan: those that gain
// or lose by it, below the group that all of them are in. What that group has as a whole is no
// measure: who takes back his own may leave something idle.
type scale struct {
	*room
	search *search
	level  int
	moves  []move // worst standing first
	nodes  []int
	before []lack
}

// weigh puts what there is before a plan on the scale. It returns nil where no other
// tenant loses anything: priorities alone decide inside a tenant.
func (r *room) weigh(d *search, level int, moves []move) *scale {
	s := &scale{room: r, search: d, level: level, moves: moves}
	top := d.app.Tenant
	for _, m := range moves {
		for !r.Above(top, m.option.app.Tenant) {
			top = r.Nodes[top].Parent
		}
	}
	if top == d.app.Tenant {
		return nil
	}
	seen := map[int]bool{}
	note := func(tenant int) {
		for i := tenant; i != top && !seen[i]; i = r.Nodes[i].Parent {
			seen[i], s.nodes = true, append(s.nodes, i)
		}
	}
	note(d.app.Tenant)
	for _, m := range moves {
		note(m.option.app.Tenant)
	}
	r.move(d.app, d.kept, 1)
	s.before = s.lacks(map[*App]int{d.app: d.from})
	r.move(d.app, d.kept, -1)
	return s
}

// depth is how many groups a node is in.
func (t *Tree) depth(i int) (n int) {
	for ; i > 0; i = t.Nodes[i].Parent {
		n++
	}
	return n
}

// lacks is what every node on the scale lacks, with some applications at other levels.
func (s *scale) lacks(at map[*App]int) []lack {
	all := make([]lack, len(s.nodes))
	for k, i := range s.nodes {
		all[k] = lack{s.depth(i), s.broken(i, at), rough(s.shortfall(i))}
	}
	return all
}

// broken is what a node lacks of its guarantee, by band; nil for nothing.
func (s *scale) broken(i int, at map[*App]int) []Share {
	n, lack := s.Nodes[i], slices.Clone(s.Nodes[i].Floor)
	if lack.sub(n.Used); lack.isNothing() {
		return nil
	}
	idle := make([]Vector, s.bands+1)
	for b := range idle {
		idle[b] = s.Zero()
	}
	for t := i; t < len(s.Nodes); t++ {
		if s.Nodes[t].Tenant == nil || !s.Above(i, t) {
			continue
		}
		for _, app := range s.Members[t] {
			if app.Standing == nil {
				continue
			}
			level, known := at[app]
			switch {
			case known:
			case app.Granted():
				level = app.Level
			default:
				level = len(app.Levels)
			}
			for l := range level {
				if app.Standing[l].Class == WithinGuarantee {
					idle[app.Band].Add(Part(app.Levels, l))
				}
			}
		}
	}
	broken, sum := make([]Share, len(idle)), s.Zero()
	for b := range idle {
		sum.Add(idle[b])
		least := s.Zero()
		for r := range least {
			least[r] = max(0, min(sum[r], lack[r]))
		}
		broken[b] = rough(least.Dominant(s.Total))
	}
	return broken
}

// rough takes off what rounding may have added: to the nearest grain.
func rough(s Share) Share { return (s + grain/2) / grain * grain }

// Part is what a level takes beyond the level below it.
func Part(levels []Level, l int) Vector {
	amount := slices.Clone(levels[l].lasts)
	if l+1 < len(levels) {
		amount.sub(levels[l+1].lasts)
	}
	return amount
}

// verdict is asked when everything of the plan is booked. It returns why the plan
// counts, else the option to do without: a plan counts if what stands best of all that
// runs is more than before, and if less of the guarantees is broken, or as much and
//
//   - everything that others lose is of lower bands, where policy lets bands take, or
//   - the fair shares are missed by less: of each depth of the tree, the largest
//     shortfall that differs is smaller, by a thousandth of all capacity at least.
func (s *scale) verdict() (why Cause, spared *option) {
	at := map[*App]int{s.search.app: s.level}
	for i := range s.moves {
		_, at[s.moves[i].option.app] = s.moves[i].lost()
	}
	after := s.lacks(at)
	guarantees := s.compareBroken(after)
	switch {
	case guarantees < 0:
		why = ByGuarantee
	case guarantees == 0 && s.fromLowerBands():
		why = ByBand
	case guarantees == 0 && s.fairer(after):
		why = ByFairShare
	}
	if why == ByPriority || !s.standsBetter() {
		return why, s.poorest(after)
	}
	return why, nil
}

// compareBroken compares the broken guarantees after a plan with those before it, from the highest band down.
func (s *scale) compareBroken(after []lack) int {
	for b := range s.bands + 1 {
		if n := slices.Compare(brokenAt(after, b), brokenAt(s.before, b)); n != 0 {
			return n
		}
	}
	return 0
}

// brokenAt lists what nodes lack of their guarantees down to a band, the most first.
func brokenAt(all []lack, band int) []Share {
	list := make([]Share, len(all))
	for i := range all {
		if all[i].broken != nil {
			list[i] = all[i].broken[band]
		}
	}
	slices.SortFunc(list, func(x, y Share) int { return cmp.Compare(y, x) })
	return list
}

// fromLowerBands reports whether policy lets bands take, and everything that other tenants lose is of lower bands than
// everything that is gained.
func (s *scale) fromLowerBands() bool {
	for i := range s.moves {
		if v := s.moves[i].option.app; v.Tenant != s.search.app.Tenant && v.Band <= s.search.standing.Band {
			return false
		}
	}
	return s.search.allowed == AnyBand
}

// fairer reports whether fair shares are missed by less.
func (s *scale) fairer(after []lack) bool {
	mostFirst := func(x, y lack) int { return cmp.Or(cmp.Compare(x.depth, y.depth), cmp.Compare(y.short, x.short)) }
	was, is := slices.SortedFunc(slices.Values(s.before), mostFirst), slices.SortedFunc(slices.Values(after), mostFirst)
	for k := range was {
		if was[k].short != is[k].short {
			return is[k].short+Slack <= was[k].short
		}
	}
	return false
}

// standsBetter reports whether what runs stands better after the plan: of the best standing
// of which it runs another amount, it runs more. That is why nothing cycles; see doc.go.
func (s *scale) standsBetter() bool {
	type step struct {
		Rank
		share int64
	}
	var steps []step
	add := func(app *App, from, to int, sign int64) {
		for l := from; l < to; l++ {
			steps = append(steps, step{s.Rank(app, l), sign * int64(Part(app.Levels, l).Dominant(s.Total))})
		}
	}
	add(s.search.app, s.level, s.search.from, 1)
	for i := range s.moves {
		from, to := s.moves[i].lost()
		add(s.moves[i].option.app, from, to, -1)
	}
	slices.SortFunc(steps, func(x, y step) int { return x.Compare(y.Rank) })
	for from := 0; from < len(steps); {
		sum, to := int64(0), from
		for ; to < len(steps) && steps[to].Compare(steps[from].Rank) == 0; to++ {
			sum += steps[to].share
		}
		if sum > int64(len(steps)) || -sum > int64(len(steps)) { // else it is what rounding takes off
			return sum > 0
		}
		from = to
	}
	return false
}

// poorest is the option of another tenant that the plan would leave with most missing of
// its fair share; of several the one that stands best.
func (s *scale) poorest(after []lack) (found *option) {
	var most Share
	for i := range s.moves {
		v := s.moves[i].option.app
		if v.Tenant == s.search.app.Tenant {
			continue
		}
		var worst Share
		for n := v.Tenant; n > 0 && !s.Above(n, s.search.app.Tenant); n = s.Nodes[n].Parent {
			worst = max(worst, after[slices.Index(s.nodes, n)].short)
		}
		if found == nil || worst >= most {
			found, most = s.moves[i].option, worst
		}
	}
	return found
}
