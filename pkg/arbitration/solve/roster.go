package solve

import (
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Roster has the applications of an arbitration, in the lists that its stages read.
type Roster struct {
	Apps      []*App                             // by name
	Members   [][]*App                           // by node, in no order
	Running   []*App                             // that hold a place in the ledger, in no order
	Pending   [][]*App                           // by node: pending before filling, in the order in which they are served
	Newcomers []*App                             // that are not in the ledger yet
	Changed   []*App                             // that are not any more as the ledger and the gate left them
	Idle      map[model.AppID]*model.Application // declared, and without an App
	Patient   bool                               // an application has a time after which room is reserved for it
	Timed     bool                               // of an application it is known how long it runs
	Promised  []*App                             // that are told when they start or may take something, or were in the pass before
	Returns   time.Time                          // when the first of those comes back that rest, zero: none does
}

func newRoster(n int) *Roster {
	return &Roster{
		Apps: make([]*App, 0, n+n/32+16), // with room for arrivals
		Idle: map[model.AppID]*model.Application{},
	}
}

// list sorts all applications and makes the other lists. The tree has so many nodes.
func (a *Roster) list(nodes int) {
	slices.SortFunc(a.Apps, func(x, y *App) int { return x.ID.Compare(y.ID) })
	a.Members, a.Pending = make([][]*App, nodes), make([][]*App, nodes)
	for _, app := range a.Apps {
		a.Enlist(app)
	}
}

// Enlist enters an application into the lists of its tenant and of running applications.
func (a *Roster) Enlist(app *App) {
	a.Members[app.Tenant] = append(a.Members[app.Tenant], app)
	if app.Incumbent() {
		app.slot = len(a.Running)
		a.Running = append(a.Running, app)
	}
}

// Delist takes an application out of these lists.
func (a *Roster) Delist(app *App) {
	a.Members[app.Tenant] = slices.DeleteFunc(a.Members[app.Tenant], func(o *App) bool { return o == app })
	if app.slot >= 0 {
		last := a.Running[len(a.Running)-1]
		a.Running[app.slot], last.slot = last, app.slot
		a.Running = a.Running[:len(a.Running)-1]
	}
}

// noteChange notes that an application is not any more as the ledger and the gate
// left it.
func (a *Roster) noteChange(app *App) {
	if !app.changed {
		app.changed = true
		a.Changed = append(a.Changed, app)
	}
}

// promised notes that an application is told when it starts or may take something.
func (a *Roster) promised(app *App) {
	if !slices.Contains(a.Promised, app) {
		a.Promised = append(a.Promised, app)
	}
}

// Find returns an application, nil if it does not take part, and its place by name.
func (a *Roster) Find(id model.AppID) (at int, app *App) {
	at, ok := slices.BinarySearchFunc(a.Apps, id, func(x *App, id model.AppID) int { return x.ID.Compare(id) })
	if !ok {
		return at, nil
	}
	return at, a.Apps[at]
}

// FirstComeOrder returns all applications in the order of FirstCome.
func (a *Roster) FirstComeOrder() []*App { return slices.SortedFunc(slices.Values(a.Apps), FirstCome) }

// rests reports whether an instance that has ended is followed by no other now and
// so asks for nothing. It notes when that ends by itself.
func (a *Roster) rests(inst *model.Instance, wanted *model.Application, now time.Time) bool {
	release := inst.Release()
	if wanted != nil {
		release = wanted.Release
	}
	if !inst.Rests(release, now) {
		return false
	}
	if at := inst.Returns; at.After(now) && (a.Returns.IsZero() || at.Before(a.Returns)) {
		a.Returns = at
	}
	return true
}

// LineUp puts the pending applications of a tenant into the order in which they are served.
func (a *Roster) LineUp(tenant int) {
	a.Pending[tenant] = a.Pending[tenant][:0]
	for _, app := range a.Members[tenant] {
		if app.Levels != nil && app.Verdict == model.VerdictWaiting {
			a.Pending[tenant] = append(a.Pending[tenant], app)
		}
	}
	slices.SortFunc(a.Pending[tenant], serveOrder)
}

// Number gives the pending applications of a tenant their positions, and calls moved
// for each whose position changed.
func (a *Roster) Number(tenant int, moved func(*App)) {
	position := 0
	for _, app := range a.Pending[tenant] {
		if app.Verdict != model.VerdictWaiting {
			continue
		}
		if position++; app.Position != position {
			app.Position = position
			moved(app)
		}
	}
}

// Still reports whether nothing was granted, reduced, raised, replaced or evicted.
func (a *Roster) Still() bool {
	return !slices.ContainsFunc(a.Changed, func(app *App) bool {
		return app.Granted() != app.Incumbent() || app.Lost != nil || !app.EvictAt.IsZero() ||
			app.Granted() && (app.Update != nil || !slices.EqualFunc(app.Grants, app.Holds, model.Grant.SameCapacity))
	})
}
