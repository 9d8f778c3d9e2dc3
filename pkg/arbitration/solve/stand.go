package solve

import (
	"cmp"
	"slices"
)

// Class classifies a part of an application against what its tenant may expect.
type Class int

const (
	WithinGuarantee Class = iota // fits in the tenant's guarantee
	WithinFairShare              // fits in the fair share of the tenant
	WithinSlack                  // goes beyond that by no more than the slack
	Borrowing                    // goes beyond that
)

// Slack is how far a tenant may exceed its fair share before anything is preempted
// from it: a thousandth of all capacity. It keeps small changes of demand from
// moving applications.
const Slack = Whole / 1000

// grain is more than rounding takes off a fair share: a millionth of all capacity.
const grain = Whole >> 20

// Standing classifies a part of an application against its tenant's share, and
// orders the parts of all applications: what is within a guarantee comes first,
// then higher bands, then what is within a fair share before what is borrowed,
// then, within a tenant, higher priorities.
//
// Standing follows from what is declared, what capacity there is and what weights past use makes, never from who
// runs: that is why nothing cycles; see doc.go.
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

// Stand gives every part of every application its standing: first its lowest level,
// which is the minimum that it can run, then each step up from there. The parts of
// a tenant are taken by priority, of one priority lowest levels before steps up, in first-come
// order. A part that no longer fits in the guarantee or the fair share is passed
// over, and a smaller one may still fit; but no later part stands better than an
// earlier one that is within the fair share, so that priorities keep their meaning
// inside a tenant.
func (c *Case) Stand() {
	for i := range c.Nodes {
		c.StandTenant(i)
		c.LineUp(i)
	}
}

// StandTenant ranks the parts of one tenant's applications.
func (c *Case) StandTenant(i int) {
	slices.SortFunc(c.Members[i], FirstCome) // they are, nearly, from the pass before
	apps := slices.DeleteFunc(slices.Clone(c.Members[i]), func(app *App) bool { return app.Levels == nil })
	r := c.ranks(i, c.standUpdates(i, apps))
	r.rank(apps)
	c.Nodes[i].Stood = r.Stood
}

// standUpdates ranks the parts of newer specs: where they would stand if all of the tenant ran.
func (c *Case) standUpdates(i int, apps []*App) (steady span) {
	steady = span{0, endless}
	updates := slices.DeleteFunc(slices.Clone(apps), func(app *App) bool { return app.Update == nil })
	if len(updates) == 0 {
		return steady
	}
	swap := func() {
		for _, app := range updates {
			app.Levels, app.Update.levels = app.Update.levels, app.Levels
		}
	}
	swap()
	r := c.ranks(i, steady)
	r.rank(apps)
	for _, app := range updates {
		app.Update.standing, app.Update.before = app.Standing, app.before
	}
	swap()
	return r.Steady
}

// ranks begins to count for a tenant.
func (c *Case) ranks(i int, steady span) *ranks {
	return &ranks{total: c.Total, fairShare: c.Nodes[i].FairShare, floor: c.Nodes[i].Floor, Stood: Stood{Steady: steady},
		inGuarantee: c.Zero(), inFairShare: c.Zero(), item: c.Zero()}
}

// span is a range of fair shares: from the lowest up to, but without, the highest.
type span struct{ from, to Share }

func (s span) Contains(fair Share) bool { return s.from <= fair && fair < s.to }

// steadyWith reports whether everything of the tenant surely stands as it does with another fair share of a larger capacity: what
// is within a share of it still is, and what is beyond that takes less of it, by no more than it grew.
func (s *Stood) steadyWith(fair Share, before, total Vector) bool {
	to := s.Steady.to
	for r, n := range before {
		if to < endless && n < total[r] {
			to = min(to, mulDiv(s.Steady.to+Slack, Share(n), Share(total[r]))-Slack)
		}
	}
	return (s.Steady.from <= fair || s.inSlack <= fair && s.inShare.Dominant(total) <= fair+grain) && fair < to
}

// Stood is what is known of a tenant when its applications stand.
type Stood struct {
	Steady  span   // fair shares with which everything of the tenant would stand as it does
	within  Share  // what all parts take that are within its fair share
	exceeds excess // the first part that is not
	inShare Vector // what all parts take up to the last that is within the fair share, nil: none is
	inSlack Share  // what a part within the slack takes beyond that, at the most
}

