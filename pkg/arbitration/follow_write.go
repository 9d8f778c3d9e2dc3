package arbitration

import (
	"maps"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// outdate notes that a decision is to be written anew.
func (p *problem) outdate(c *claim) {
	if !c.stale {
		c.stale = true
		p.stale = append(p.stale, c)
	}
}

// write brings the ruling up to date. It returns whose decision is another than
// before, and of those the ones whose case was not made anew: these were decided
// with what was found out about them in an earlier pass.
func (f *following) write() (ruling model.Ruling, changed, late []model.AppID) {
	p := f.problem
	ruling = model.Ruling{Decisions: p.shelf.decisions()}
	for _, c := range p.touched {
		p.outdate(c)
		f.dirty[c.tenant] = true
	}
	for _, t := range slices.Sorted(maps.Keys(f.dirty)) {
		p.runs[t] = nil // who was tried for the first time is known from now on
		p.number(t, p.outdate)
	}
	fresh := make(map[*claim]bool, len(f.fresh))
	for _, c := range f.fresh {
		fresh[c] = true
	}
	slices.SortFunc(p.stale, func(x, y *claim) int { return x.app.Compare(y.app) })
	for _, c := range p.stale {
		c.stale = false
		at, _ := p.find(c.app)
		d := p.decision(c)
		if same := sameDecision(&ruling.Decisions[at], &d); same && !f.retold[c.app] {
			continue
		} else if !same && !fresh[c] {
			late = append(late, c.app)
		}
		ruling.Decisions[at] = d
		changed = append(changed, c.app)
	}
	return ruling, changed, late
}

// sameDecision says whether two decisions about an application decide the same.
func sameDecision(x, y *model.Decision) bool {
	return x.App == y.App && x.Verdict == y.Verdict && x.Reason == y.Reason && x.Spec == y.Spec && x.Degraded == y.Degraded &&
		x.Position == y.Position && x.EvictAt.Equal(y.EvictAt) && x.Standing == y.Standing && x.For == y.For &&
		sameRefusal(x.Refused, y.Refused) && sameGrants(x.Grants, y.Grants) &&
		slices.EqualFunc(x.Grants, y.Grants, func(g, h model.Grant) bool { return slices.Equal(g.Domains, h.Domains) })
}

func sameGrants(x, y []model.Grant) bool {
	return slices.EqualFunc(x, y, func(g, h model.Grant) bool { return sameGrant(&g, &h) })
}
