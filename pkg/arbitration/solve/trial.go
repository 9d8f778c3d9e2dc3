package solve

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// Trial is what arbitrating again would give a pending or rejected application if Git
// declared something else of it.
type Trial struct {
	Granted bool
	Victims []*Displaced // preempted for it
	Looked  int          // at how many applications, tenants and groups
}

// AtRest reports whether everything stays as the ledger has it, and nothing is reserved or promised.
func (c *Case) AtRest() bool { return !c.AnyReserved() && c.Still() }

// Try finds out what an application would get if Git declared the spec wanted of it. It works on the solved case, in which
// nothing may move, in the tenant and the pools that the change touches, and leaves everything as it was. It reports
// false where only arbitrating everything again can tell: where something changes for somebody who is served earlier.
//
// Where nothing moves every application that is served earlier gets again what it got, so the application finds the
// pools as they are now. What is reserved and promised may be so for those that are served earlier, or later: the answer is
// known where it is the same with all of it and with nothing of it. What can differ for others, and is compared, is who passes the gate, the fair
// shares, and the standings in its own tenant.
func (c *Case) Try(app *App, wanted *model.Application) (t Trial, known bool) {
	if app.Incumbent() || app.Wanted == nil {
		return t, false
	}
	j := c.journal(app.Tenant)
	r := j.room()
	r.own(app.Tenant) // as it is without the change
	edited := j.instead(app, wanted)
	defer j.undo()
	members := c.Members[app.Tenant]
	t.Looked = len(members)
	top := c.QuotaOver(app.Tenant)
	if top > 0 {
		j.keepCounts(top)
		t.Looked += len(c.Nodes) + c.Nodes[top].applications
	}
	if c.AnyReserved() {
		j.openReserved()
	}
	passes, known := j.gateInstead(app, edited, top)
	if !known || !passes {
		return t, known
	}
	if j.getsNothing(app, edited) {
		return t, true
	}
	j.keepStanding()
	members[slices.Index(members, app)] = edited
	if t.Looked += 4 * len(members); c.RecountDemand(app.Tenant) {
		j.keepShares()
		c.FairShares()
		t.Looked += len(c.demanded) * len(c.Nodes)
	}
	c.StandTenant(app.Tenant)
	if j.others() || j.own(app, edited) || j.exceedsInstead(edited) {
		return t, false
	}
	defer j.rankAnew(&r, MayReach(c, edited))()
	if !j.find(edited, &t) {
		return t, false
	}
	if j.reserved == nil {
		return t, true
	}
	if app.Starts != nil && (edited.Base().Compare(app.Base()) > 0 || !edited.Levels[0].Total.Fits(app.Levels[0].Total)) {
		return t, false // it is served later than before, so those before it now may be promised something else
	}
	open := t
	j.closeReserved(app)
	if !j.find(edited, &t) {
		return t, false
	}
	return t, t.Granted == open.Granted && slices.EqualFunc(t.Victims, open.Victims, func(x, y *Displaced) bool {
		return x.App == y.App && x.Evicted == y.Evicted && x.To.String() == y.To.String()
	})
}

// find finds a place for the edited application in the case as it is, and reports whether that is known.
func (j *journal) find(edited *App, t *Trial) (known bool) {
	r := j.room()
	f := r.find(edited, edited.Spec, nil)
	if f.level < 0 && MayExceed(r.platform, j.Books, edited, j.Now) {
		if j.Timed || len(j.Promised) >= mostExceeding {
			return false // it may be known when it starts, or nobody looks at it
		}
		f.plan = r.excess(edited, j.Now)
	}
	t.Looked += *r.looked
	t.Granted, t.Victims = f.level >= 0 || f.plan != nil, nil
	if f.plan != nil {
		t.Victims = displaced(f.plan, edited)
	}
	return true
}

// MayReach reports whether an application might take from other tenants.
func MayReach(c *Case, app *App) bool {
	others := min(Preemption(app.Policy()), Preemption(&c.Fleet.Platform.Policy))
	return others == AnyBand || others == Reclaim && c.Below(app.Tenant)
}

// getsNothing reports whether a spec that asks for no more than the one in Git surely gets no place: it fits nowhere, and
// nobody may give way for it.
func (j *journal) getsNothing(app, edited *App) bool {
	if app.Levels == nil || edited.Variants != nil || !edited.Levels[0].lasts.Fits(app.Levels[0].lasts) || MayReach(j.Case, edited) {
		return false
	}
	for _, v := range j.Members[app.Tenant] {
		if Preemption(edited.Policy()) >= WithinTenant && j.mayGiveWay(v) && v.Priority < edited.Priority {
			return false
		}
	}
	for l := range edited.Levels {
		for _, at := range j.Preferred(edited, edited.Wanted, &edited.Levels[0]) {
			if _, short := j.fit(edited, &edited.Levels[l], at, nil); short == nil {
				return false
			}
		}
	}
	return true
}

