package solve

import (
	"reflect"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// TryInPlace finds out what an application that runs would get if Git declared the spec wanted of it, as Try does for one that waits. What it is
// granted is a place for that spec, or in full if it runs degraded now and no newer spec of it is refused. It reports false where only arbitrating
// everything again can tell.
//
// Newer specs are served before those that wait, so nothing is reserved or promised then. A spec that asks for the same of the same release
// takes the place of the accepted one at once, and the application is restored after those that wait.
func TryInPlace(wanted *model.Application, app *App, c *Case) (t Trial, known bool) {
	spec := wanted.Seal()
	j, r := c.journal(app.Tenant), c.room()
	if !j.triesInPlace(app, &spec) {
		return t, false
	}
	r.own(app.Tenant) // as it is without the change
	was := *app
	defer func() { *app = was }()
	defer j.undo()
	t.Looked = 4 * len(c.Members[app.Tenant])
	j.keepStanding()
	app.Wanted, app.Priority, app.Band = &spec, spec.Priority, c.Fleet.Platform.BandOf(spec.Priority)
	levels, _, passes := gate{c.Books, c.Fleet.Platform}.pass(app, &spec, app.surges(&spec))
	if c.QuotaOver(app.Tenant) > 0 && (was.Refused != nil || !levels[0].Total.Fits(app.Levels[0].Total) || !levels[0].lasts.Fits(app.Levels[0].lasts) || workloads(&spec) > workloads(app.Spec)) {
		return t, false // what counts against quotas would be something else, also for others
	}
	if !passes {
		return t, true
	}
	same := spec.Release == app.Spec.Release && reflect.DeepEqual(levels, app.Levels)
	if app.Update, app.declined, app.Refused = nil, nil, nil; same {
		app.Spec, app.Levels = &spec, levels
	} else {
		app.Update = &newer{levels: levels}
	}
	if c.RecountDemand(app.Tenant) {
		if j.othersDeclined(app) {
			return t, false
		}
		j.keepShares()
		c.FairShares()
		t.Looked += len(c.demanded) * len(c.Nodes)
	}
	c.StandTenant(app.Tenant)
	if j.others() || j.othersStand(app) || same && was.Refused != nil {
		return t, false
	}
	defer j.rankAnew(&r, min(Preemption(app.Policy()), Preemption(r.platform)) >= Reclaim)()
	if same {
		j.restoreOne(app, &t)
		return t, true
	}
	return t, j.replaceOne(app, was.Refused == nil, &t)
}

// triesInPlace reports whether a trial of a spec can tell: what else would be served at that time got what it gets.
func (j *journal) triesInPlace(app *App, spec *model.Application) bool {
	if !app.Incumbent() || !app.Granted() || app.Unusable != nil || app.Spec == nil || app.Spec.Digest == spec.Digest ||
		app.Instance.Holds(spec) || spec.Flavours() > 0 || app.Spec.Flavours() > 0 {
		return false
	}
	return spec.Priority == app.Priority || !j.othersDeclined(app)
}

// othersDeclined reports whether a newer spec of another application of the tenant did not fit: how that stands may change with the tenant.
func (j *journal) othersDeclined(app *App) bool {
	return slices.ContainsFunc(j.Members[app.Tenant], func(o *App) bool { return o != app && o.declined != nil })
}

// othersStand reports whether another application of the tenant that waits or runs degraded stands otherwise.
func (j *journal) othersStand(app *App) bool {
	return j.otherwise(func(o *App) bool { return o != app && o.Levels != nil && (!o.Granted() || o.Level > 0) })
}

// replaceOne serves the newer spec of an application, and reports whether it is known what comes of it: it is not where it leaves something to
// others, who may then take the rest.
func (j *journal) replaceOne(app *App, full bool, t *Trial) (known bool) {
	j.openReserved()
	held := j.Release(app)
	defer j.take(app, held)
	app.Verdict, app.Levels, app.Standing, app.before = model.VerdictWaiting, app.Update.levels, app.Update.standing, app.Update.before
	r := j.room()
	f := r.find(app, app.Wanted, held)
	t.Looked += *r.looked
	if f.level < 0 {
		return true
	}
	if t.Granted = f.level == 0 || !full; f.plan != nil {
		t.Victims = displaced(f.plan, app)
	}
	return within(held, app.Levels[f.level].loads(f.at))
}

// restoreOne restores an application.
func (j *journal) restoreOne(app *App, t *Trial) {
	a := allotment{room: j.room()}
	held := j.Release(app)
	defer j.take(app, held)
	level, _, pl := a.higher(app, held)
	t.Looked += *a.looked
	if t.Granted = level == 0; pl != nil {
		t.Victims = displaced(pl, app)
	}
}
