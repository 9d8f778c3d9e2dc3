package arbitration

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// outdate notes that a decision is to be written anew.
func (p *problem) outdate(c *claim) {
	if !c.stale {
		c.stale = true
		p.stale = append(p.stale, c)
	}
}

// write brings the ruling up to date. Where somebody only has another place in
// the line, nothing but the place is written.
func (f *following) write() model.Ruling {
	p := f.problem
	ruling := model.Ruling{Decisions: p.shelf.decisions()}
	for _, c := range p.touched {
		p.outdate(c)
		f.dirty[c.tenant] = true
	}
	for _, t := range slices.Sorted(maps.Keys(f.dirty)) {
		p.runs[t] = nil // who was tried for the first time is known from now on
		p.number(t, func(c *claim, place int) {
			if !c.stale {
				at, _ := p.find(c.app)
				ruling.Decisions[at].Message = renumbered(ruling.Decisions[at].Message, place)
				ruling.Decisions[at].Position = place
			}
		})
	}
	slices.SortFunc(p.stale, func(x, y *claim) int { return x.app.Compare(y.app) })
	var changed []*claim
	for _, c := range p.stale {
		c.stale = false
		at, _ := p.find(c.app)
		if d := p.decision(c); !sameDecision(&ruling.Decisions[at], &d) {
			ruling.Decisions[at] = d
			changed = append(changed, c)
		}
	}
	p.explain(&ruling, changed)
	return ruling
}

// sameDecision says whether two decisions about an application decide the same.
func sameDecision(x, y *model.Decision) bool {
	return x.App == y.App && x.Verdict == y.Verdict && x.Reason == y.Reason && x.Spec == y.Spec && x.Degraded == y.Degraded &&
		x.Position == y.Position && x.EvictAt.Equal(y.EvictAt) && x.Standing == y.Standing && x.For == y.For &&
		sameRefusal(x.Refused, y.Refused) && sameGrants(x.Grants, y.Grants) &&
		slices.EqualFunc(x.Grants, y.Grants, func(g, h model.Grant) bool { return slices.Equal(g.Domains, h.Domains) })
}

// inLineAt begins the message about one that waits.
const inLineAt = "waits for capacity, number "

// renumbered is a message about one that waits with another number.
func renumbered(message string, place int) string {
	rest := strings.TrimLeft(strings.TrimPrefix(message, inLineAt), "0123456789")
	return inLineAt + strconv.Itoa(place) + rest
}

func sameGrants(x, y []model.Grant) bool {
	return slices.EqualFunc(x, y, func(g, h model.Grant) bool { return sameGrant(&g, &h) })
}