// instead returns the application as it would be read if Git declared another spec.
func (j *journal) instead(app *App, wanted *model.Application) *App {
	edited := &App{Asked: app.Asked, Place: Place{Level: -1, pool: -1, Spec: wanted}, slot: -1}
	edited.Wanted, edited.Priority, edited.Band = wanted, wanted.Priority, j.Fleet.Platform.BandOf(wanted.Priority)
	expectAnew(wanted, edited)
	return edited
}

// gateInstead reports whether the other spec passes the gate, and whether that is known: of what counts against
// the quotas at and below node top, nothing passes that did not, and everything else as before.
func (j *journal) gateInstead(app, edited *App, top int) (passes, known bool) {
	all := []*App{edited}
	for i := top; top > 0 && i < len(j.Nodes); i++ { // else nothing is counted
		for _, o := range j.Members[i] {
			switch {
			case !j.Above(top, i) || o.Incumbent() && o.Update == nil || o == app:
				continue
			case o.Update != nil, o.Wanted != nil && o.Wanted.Flavours() > 0:
				return false, false
			}
			all = append(all, o)
			if o.Levels != nil {
				j.Count(o.Tenant, o.Spec, o.Levels[0].Total, -1)
			}
		}
	}
	if top > 0 && app.Levels != nil {
		j.Count(app.Tenant, app.Spec, app.Variants.Most(app.Levels), -1)
	}
	slices.SortFunc(all, FirstCome)
	g := gate{j.Books, j.Fleet.Platform}
	for _, o := range all {
		is, ok := o.Levels, false
		switch {
		case o.Wanted == nil:
			continue
		case o == edited:
			if is, _, ok = g.pass(o, o.Wanted, nil); ok {
				passes, o.Levels, o.Verdict = true, is, model.VerdictWaiting
			}
		default:
			if is == nil {
				is = j.LevelsOf(o, o.Wanted, nil)
			}
			if _, ok = g.check(o, o.Wanted, is); ok != (o.Levels != nil) {
				return false, false
			}
		}
		if ok && top > 0 {
			j.Count(o.Tenant, o.Wanted, o.Variants.Most(is), 1)
		}
	}
	return passes, true
}

// displaced are those that give way in a plan.
func displaced(pl *plan, app *App) (list []*Displaced) {
	for _, m := range pl.moves {
		v := m.option.app
		d := &Displaced{App: v, Spec: v.Spec, From: v.Levels[v.Level].Cut, Evicted: m.to < 0, Preemptor: app}
		if m.to >= 0 {
			d.To = v.Levels[m.to].Cut
		}
		if v.Tenant != app.Tenant {
			d.Cause = pl.cause
		}
		list = append(list, d)
	}
	return list
}

// Lacks is what is short for the lowest level of a pending or rejected application now, and for the highest of one that
// runs: in each of its flavours and each pool that it could run in, those that it prefers first. It may be known already, of an earlier
// moment, so it is found out anew.
func (c *Case) Lacks(app *App) (lacks [][]Shortage) {
	flavour, held := app.flavour, app.Taken
	defer func() { app.flavour = flavour }()
	if app.Granted() {
		c.move(app, held, -1)
		defer c.move(app, held, 1)
	}
	for app.flavour = range app.Wanted.OpenFlavours(app.Holds) {
		levels := c.LevelsOf(app, app.Wanted, nil)
		l := len(levels) - 1
		if app.Granted() {
			l = 0
		}
		pools := c.Preferred(app, app.Wanted, &levels[0])
		if len(pools) == 0 {
			pools = c.Choices(app, app.Wanted)
		}
		for _, at := range pools {
			if _, short := c.fit(app, &levels[l], at, held); short != nil {
				lacks = append(lacks, short)
			}
		}
	}
	return lacks
}

// Offering lists the pools that offer what a component needs, by place.
func (p *PoolSet) Offering(comp *model.Component) (at []int) {
	for i := range p.Pools {
		if offers(p.Pools[i].spec, comp) {
			at = append(at, i)
		}
	}
	return at
}

// Costs are what a spec of an application costs an hour in full, in millionths: in each of its flavours, and in each pool for the
// components that name none.
func Costs(spec *model.Application, app *App, b *Books) (costs []int64) {
	flavour := app.flavour
	defer func() { app.flavour = flavour }()
	for app.flavour = range spec.OpenFlavours(app.Holds) {
		full := &b.LevelsOf(app, spec, nil)[0]
		pools := []int{-1}
		if full.Loose != nil {
			pools = b.Choices(app, spec)
		}
		for _, at := range pools {
			costs = append(costs, b.cost(full.loads(at)))
		}
	}
	return costs
}
