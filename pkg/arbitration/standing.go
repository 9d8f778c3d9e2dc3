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

// grain is more than what rounding takes off an entitlement: a millionth of all
// capacity.
const grain = whole >> 20

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
// a tenant are taken band by band, lowest rungs before steps up, elders first.
// What does not fit in the guarantee or the entitlement any more is passed over,
// and what is smaller may still fit; but nothing stands better than what is
// entitled and comes before it, so that priorities keep their meaning inside a
// tenant.
func (p *problem) stand() {
	p.byTenant, p.lines, p.runs = make([][]*claim, len(p.nodes)), make([][]*claim, len(p.nodes)), make([][]run, len(p.nodes))
	for i := range p.nodes {
		p.standTenant(i)
		p.lineUp(i)
	}
}

func (p *problem) standTenant(i int) {
	claims := p.byTenant[i][:0]
	for _, c := range p.members[i] {
		if c.ladder != nil {
			claims = append(claims, c)
		}
	}
	slices.SortFunc(claims, elders)
	p.byTenant[i] = claims
	p.nodes[i].steady = span{0, endless}
	if len(claims) > 0 {
		r := &ranks{problem: p, node: &p.nodes[i], inGuarantee: p.zero(), inEntitlement: p.zero(), item: p.zero()}
		r.rank(claims)
	}
}

// span are entitlements from a lowest one up to, but without, a highest.
type span struct{ from, to share }

// ranks is how far the guarantee and the entitlement of a tenant are used up.
type ranks struct {
	*problem
	node                       *node
	inGuarantee, inEntitlement vector
	item                       vector
}

func (r *ranks) rank(claims []*claim) {
	for from := 0; from < len(claims); {
		to := from
		for to < len(claims) && claims[to].band == claims[from].band {
			to++
		}
		band := claims[from:to]
		best := guaranteed // that those who come after may stand
		for _, c := range band {
			c.standing = make([]standing, len(c.ladder))
			if s := r.place(c, len(c.ladder)-1, best); s <= entitled {
				best = max(best, s)
			}
		}
		for _, c := range band {
			for l := len(c.ladder) - 2; l >= 0; l-- {
				r.place(c, l, best)
			}
		}
		from = to
	}
}

// place ranks one part, which may stand no better than best.
func (r *ranks) place(c *claim, l int, best class) class {
	copy(r.item, c.ladder[l].lasts)
	if l+1 < len(c.ladder) {
		r.item.sub(c.ladder[l+1].lasts)
	}
	if l+1 < len(c.ladder) && r.item.isZero() {
		c.standing[l] = c.standing[l+1] // it frees nothing, so it protects nothing
		return c.standing[l].class
	}
	s := beyond
	r.inEntitlement.add(r.item)
	steady := &r.node.steady
	switch share := r.inEntitlement.dominant(r.total); {
	case best == guaranteed && sumFits(r.inGuarantee, r.item, r.node.floor):
		s = guaranteed
		r.inGuarantee.add(r.item)
	case share <= r.node.entitled+grain:
		s = entitled
		steady.from = max(steady.from, share-min(share, grain))
	case share <= r.node.entitled+slack:
		s = near
		steady.from = max(steady.from, share-min(share, slack))
		steady.to = min(steady.to, share-grain)
	default:
		steady.to = min(steady.to, share-slack)
	}
	if s > entitled {
		r.inEntitlement.sub(r.item)
	}
	c.standing[l] = standing{class: s, band: c.band, priority: c.priority}
	return s
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
