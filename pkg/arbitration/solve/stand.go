package solve

import (
	"cmp"
	"slices"
)

// class says how a part of an application stands to what its tenant may expect.
type Class int

const (
	WithinGuarantee Class = iota // fits in the tenant's guarantee
	WithinFairShare              // fits in what the tenant is entitled to
	WithinSlack                  // goes beyond that by no more than the slack
	Borrowing                    // goes beyond that
)

// slack is how far a tenant may be beyond what it is entitled to before anything
// is taken from it: a thousandth of all capacity. It keeps demands that move a
// little from moving applications.
const Slack = Whole / 1000

// grain is more than what rounding takes off an entitlement: a millionth of all
// capacity.
const grain = Whole >> 20

// standing orders the parts of all applications: what is guaranteed comes first,
// then higher bands, then what its tenant is entitled to before what is beyond,
// then, within a tenant, higher priorities.
//
// It follows from what is declared and what there is, never from who runs. Since
// room is made only for parts that stand better than every part that gives way,
// and nothing else takes a place from anybody, each disruption makes the sorted
// list of the standings that run better, and the same inputs can never lead back
// to an earlier state: nothing cycles.
type Standing struct {
	Class    Class
	Band     int
	Priority int
}

func (s Standing) Compare(o Standing) int {
	return cmp.Or(
		cmp.Compare(min(s.Class, WithinFairShare), min(o.Class, WithinFairShare)), // guaranteed or not
		cmp.Compare(s.Band, o.Band),
		cmp.Compare(s.Class, o.Class),
		cmp.Compare(o.Priority, s.Priority),
	)
}

// stand gives every part of every application its standing: its lowest level,
// which is the minimum that it can run, and each step up from there. The parts of
// a tenant are taken band by band, lowest levels before steps up, in first-come
// order. A part that no longer fits in the guarantee or the fair share is passed
// over, and a smaller one may still fit; but nothing stands better than what is
// within the fair share and comes before it, so that priorities keep their meaning
// inside a tenant.
func (p *Case) Stand() {
	for i := range p.Nodes {
		p.StandTenant(i)
		p.LineUp(i)
	}
}

// standTenant ranks the parts of one tenant's applications.
func (p *Case) StandTenant(i int) {
	var apps []*App
	for _, c := range p.Members[i] {
		if c.Levels != nil {
			apps = append(apps, c)
		}
	}
	slices.SortFunc(apps, FirstCome)
	r := &ranks{total: p.Total, fairShare: p.Nodes[i].FairShare, floor: p.Nodes[i].Floor, steady: span{0, endless},
		inGuarantee: p.Zero(), inFairShare: p.Zero(), item: p.Zero()}
	r.rank(apps)
	p.Nodes[i].Steady = r.steady
}

// span are entitlements from a lowest one up to, but without, a highest.
type span struct{ from, to Share }

func (s span) Contains(fair Share) bool { return s.from <= fair && fair < s.to }

// ranks counts how far the guarantee and the fair share of a tenant are used up.
type ranks struct {
	total, floor             Vector
	fairShare                Share
	inGuarantee, inFairShare Vector
	item                     Vector
	steady                   span
}

// rank gives all applications of a tenant, in first-come order, their standings.
func (r *ranks) rank(apps []*App) {
	for from := 0; from < len(apps); {
		to := from
		for to < len(apps) && apps[to].Band == apps[from].Band {
			to++
		}
		band := apps[from:to]
		best := WithinGuarantee // that those who come after may stand
		for _, c := range band {
			c.Standing = make([]Standing, len(c.Levels))
			if s := r.place(c, len(c.Levels)-1, best); s <= WithinFairShare {
				best = max(best, s)
			}
		}
		for _, c := range band {
			for l := len(c.Levels) - 2; l >= 0; l-- {
				r.place(c, l, best)
			}
		}
		from = to
	}
}

// place ranks one part, which may stand no better than best.
func (r *ranks) place(c *App, l int, best Class) Class {
	copy(r.item, c.Levels[l].lasts)
	if l+1 < len(c.Levels) {
		r.item.sub(c.Levels[l+1].lasts)
	}
	if l+1 < len(c.Levels) && r.item.isZero() {
		c.Standing[l] = c.Standing[l+1] // it frees nothing, so it protects nothing
		return c.Standing[l].Class
	}
	s := Borrowing
	r.inFairShare.Add(r.item)
	steady := &r.steady
	switch share := r.inFairShare.Dominant(r.total); {
	case best == WithinGuarantee && sumFits(r.inGuarantee, r.item, r.floor):
		s = WithinGuarantee
		r.inGuarantee.Add(r.item)
	case share <= r.fairShare+grain:
		s = WithinFairShare
		steady.from = max(steady.from, share-min(share, grain))
	case share <= r.fairShare+Slack:
		s = WithinSlack
		steady.from = max(steady.from, share-min(share, Slack))
		steady.to = min(steady.to, share-grain)
	default:
		steady.to = min(steady.to, share-Slack)
	}
	if s > WithinFairShare {
		r.inFairShare.sub(r.item)
	}
	c.Standing[l] = Standing{Class: s, Band: c.Band, Priority: c.Priority}
	return s
}

func sumFits(x, y, limit Vector) bool {
	for i, n := range x {
		if n+y[i] > limit[i] {
			return false
		}
	}
	return true
}
