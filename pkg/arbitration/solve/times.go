package solve

import (
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Ending is when an application ends by itself, as far as that is known. The zero value is never.
type Ending struct {
	At    time.Time     // of one that runs: when it is expected to have ended
	Due   time.Time     // when it was to have ended, where it is late
	Lasts time.Duration // of one that does not run yet: how long it takes
	Runs  int           // of how many earlier runs that was learned, 0: it is declared
	Until time.Time     // of one that runs: from then on a component is late, and this is another time
}

// known reports whether it is known when the application ends.
func (e *Ending) known() bool { return e.Lasts > 0 || !e.At.IsZero() }

// Of is when an application ends that runs, or is given a place now.
func (e *Ending) Of(now time.Time) time.Time {
	if e.Lasts > 0 {
		return now.Add(e.Lasts)
	}
	return e.At
}

// estimate is how long a component runs that ends by itself, 0: that is not known.
func (s *schedule) estimate(comp *model.Component) (d time.Duration, runs int) {
	if !comp.Finite() {
		return 0, 0
	}
	if comp.Expect > 0 || s.app.Instance == nil || len(s.app.Instance.Runtimes) == 0 {
		return comp.Expect, 0
	}
	if r, ok := s.app.Instance.RuntimesOf(comp); ok {
		return r.Estimate(), len(r.Took)
	}
	return 0, 0
}

// expectAnew finds how long an application takes that is given a place for a spec, and reports whether that is known.
func expectAnew(spec *model.Application, app *App) bool {
	app.Ending = Ending{}
	s := schedule{app: app, spec: spec, begun: func(*model.Component) (time.Time, bool) { return time.Time{}, true }}
	if e, ok := s.last(); ok {
		app.Ending = Ending{Lasts: e.At.Sub(time.Time{}), Runs: e.Runs}
	}
	return app.Ending.known()
}

// begin begins a pass: of those that run it finds when they end.
func (a *allotment) begin() {
	a.ranking.needed = false
	a.lines = lines{of: a, failed: make([]bool, len(a.Nodes))}
	a.Promised = slices.DeleteFunc(a.Promised, func(app *App) bool { return app.Starts == nil && app.Takes == nil })
	for _, app := range a.Promised {
		app.Starts, app.Takes = nil, nil
	}
	a.lines.later = a.turns()
	if !a.Timed {
		return
	}
	for _, app := range a.Running {
		if !app.Granted() {
			app.Ending = Ending{}
		} else if !app.Ending.Until.After(a.now) { // else it is as it was in the pass before
			app.Ending = endingOf(a.now, app)
		}
	}
}

// endingOf is when an application that runs ends. If it should have ended already, twice as much time is given, and
// twice as much again, so that what waits for it is not told another time in every pass.
func endingOf(now time.Time, app *App) Ending {
	s := schedule{app: app, spec: app.Spec, grants: app.Grants, now: now}
	s.begun = func(comp *model.Component) (at time.Time, known bool) {
		state, ok := app.Instance.Component(comp.Name)
		switch {
		case !ok || state.State == model.StateFailed:
			return at, false
		case state.State == model.StateStarting, state.State == model.StateReady:
			return state.Since, true
		}
		return app.Started(), !stepped(app.Spec, comp.Name)
	}
	e, _ := s.last()
	return e
}

// schedule finds when the components of an application have ended that ends by itself.
type schedule struct {
	app    *App
	spec   *model.Application
	grants []model.Grant                                     // nil: all of it is to run
	begun  func(*model.Component) (at time.Time, known bool) // when a component began at the earliest
	now    time.Time                                         // zero: nothing is late

	ended []Ending // by component
}

// last is the end of the last component, false: that is not known, or nothing of it runs.
func (s *schedule) last() (last Ending, known bool) {
	finite := false
	for i := range s.spec.Components {
		finite = finite || s.spec.Components[i].Finite()
	}
	if !finite { // nearly all run on and on
		return Ending{}, false
	}
	for i := range s.spec.Components {
		if takes, _ := s.estimate(&s.spec.Components[i]); takes <= 0 && s.runs(i) {
			return Ending{}, false
		}
	}
	s.ended = make([]Ending, len(s.spec.Components))
	var until time.Time
	for i := range s.spec.Components {
		if !s.runs(i) {
			continue
		}
		e, ok := s.of(i, len(s.spec.Components))
		if !ok {
			return Ending{}, false
		}
		if known = true; e.At.After(last.At) {
			last = e
		}
		if until.IsZero() || e.At.Before(until) {
			until = e.At
		}
	}
	last.Until = until
	return last, known
}

// runs reports whether a component takes something until it has ended.
func (s *schedule) runs(i int) bool {
	comp := &s.spec.Components[i]
	if !comp.Runs() || s.app.done(s.spec, comp) {
		return false
	}
	g, ok := model.Find(s.grants, comp.Name)
	return !ok || g.Replicas > 0
}

// of is when a component ends. One that waits for others begins when they have ended; depth bounds a chain of these.
func (s *schedule) of(i, depth int) (e Ending, known bool) {
	comp := &s.spec.Components[i]
	takes, runs := s.estimate(comp)
	at, ok := s.begun(comp)
	if takes <= 0 || !ok || depth == 0 {
		return e, false
	}
	if s.ended[i].At.IsZero() {
		for _, name := range comp.DependsOn {
			for j := range s.spec.Components {
				if before := &s.spec.Components[j]; before.Name != name || !before.Finite() || !s.runs(j) {
					continue
				}
				b, ok := s.of(j, depth-1)
				if !ok {
					return e, false
				}
				if b.At.After(at) {
					at = b.At
				}
			}
		}
		s.ended[i] = late(at, takes, runs, s.now)
	}
	return s.ended[i], true
}

// late is the end of what began at a time and takes so long.
func late(at time.Time, takes time.Duration, runs int, now time.Time) Ending {
	e := Ending{At: at.Add(takes), Runs: runs}
	if now.IsZero() || now.Before(e.At) {
		return e
	}
	e.Due = e.At
	for !now.Before(e.At) && takes < forever {
		takes *= 2
		e.At = at.Add(takes)
	}
	if !now.Before(e.At) {
		return Ending{}
	}
	return e
}

// forever is so long that nothing is expected to take it.
const forever = 100 * 365 * 24 * time.Hour
