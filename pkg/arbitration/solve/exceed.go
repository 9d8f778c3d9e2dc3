package solve

import (
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Taking is what an application that waits may take of other tenants though its tenant then has more than its fair share.
//
// The first part of its tenant that does not fit in the fair share is the least that it can run at. So it waits, and others that fit may
// pass it. After reserveAfter, as long as its tenant has less than its fair share, it may take as what is within a fair
// share does, if the outcome is fairer. So no tenant starves beside one that has more than its share, because what it asks for does
// not come in smaller pieces. What ends by itself gives way by itself: where it is known when the application starts, it takes nothing.
type Taking struct {
	At    time.Time // when it has waited for long enough
	From  []*App    // of whom, as things are now, nil: nobody
	Share Share     // of all capacity that its tenant then has

	Within int // passes in which it is worked out of whom, if nothing else changes, 0: it is worked out
}

// Exceeds reports whether an application is the one of its tenant that may take what exceeds the fair share, sooner or later.
func Exceeds(platform *model.Policy, b *Books, app *App) bool {
	n, least := b.Nodes[app.Tenant], len(app.Levels)-1
	return app.Variants == nil && least >= 0 && n.exceeds == excess{app, least} && b.Rank(app, least).lacks >= Slack && b.shortfall(app.Tenant) >= Slack &&
		min(Preemption(platform), Preemption(app.Policy())) >= Reclaim
}

// MayExceed reports whether it has also waited for long enough.
func MayExceed(platform *model.Policy, b *Books, app *App, now time.Time) bool {
	return ExceedsAfter(platform, app) > 0 && patient(now, app) && Exceeds(platform, b, app)
}

// ExceedsAfter is how long an application waits before it may take what exceeds the fair share of its tenant, 0: it never may.
func ExceedsAfter(platform *model.Policy, app *App) time.Duration {
	if platform.ReserveAfter <= 0 {
		return 0
	}
	return app.Policy().ReserveAfter
}

// patient reports whether an application has waited for its reserveAfter.
func patient(now time.Time, app *App) bool {
	after := app.Policy().ReserveAfter
	return after > 0 && now.Sub(app.WaitsSince(now)) >= after
}

// excess finds who gives way at a time for the least of an application that exceeds the fair share of its tenant, nil: nobody.
func (r *room) excess(app *App, at time.Time) *plan {
	r.ranked()
	then := *r // who is in its first minRuntime now may give way then
	then.now = at
	pl := then.best(&preemptor{app: app, from: len(app.Levels), exceeds: true}, len(app.Levels)-1, r.Preferred(app, app.Spec, &app.Levels[0]))
	if pl != nil && pl.cause == ByFairShare {
		pl.cause = ByWaiting
	}
	return pl
}

// mayLose reports whether the tenant of an application, or its group, would still miss less of its fair share than that of the taker does now if the
// application gave up a level. Nobody else can be in a fairer outcome.
func (r *room) mayLose(d *search, v *App) bool {
	a, b := d.app.Tenant, v.Tenant
	for !r.Above(r.Nodes[b].Parent, a) {
		b = r.Nodes[b].Parent
	}
	for r.Nodes[a].Parent != r.Nodes[b].Parent {
		a = r.Nodes[a].Parent
	}
	n, used := r.Nodes[b], Share(0)
	for i, lost := range v.Levels[v.Level].Total {
		if v.Level+1 < len(v.Levels) {
			lost -= v.Levels[v.Level+1].Total[i]
		}
		if rest := n.Used[i] - lost; rest > 0 {
			used = max(used, part(rest, r.Total[i]))
		}
	}
	short := n.FairShare - min(n.FairShare, used)
	return short <= r.shortfall(b) || short+Slack <= r.shortfall(a)
}

// exceed lets an application that was not served take what it may though it exceeds the fair share of its tenant, and reports whether it
// did. If its time has not come it is told later what it may take then.
func (l *lines) exceed(app *App) bool {
	if ExceedsAfter(l.of.platform, app) <= 0 || slices.Contains(l.later, app) || len(l.exceeding) == mostExceeding || !Exceeds(l.of.platform, l.of.Books, app) || l.startsByItself(app) {
		return false
	}
	if patient(l.of.now, app) {
		if pl := l.of.excess(app, l.of.now); pl != nil {
			_, full := l.of.fit(app, &app.Levels[0], pl.at, nil)
			if l.of.makeRoom(app, app.Spec, pl, nil); app.Level > 0 {
				app.Short = full
			}
			return true
		}
	}
	l.exceeding = append(l.exceeding, app)
	l.tell(app)
	return false
}

// startsByItself reports whether it is known when so much of what runs has ended that an application fits.
func (l *lines) startsByItself(app *App) bool {
	f := app.Starts
	if f == nil && l.of.Timed {
		f = l.foresee(app)
	}
	return f != nil && !f.late()
}

// foretell tells those that may take later what that is, as everything is in the end. Where nothing moved, that is what they were
// told when it was their turn. Those whose turn it is not are told what they were told before, or at least when they may take.
func (l *lines) foretell() {
	for _, app := range l.later {
		l.tellAgain(app)
	}
	if len(l.of.Changed) > 0 {
		for _, app := range l.exceeding {
			if app.Takes = nil; Exceeds(l.of.platform, l.of.Books, app) {
				l.tell(app)
			}
		}
	}
	l.tellWhen()
}

// tell tells an application what it may take later, as things are now.
func (l *lines) tell(app *App) {
	app.Takes = &Taking{At: app.WaitsSince(l.of.now).Add(ExceedsAfter(l.of.platform, app))}
	if !patient(l.of.now, app) { // else it found nobody just now
		app.Takes.find(&l.of.room, app)
	}
	l.of.promised(app)
}

// find finds of whom the application may take, and what its tenant then has.
func (t *Taking) find(r *room, app *App) {
	pl := r.excess(app, t.At)
	if pl == nil {
		return
	}
	used := slices.Clone(r.Nodes[app.Tenant].Used)
	used.Add(app.Levels[pl.level].Total)
	for i := range pl.moves {
		v := pl.moves[i].option.app
		t.From = append(t.From, v)
		if from, to := pl.moves[i].lost(); v.Tenant == app.Tenant {
			for l := from; l < to; l++ {
				used.sub(Part(v.Levels, l))
			}
		}
	}
	t.Share = used.Dominant(r.Total)
}
