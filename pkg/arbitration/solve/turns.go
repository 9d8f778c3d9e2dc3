package solve

import (
	"cmp"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// To look for what an application may take though it exceeds the fair share of its tenant costs as much as to decide on many, so a
// pass does it for few. Where there are more they take turns, which follow from what the ledger lacks: first those whose
// time has come and that were told whom they may take from, then those that were told nothing, then the others, of which the time of the
// pass selects the first. So all are told within as many passes as there are times so many of them, and while nothing
// changes they are told the same. An application whose turn it is not is told what it was told before, as long as that would make room, and
// else when it may take and in how many passes it is worked out of whom.

// mayExceed lists, by tenant, the applications that may take what exceeds a fair share, sooner or later.
func mayExceed(platform *model.Policy, b *Books) (list []*App) {
	for i := range b.Nodes {
		app := b.Nodes[i].exceeds.app
		if app != nil && app.Verdict == model.VerdictWaiting && ExceedsAfter(platform, app) > 0 && Exceeds(platform, b, app) {
			list = append(list, app)
		}
	}
	return list
}

// TurnsRemain reports whether, after a pass, the next one looks at others of those that may exceed the fair share of their tenant, though nothing
// changes until then. What was worked out before the last change may still make room and no longer be the least, so turns go on.
func TurnsRemain(c *Case) bool {
	return len(mayExceed(&c.Fleet.Platform.Policy, c.Books)) > mostExceeding
}

// turn is how soon it is the turn of an application.
type turn int

const (
	toTake  turn = iota // its time has come, and it knows of whom
	toHear              // it was told nothing
	toCheck             // it was told something
)

// turns lists those that may exceed the fair share of their tenant whose turn it is not in a pass.
func (a *allotment) turns() []*App {
	all := mayExceed(a.platform, a.Books)
	if len(all) <= mostExceeding {
		return nil
	}
	first := int(uint64(a.now.Unix()) * 0x9e3779b97f4a7c15 >> 32 % uint64(len(all)))
	all = append(all[first:], all[:first]...)
	slices.SortStableFunc(all, func(x, y *App) int { return cmp.Compare(a.turnOf(x), a.turnOf(y)) })
	return all[mostExceeding:]
}

func (a *allotment) turnOf(app *App) turn {
	switch told := a.told(app); {
	case told == nil:
		return toHear
	case told.From != nil && patient(a.now, app):
		return toTake
	}
	return toCheck
}

// told is what the ledger says that an application may take, nil: nothing.
func (a *allotment) told(app *App) *model.Taking {
	if d, ok := a.ledger.Decision(app.ID); ok && d.Verdict == model.VerdictWaiting && d.Takes != nil && d.Takes.Within == 0 {
		return d.Takes
	}
	return nil
}

// tellWhen tells all that may exceed the fair share of their tenant, and for which it is not worked out of whom they may take, when they may, and in
// how many passes it is worked out. Until then it is the turn of them and of those whose time has come, so many in a pass.
func (l *lines) tellWhen() {
	var untold []*App
	turns := 0
	for _, app := range mayExceed(l.of.platform, l.of.Books) {
		switch {
		case app.Starts != nil && !app.Starts.late(): // it waits for that
		case app.Takes == nil || app.Takes.Within > 0:
			untold = append(untold, app)
			turns++
		case app.Takes.From != nil && patient(l.of.now, app):
			turns++
		}
	}
	for _, app := range untold {
		app.Takes = &Taking{At: app.WaitsSince(l.of.now).Add(ExceedsAfter(l.of.platform, app)), Within: (turns + mostExceeding - 1) / mostExceeding}
		l.of.promised(app)
	}
}

// tellAgain tells an application what the ledger says that it may take, if it may and that would make room.
func (l *lines) tellAgain(app *App) {
	told := l.of.told(app)
	if told == nil || app.Verdict != model.VerdictWaiting || !Exceeds(l.of.platform, l.of.Books, app) {
		return
	}
	t := &Taking{At: app.WaitsSince(l.of.now).Add(ExceedsAfter(l.of.platform, app))}
	for _, id := range told.From {
		_, v := l.of.Find(id)
		if v == nil || !v.Granted() || v.Lost != nil || v.Tenant == app.Tenant && v.Level+1 < len(v.Levels) {
			return // of its own tenant it is not known how much was to give way
		}
		t.From = append(t.From, v)
	}
	if !t.At.Equal(told.At) || t.From != nil && !t.suffices(&l.of.room, app) {
		return
	}
	app.Takes = t
	l.of.promised(app)
}

// suffices reports whether the least of an application fits where those give way that it may take from, and notes what its tenant then has.
func (t *Taking) suffices(r *room, app *App) (fits bool) {
	took := make([][]Load, len(t.From))
	for i, v := range t.From {
		took[i] = r.Release(v)
	}
	least := &app.Levels[len(app.Levels)-1]
	fits = slices.ContainsFunc(r.Preferred(app, app.Spec, &app.Levels[0]), func(at int) bool {
		_, short := r.fit(app, least, at, nil)
		return short == nil
	})
	used := slices.Clone(r.Nodes[app.Tenant].Used)
	used.Add(least.Total)
	t.Share = used.Dominant(r.Total)
	for i, v := range t.From {
		r.take(v, took[i])
	}
	return fits
}
