package solve

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// Retry selects the pending applications that need not be tried again, because
// nothing that they could get has become free since they were tried. Passing over
// them must not change a ruling.
type Retry interface {
	// Tried reports at and below which nodes an application is worth trying, nil: at all.
	// It is asked once, when updates are done and before pending applications are served.
	Tried() []bool
	// Next returns the first place at or after at in the pending list of a tenant
	// that is to be tried. The applications passed over would be served one right after
	// the other.
	Next(tenant, at int) int
}

// allotment decides who gets what, given the standing of every application.
type allotment struct {
	room
	ledger *model.Ledger
	lines  lines
}

// Allot lets applications give way where capacity fell, then serves newer specs,
// pending applications, and degraded ones. A nil retry tries all pending applications.
func (c *Case) Allot(retry Retry) {
	for _, n := range c.Nodes {
		n.Had = n.Used.Dominant(c.Total)
	}
	a := &allotment{room: c.room(), ledger: &c.Ledger}
	a.begin()
	a.shortages()
	a.updates()
	a.fill(retry)
	a.restore()
	a.lines.foretell()
}

// updates tries the newer specs that passed the gate, best standing first.
func (a *allotment) updates() {
	updates := slices.DeleteFunc(slices.Clone(a.Changed), func(app *App) bool { return app.Update == nil || !app.Granted() })
	slices.SortFunc(updates, serveOrder)
	for _, app := range updates {
		if app.Granted() {
			a.replace(app)
		}
	}
}

// replace tries the spec in Git in place of the accepted one. When it does not
// fit, the accepted one stays as it is.
func (a *allotment) replace(app *App) {
	a.own(app.Tenant) // while it still stands where it does
	before, reason, held := app.Place, app.Reason, a.Release(app)
	app.Verdict = model.VerdictWaiting
	app.Levels, app.Standing, app.before = app.Update.levels, app.Update.standing, app.Update.before
	expectAnew(app.Wanted, app)
	if a.place(app, app.Wanted, held) {
		app.Findings = app.Update.findings
		return
	}
	app.Passed = nil // of the spec that is refused
	app.refuse(&model.Refusal{Reason: model.ReasonCapacityShort, Message: "does not fit beside what runs: it " + a.Sentence(app.Short)}, app.Levels[0].surge)
	app.Place, app.Reason, app.Verdict, app.Update, app.declined = before, reason, model.VerdictGranted, nil, app.Update
	a.take(app, held)
}

// place finds a place for a spec, on the best level that fits in free capacity or for
// which others give way.
func (a *allotment) place(app *App, spec *model.Application, kept []Load) bool {
	f := a.room.find(app, spec, kept)
	if app.Variants != nil {
		f.note(app)
		if f.level >= 0 {
			app.Variants.enter(app, f.variant)
		}
	}
	switch {
	case f.level < 0:
		app.Short = f.short
		return false
	case f.plan == nil:
		a.settle(app, spec, app.Levels, f.level, f.at, f.loads)
		app.Short = f.short
		return true
	}
	a.makeRoom(app, spec, f.plan, kept)
	if f.level > 0 {
		app.Short = f.short
	}
	return true
}

// settle grants a level: it is booked and recorded.
func (a *allotment) settle(app *App, spec *model.Application, levels []Level, level, at int, loads []Load) {
	a.take(app, loads)
	a.noteChange(app)
	app.Spec, app.Levels, app.Level, app.pool = spec, levels, level, at
	app.Grants = levels[level].grants(app, spec)
	for i := range app.Grants {
		comp := &spec.Components[i]
		if !comp.Runs() {
			continue
		}
		pool := a.boundTo(app, spec, comp)
		if pool < 0 {
			pool = at
		}
		if pool >= 0 {
			app.Grants[i].Pool = a.Pools[pool].Name
			app.Grants[i].Domains = a.Pools[pool].spread(app, comp, a.Of(app.Grants[i].Requests), &app.Grants[i])
		}
	}
	levels[level].gang.tell(a.Books, app, at)
	app.Verdict, app.Reason, app.Short, app.Position = model.VerdictGranted, model.ReasonFits, nil, 0
	if level > 0 {
		app.Reason = model.ReasonCapacityShort
	}
}

// fill serves pending applications. For some that still do not fit room is kept, so that others
// cannot pass them for ever; see keepRoom.
func (a *allotment) fill(retry Retry) {
	q := newQueue(a.Books, a.Roster, retry)
	for app := q.head(); app != nil; app = q.head() {
		if !a.lines.leads(app) && q.skip(app) {
			continue
		}
		q.advance(app)
		if a.place(app, app.Spec, nil) || a.lines.keepRoom(app) {
			a.lines.placed(app)
			q.moved(app.Tenant)
			for _, d := range app.Victims {
				q.moved(d.App.Tenant)
			}
		}
	}
}

// reserveFree reserves what is free of what the application lacks, in the pool
// that it would be placed in first.
func (a *allotment) reserveFree(app *App) {
	at := -1
	if preferred := a.Preferred(app, app.Spec, &app.Levels[0]); len(preferred) > 0 {
		at = preferred[0]
	}
	for _, l := range app.Levels[len(app.Levels)-1].loads(at) {
		q := a.Pools[l.Pool]
		for r, n := range l.Amount {
			q.reserved[r] += max(0, min(n, q.Free(app, r)))
		}
	}
}

// makeRoom preempts others for a level of an application, and grants it the level.
func (a *allotment) makeRoom(app *App, spec *model.Application, pl *plan, kept []Load) {
	a.carryOut(app, pl)
	app.inside = pl.inside
	loads, _ := a.fit(app, &app.Levels[pl.level], pl.at, kept)
	app.inside = ""
	a.settle(app, spec, app.Levels, pl.level, pl.at, loads)
}

// carryOut takes from the victims of a plan what they give up.
func (a *allotment) carryOut(app *App, pl *plan) {
	for i, d := range displaced(pl, app) {
		v := d.App
		a.Release(v)
		if d.Evicted {
			v.Verdict, v.Level, v.Grants = model.VerdictEvicted, -1, nil
		} else {
			a.degrade(v, pl.moves[i].to)
		}
		v.Reason = model.ReasonPreempted
		a.noteChange(v)
		v.Lost, v.Message = d, ""
		app.Victims = append(app.Victims, d)
	}
}

// degrade puts an incumbent on a lower level, in the pools that it runs in.
func (a *allotment) degrade(v *App, to int) {
	if v.Taken != nil {
		a.Release(v)
	}
	a.take(v, v.Levels[to].of(v))
	grants := v.Levels[to].grants(v, v.Spec)
	for i := range grants {
		if g, ok := model.Find(v.Grants, grants[i].Component); ok {
			grants[i].Pool, grants[i].Domains = g.Pool, g.Domains
		}
	}
	v.Grants, v.Level, v.Reason = grants, to, model.ReasonCapacityShort
}
