package solve

import (
	"cmp"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// promise is a time from which on an amount of a pool is kept for an application that waits: until then so much ends by itself that
// it then fits. Who ends before that time may take of it until then.
type promise struct {
	to   *App
	at   time.Time
	left time.Duration // until then
	need Vector
	ends Vector // what ends of all that is taken of the pool until then

	in                 string // the domain in which a gang then has room, "" for none
	inside, insideEnds Vector // the same of the domain
}

// outlives reports whether an application goes on after the promised time, as far as is known.
func (p *promise) outlives(app *App) bool {
	switch {
	case app.Ending.Lasts > 0:
		return app.Ending.Lasts > p.left
	case !app.Ending.At.IsZero():
		return app.Ending.At.After(p.at)
	}
	return true
}

// promised is how much of a resource of the pool, or of a domain of it, is kept from an application for those that were promised
// it: what they need and what does not become free by itself until then.
func (q *Pool) promised(domain string, app *App, r int) (kept int64) {
	var needed int64
	for i := range q.promises {
		p := &q.promises[i]
		need, ends := p.need, p.ends
		switch domain {
		case "":
		case p.in:
			need, ends = p.inside, p.insideEnds
		default:
			continue
		}
		if p.to != app {
			needed += need[r]
		}
		if p.outlives(app) || app.Policy().Backfill == model.BackfillOff {
			kept = max(kept, needed-ends[r])
		}
	}
	return kept
}

// Forecast is when an application that waits starts, and what has to end before.
type Forecast struct {
	At time.Time
	If []*App

	loads []Load // that it then takes
}

// late reports whether something should have ended already.
func (f *Forecast) late() bool {
	return slices.ContainsFunc(f.If, func(v *App) bool { return !v.Ending.Due.IsZero() })
}

// These bound the work of a pass.
const (
	mostLines     = 50  // whose head is looked at
	mostEndings   = 500 // of applications that are expected to end first
	mostExceeding = 20  // that exceed the fair share of their tenant and wait; see turns
)

// lines are the lines of pending applications in a pass whose head was not served.
type lines struct {
	of      *allotment
	failed  []bool // by node
	endings []*App // that are expected to end, the first first; nil: not found yet
	heads   int    // that were looked at

	exceeding []*App // that may take later, though they exceed the fair share of their tenant
	later     []*App // of those that may, whose turn it is not in this pass
}

// leads reports whether an application may be the first of its line that is not served, and so may
// be promised something.
func (l *lines) leads(app *App) bool {
	return l.of.Timed && l.heads < mostLines && !l.failed[app.Tenant]
}

// keepRoom keeps room for an application that is not served: what is promised to the head of a line, or what is free if
// the application has waited for long and nobody knows when it starts, or has known it wrongly. It reports true if the
// application then gets a place after all; see Taking.
func (l *lines) keepRoom(app *App) (served bool) {
	var f *Forecast
	if l.leads(app) {
		l.failed[app.Tenant] = true
		l.heads++
		if f = l.foresee(app); f != nil {
			app.Starts = f
			l.of.promised(app)
		}
	}
	if l.exceed(app) {
		return true
	}
	switch waited := patient(l.of.now, app); {
	case waited && (f == nil || f.late()):
		l.of.reserveFree(app)
	case f != nil:
		l.promise(app, f)
	}
	return false
}

// foresee finds the earliest time until which so much of what runs ends by itself that the least that an application
// can run at fits, nil: that is not known.
func (l *lines) foresee(app *App) *Forecast {
	least, pools := &app.Levels[len(app.Levels)-1], l.of.Preferred(app, app.Spec, &app.Levels[0])
	ending := app.Ending
	app.Ending = Ending{} // it begins later, and leaves to others what they were promised for ever
	var gone []*App
	var took [][]Load
	defer func() {
		app.Ending = ending
		for i, v := range gone {
			if took[i] != nil {
				l.of.take(v, took[i])
			}
		}
	}()
	endings := l.expected()
	for i, v := range endings {
		gone, took = append(gone, v), append(took, l.of.Release(v))
		at := v.Ending.Of(l.of.now)
		if i+1 < len(endings) && endings[i+1].Ending.Of(l.of.now).Equal(at) {
			continue
		}
		for _, pool := range pools {
			loads, short := l.of.fit(app, least, pool, nil)
			if short != nil {
				continue
			}
			f := &Forecast{At: at, loads: loads}
			for i := range slices.Backward(gone) { // who need not end
				l.of.take(gone[i], took[i])
				if loads, short := l.of.fit(app, least, pool, nil); short == nil {
					f.loads, took[i] = loads, nil
					continue
				}
				l.of.Release(gone[i])
				f.If = append(f.If, gone[i])
			}
			slices.Reverse(f.If)
			return f
		}
	}
	return nil
}

// expected lists those that run and are expected to end, the first first.
func (l *lines) expected() []*App {
	if l.endings == nil {
		l.endings = []*App{}
		for _, app := range l.of.Running {
			l.note(app)
		}
		for _, app := range l.of.Changed {
			if !app.Incumbent() {
				l.note(app)
			}
		}
		slices.SortFunc(l.endings, l.endsFirst)
	}
	l.endings = slices.DeleteFunc(l.endings, func(app *App) bool { return !app.Granted() || len(app.Taken) == 0 })
	return l.endings[:min(len(l.endings), mostEndings)]
}

func (l *lines) endsFirst(x, y *App) int {
	return cmp.Or(x.Ending.Of(l.of.now).Compare(y.Ending.Of(l.of.now)), x.ID.Compare(y.ID))
}

// note notes that an application runs, if it is expected to end.
func (l *lines) note(app *App) {
	if app.Ending.known() && app.Granted() {
		l.endings = append(l.endings, app)
	}
}

// placed notes that an application was given a place.
func (l *lines) placed(app *App) {
	if l.endings != nil && app.Ending.known() {
		i, _ := slices.BinarySearchFunc(l.endings, app, l.endsFirst)
		l.endings = slices.Insert(l.endings, i, app)
	}
}

// promise keeps what an application needs from others that do not end before it starts.
func (l *lines) promise(app *App, f *Forecast) {
	gang := app.Levels[len(app.Levels)-1].gang
	for _, load := range f.loads {
		q := l.of.Pools[load.Pool]
		p := promise{to: app, at: f.At, left: f.At.Sub(l.of.now), need: load.Amount, ends: l.of.Zero(), insideEnds: l.of.Zero()}
		if gang != nil && gang.required {
			p.in, p.inside = load.In, load.Inside
		}
		for _, v := range l.endings {
			if !p.outlives(v) {
				for r := range p.ends {
					p.ends[r] += HeldOf(v.Taken, load.Pool, r)
					p.insideEnds[r] += insideOf(v.Taken, load.Pool, p.in, r)
				}
			}
		}
		i, _ := slices.BinarySearchFunc(q.promises, f.At, func(p promise, at time.Time) int { return p.at.Compare(at) })
		q.promises = slices.Insert(q.promises, i, p)
	}
}
