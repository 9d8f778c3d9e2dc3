package arbitration

import (
	"cmp"
	"slices"
)

// class says how a part of an application stands to what its tenant may expect.
type class int

const (
	guaranteed class = iota // fits in the tenant's guarantee
	entitled                // fits in what the tenant is entitled to
	near                    // goes beyond that by no more than the slack
	beyond                  // goes beyond that
)

var classNames = []string{guaranteed: "guaranteed", entitled: "entitled", near: "entitled", beyond: "beyond"}

// slack is how far a tenant may be beyond what it is entitled to before anything
// is taken from it: a thousandth of all capacity. It keeps demands that move a
// little from moving applications.
const slack = whole / 1000

// standing orders the parts of all applications: what is guaranteed comes first,
// then higher bands, then what its tenant is entitled to before what is beyond,
// then, within a tenant, higher priorities.
//
// It follows from what is declared and what there is, never from who runs. Since
// room is made only for parts that stand better than every part that gives way,
// and nothing else takes a place from anybody, each disruption makes the sorted
// list of the standings that run better, and the same inputs can never lead back
// to an earlier state: nothing cycles.
type standing struct {
	class    class
	band     int
	priority int
}

func (s standing) compare(o standing) int {
	return cmp.Or(
		cmp.Compare(min(s.class, entitled), min(o.class, entitled)), // guaranteed or not
		cmp.Compare(s.band, o.band),
		cmp.Compare(s.class, o.class),
		cmp.Compare(o.priority, s.priority),
	)
}

// stand gives every part of every application its standing: its lowest rung,
// which is what it cannot do without, and each step up from there. The parts of
// a tenant are taken band by band, lowest rungs before steps up, elders first;
// what does not fit in the guarantee or the entitlement any more is passed over,
// and what is smaller may still fit.
func (p *problem) stand() {
	byTenant := make([][]*claim, len(p.nodes))
	for _, c := range p.claims {
		if c.ladder != nil {
			byTenant[c.tenant] = append(byTenant[c.tenant], c)
		}
	}
	for i, claims := range byTenant {
		if len(claims) > 0 {
			p.standTenant(&p.nodes[i], claims)
		}
	}
}

func (p *problem) standTenant(n *node, claims []*claim) {
	slices.SortFunc(claims, elders)
	ofGuarantee, ofEntitlement, item := p.zero(), p.zero(), p.zero()
	place := func(c *claim, l int) {
		copy(item, c.ladder[l].total)
		if l+1 < len(c.ladder) {
			item.sub(c.ladder[l+1].total)
		}
		s := standing{class: beyond, band: c.band, priority: c.priority}
		switch {
		case sumFits(ofGuarantee, item, n.floor):
			s.class = guaranteed
			ofGuarantee.add(item)
			ofEntitlement.add(item)
		default:
			ofEntitlement.add(item)
			if share := ofEntitlement.dominant(p.total); share <= n.entitled {
				s.class = entitled
			} else {
				if share <= n.entitled+slack {
					s.class = near
				}
				ofEntitlement.sub(item)
			}
		}
		c.standing[l] = s
	}
	for from := 0; from < len(claims); {
		to := from
		for to < len(claims) && claims[to].band == claims[from].band {
			to++
		}
		band := claims[from:to]
		for _, c := range band {
			c.standing = make([]standing, len(c.ladder))
			place(c, len(c.ladder)-1)
		}
		for _, c := range band {
			for l := len(c.ladder) - 2; l >= 0; l-- {
				place(c, l)
			}
		}
		from = to
	}
}

func sumFits(x, y, limit vector) bool {
	for i, n := range x {
		if n+y[i] > limit[i] {
			return false
		}
	}
	return true
}

// base is the standing of the least that the application can run.
func (c *claim) base() standing { return c.standing[len(c.standing)-1] }

// worst is the standing of the weakest part of what runs at rung l.
func (c *claim) worst(l int) standing {
	w := c.standing[l]
	for _, s := range c.standing[l:] {
		if s.compare(w) > 0 {
			w = s
		}
	}
	return w
}
