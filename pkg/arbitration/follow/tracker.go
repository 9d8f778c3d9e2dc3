package follow

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/arbitration/advice"
	"github.com/d-aros/d-aros/pkg/arbitration/explain"
	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// tracker is the last arbitration, and what follows it from pass to pass.
type tracker struct {
	*solve.Case
	writer  *explain.Writer
	adviser *advice.Advisor
	retry   *retryable
	decided []model.Decision
	stale   map[*solve.App]bool // whose decision is to be rewritten

	advises    bool
	unfinished bool // some applications wait for advice
}

// newTracker decides everything.
func newTracker(in solve.Inputs, decide func(solve.Inputs) *solve.Case, advises bool) *tracker {
	c := decide(in)
	return &tracker{Case: c, writer: explain.New(c), adviser: advice.New(c, decide), advises: advises, retry: &retryable{Case: c, stretches: make([][]stretch, len(c.Nodes))}, decided: make([]model.Decision, len(c.Apps)), stale: map[*solve.App]bool{}}
}

// all writes all decisions.
func (t *tracker) all() model.Ruling {
	r := model.Ruling{Decisions: t.decided}
	t.writer.All(r.Decisions)
	t.advise(r.Decisions)
	r.OverQuota, r.PastUse = t.OverQuota(), t.PastUse(t.Ledger.PastUse, t.Now)
	return r
}

// follow decides once more after edits and brings the ruling up to date. Only what
// the edits concern is redone: the applications that were edited or moved, then
// the quotas of their tenants and groups, the fair shares, the standings of tenants
// for which these changed, and in the end who gets what. Of the pending
// applications only the retryable ones are tried.
//
// A decision that differs must be explained with the present inputs, or it
// could not be reproduced from what is recorded. So an application whose decision
// differs although it was not rebuilt is rebuilt and decided once more.
func (t *tracker) follow(e *edits) model.Ruling {
	ruling, changed, late := t.once(e, nil)
	if len(late) > 0 {
		ruling, _, _ = t.once(&edits{Inputs: e.Inputs, apps: late}, changed)
	}
	ruling.PastUse = t.PastUse(t.Ledger.PastUse, t.Now)
	t.advise(ruling.Decisions)
	return ruling
}

// advise adds advice to all decisions.
func (t *tracker) advise(decisions []model.Decision) {
	t.unfinished = t.advises && !t.adviser.Advise(decisions)
}

// once follows edits, and rewrites the decisions that differ and those of the
// applications in rewrite.
func (t *tracker) once(e *edits, rewrite []model.AppID) (ruling model.Ruling, changed, late []model.AppID) {
	f := &following{tracker: t, edits: e, dirty: map[int]bool{}, rewrite: rewrite}
	f.rebuildApps()
	f.recordUsage()
	f.gates()
	f.stand()
	t.Allot(t.retry)
	return f.write()
}

// markStale notes that a decision is to be rewritten.
func (t *tracker) markStale(app *solve.App) { t.stale[app] = true }

// following is one pass of a tracker.
type following struct {
	*tracker
	edits   *edits
	rebuilt []*solve.App
	dirty   map[int]bool  // tenants whose applications, or what these ask for, differ
	rewrite []model.AppID // to be rewritten even if the decision is the same
}

// rebuildApps rebuilds the applications that were edited, the applications that the last
// ruling changed, as the ledger may show that this did not come about, and, in every
// pass, the applications that the ledger does not have yet.
func (f *following) rebuildApps() {
	e := f.edits
	for _, app := range f.Changed {
		e.apps = append(e.apps, app.ID)
	}
	if !e.Now.Equal(f.Now) {
		for _, app := range f.Newcomers {
			e.apps = append(e.apps, app.ID)
		}
	}
	f.Inputs = e.Inputs
	f.Changed = nil
	f.writer.ForgetHolders()
	slices.SortFunc(e.apps, model.AppID.Compare)
	var gone, come []int // places of decisions before and after
	for _, id := range slices.Compact(e.apps) {
		switch at, more := f.rebuild(id); {
		case more < 0:
			gone = append(gone, at+len(gone)-len(come))
		case more > 0:
			come = append(come, at)
		}
	}
	f.decided = insert(remove(f.decided, gone), come)
	f.Newcomers = slices.DeleteFunc(f.Newcomers, func(app *solve.App) bool {
		_, now := f.Find(app.ID)
		return now != app
	})
}

// rebuild reads one application again. It keeps a copy of the instance, so that one
// application does not keep the ledger of a pass in memory. It returns the application's place, and by how many applications
// there are more than before.
func (f *following) rebuild(id model.AppID) (at, more int) {
	at, old := f.Find(id)
	wanted, edited := f.edits.wanted[id]
	switch {
	case edited:
	case old != nil:
		wanted = old.Wanted
	default: // it may have rested until now
		wanted = f.Idle[id]
	}
	var unusable *model.Unusable
	if wanted == nil {
		unusable, _ = model.Find(f.Fleet.Unusable, id)
	}
	var inst *model.Instance
	if i, ok := f.Ledger.Find(id); ok {
		inst = new(*i)
	}
	if old != nil {
		f.dirty[old.Tenant] = true
		f.DropRanking(old)
		if old.Taken != nil {
			f.Release(old)
		}
		f.Delist(old)
	}
	delete(f.Idle, id)
	app := &solve.App{}
	takesPart := (wanted != nil || unusable != nil) && f.ReadApp(app, id, wanted, unusable, inst)
	switch {
	case !takesPart && old != nil:
		f.Apps, more = slices.Delete(f.Apps, at, at+1), -1
	case takesPart && old == nil:
		f.Apps, more = slices.Insert(f.Apps, at, app), 1
	case takesPart:
		f.Apps[at] = app
	}
	if !takesPart {
		if wanted != nil {
			f.Idle[id] = wanted
		}
		return at, more
	}
	f.Enlist(app)
	f.DropRanking(app)
	f.markStale(app)
	f.dirty[app.Tenant] = true
	f.rebuilt = append(f.rebuilt, app)
	return at, more
}

// recordUsage re-records the capacity that rebuilt apps hold, per pool and domain.
func (f *following) recordUsage() {
	f.ClearReserved()
	f.RecountDomains()
	for _, app := range f.rebuilt {
		f.KeepPlace(app)
	}
}