// excess is a part of an application that goes beyond the fair share of its tenant. The zero value is none.
type excess struct {
	app   *App
	level int
}

// ranks counts how far the guarantee and the fair share of a tenant are used up.
type ranks struct {
	total, floor             Vector
	fairShare                Share
	inGuarantee, inFairShare Vector
	item                     Vector
	Stood
}

// rank gives all applications of a tenant, in first-come order, their standings: a higher
// priority in full before a lower one, but where policy lets it claim its minimum only; what
// it runs beyond that comes after all else of its band.
func (r *ranks) rank(apps []*App) {
	best := WithinGuarantee // that later applications of the band may stand
	var later []*App        // of the band, whose steps up come last
	for from := 0; from < len(apps); {
		to := from
		for to < len(apps) && apps[to].Priority == apps[from].Priority {
			to++
		}
		if from > 0 && apps[from].Band != apps[from-1].Band {
			r.rankSteps(later, best)
			best, later = WithinGuarantee, nil
		}
		equal := apps[from:to]
		best = r.rankEqual(equal, best)
		for _, app := range equal {
			if app.Policy().ClaimsMinimum() {
				later = append(later, app)
			}
		}
		from = to
	}
	r.rankSteps(later, best)
}

// rankEqual ranks applications of one priority, which may stand no better than best: first what
// each can run at the least, then the steps up. It returns how well lower priorities may stand.
func (r *ranks) rankEqual(apps []*App, best Class) Class {
	for _, app := range apps {
		app.Standing, app.before = make([]Standing, len(app.Levels)), make([]Share, len(app.Levels))
		if s := r.place(app, len(app.Levels)-1, best); s <= WithinFairShare {
			best = max(best, s)
		}
	}
	stepsToo := slices.DeleteFunc(slices.Clone(apps), func(app *App) bool { return app.Policy().ClaimsMinimum() })
	return r.rankSteps(stepsToo, best)
}

// rankSteps ranks the steps up of applications. It returns how well lower priorities may stand.
func (r *ranks) rankSteps(apps []*App, best Class) Class {
	lower := best
	for _, app := range apps {
		for l := len(app.Levels) - 2; l >= 0; l-- {
			if s := r.place(app, l, best); s <= WithinFairShare {
				lower = max(lower, s)
			}
		}
	}
	return lower
}

// place ranks one part, which may stand no better than best.
func (r *ranks) place(app *App, l int, best Class) Class {
	copy(r.item, app.Levels[l].lasts)
	if l+1 < len(app.Levels) {
		r.item.sub(app.Levels[l+1].lasts)
	}
	if l+1 < len(app.Levels) && r.item.isNothing() {
		app.Standing[l], app.before[l] = app.Standing[l+1], app.before[l+1] // it frees nothing, so it protects nothing
		return app.Standing[l].Class
	}
	s := Borrowing
	app.before[l] = r.within
	r.inFairShare.Add(r.item)
	steady, share := &r.Steady, r.inFairShare.Dominant(r.total)
	switch {
	case best == WithinGuarantee && sumFits(r.inGuarantee, r.item, r.floor):
		s = WithinGuarantee
		r.inGuarantee.Add(r.item)
	case share <= r.fairShare+grain:
		s = WithinFairShare
		steady.from = max(steady.from, share-min(share, grain))
		r.inShare = append(r.inShare[:0], r.inFairShare...)
	case share <= r.fairShare+Slack:
		s = WithinSlack
		r.inSlack = max(r.inSlack, share-min(share, Slack))
		steady.from = max(steady.from, share-min(share, Slack))
		steady.to = min(steady.to, share-grain)
	default:
		steady.to = min(steady.to, share-Slack)
	}
	if s <= WithinFairShare {
		r.within = share
	} else {
		r.inFairShare.sub(r.item)
		if r.exceeds.app == nil {
			r.exceeds = excess{app, l}
		}
	}
	app.Standing[l] = Standing{Class: s, Band: app.Band, Priority: app.Priority}
	if l+1 < len(app.Levels) && app.Policy().ClaimsMinimum() {
		app.Standing[l].Priority = 0
	}
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
