package solve

import (
	"cmp"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// App is one application in an arbitration: what it asks for and holds, where it
// is placed, and what was decided about it.
type App struct {
	Asked
	Place
	Outcome
	Findings []Finding // of the gate
	Update   *newer    // a newer spec that passed the gate, nil if there is none or it did not fit
	declined *newer    // the one that did not fit
	Variants Variants
	slot     int  // in the list of running applications, -1: it does not
	changed  bool // see noteChange
}

// Asked is what an application asks for and what it holds by the ledger.
type Asked struct {
	ID       model.AppID
	Wanted   *model.Application // the valid spec in Git, nil if there is none
	Unusable *model.Unusable    // why there is none
	Instance *model.Instance    // nil if it was never seen
	Holds    []model.Grant      // by the ledger
	Tenant   int                // its node in the tree
	Priority int
	Band     int           // 0 is the highest
	policy   *model.Policy // of its tenant, now
	declared time.Time
}

// Place is what an application is granted, and what that takes.
type Place struct {
	Spec     *model.Application // that the verdict is about
	Levels   []Level            // of spec, best first
	Level    int                // that it is granted, -1: none
	Standing []Standing         // by level; see Stand
	before   []Share            // by level: what parts of the tenant that stand better take of its fair share
	Grants   []model.Grant
	Taken    []Load // what is booked for it
	Ending   Ending // see expectAnew and endingOf
	pool     int    // of its loose components, -1: it has none, or no place
	flavour  int    // that its components run in, as far as they hold no other one
	inside   string // the domain that its gang is tried in, "": any
}

// Outcome is what was decided about an application, and why.
type Outcome struct {
	Verdict model.Verdict
	Reason  model.Reason
	Message string
	Refused *model.Refusal
	Short   []Shortage
	Passed  []Passed     // flavours that were not taken
	Victims []*Displaced // preempted for it
	Lost    *Displaced   // what it gave up for a preemptor, nil: nothing
	EvictAt time.Time    // when it loses its place if the shortage lasts
	shrunk  bool         // it was degraded because of a shortage
	Outlook
}

// Outlook is what an application that waits can expect.
type Outlook struct {
	Position int       // among the pending applications of its tenant
	Starts   *Forecast // when it is the first that waits in its line and that is known
	Takes    *Taking   // what it may take later though it exceeds the fair share of its tenant, nil: it is not one that may
}

// newer is a newer spec of an application that runs.
type newer struct {
	levels   []Level
	standing []Standing
	before   []Share
	findings []Finding
}

// Displaced is what an application gives up for another. The application may get a
// newer spec later in the pass, so the spec that this is about is kept here.
type Displaced struct {
	App      *App
	Spec     *model.Application
	From, To Cut
	Evicted  bool

	Preemptor *App
	Cause     Cause
}

// Incumbent reports whether the application holds a place by the ledger.
func (app *App) Incumbent() bool { return app.Instance != nil && app.Instance.Phase.Active() }

// Accepted is the spec that holds the place, nil if it holds none.
func (app *App) Accepted() *model.Application {
	if app.Incumbent() {
		return app.Instance.Spec
	}
	return nil
}

// Granted reports whether the application holds a place now.
func (app *App) Granted() bool { return app.Verdict == model.VerdictGranted }

// FirstCome orders applications of one tenant: higher priority, then first come,
// then name.
func FirstCome(x, y *App) int {
	if n := cmp.Or(cmp.Compare(y.Priority, x.Priority), x.declared.Compare(y.declared)); n != 0 {
		return n // nearly always
	}
	return x.ID.Compare(y.ID)
}

// serveOrder orders the pending applications of a tenant.
func serveOrder(x, y *App) int { return cmp.Or(x.Base().Compare(y.Base()), FirstCome(x, y)) }

// done reports whether a component is finished under the accepted spec and so takes
// nothing any more.
func (app *App) done(spec *model.Application, comp *model.Component) bool {
	if app.Instance == nil || app.Incumbent() && spec.Release != app.Instance.Release() && stepped(spec, comp.Name) {
		return false
	}
	state, ok := app.Instance.Component(comp.Name)
	return ok && state.Finished() && state.Spec == comp.Content(app.ID)
}

// Started is when the application got its present place. It is the zero time for
// an instance whose history no longer has that transition.
func (app *App) Started() time.Time {
	for i := len(app.Instance.History) - 1; i >= 0; i-- {
		if t := &app.Instance.History[i]; t.Instance == app.Instance.Number && t.From == model.PhaseAdmitted && t.To == model.PhaseScheduled {
			return t.At
		}
	}
	return time.Time{}
}

// WaitsSince is when the application began to wait for capacity.
func (app *App) WaitsSince(now time.Time) time.Time {
	if app.Instance == nil || app.Instance.Phase != model.PhaseAdmitted {
		return now
	}
	return app.Instance.Since
}

// Policy is the policy of the spec in Git, else of the accepted one.
func (app *App) Policy() *model.Policy {
	if spec := cmp.Or(app.Wanted, app.Spec); spec != nil {
		return spec.Policy
	}
	return &model.Policy{}
}

// Base is the standing of the minimum that the application can run.
func (app *App) Base() Standing { return app.Standing[len(app.Standing)-1] }

// Worst is the standing of the weakest part of what runs at level l.
func (app *App) Worst(l int) Standing { return slices.MaxFunc(app.Standing[l:], Standing.Compare) }
