package follow

import (
	"maps"
	"slices"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// gates sends applications through the gate again for which the answer may differ:
// rebuilt applications and, where there are quotas, all applications that share them.
func (f *following) gates() {
	shared := map[int]bool{}
	for t := range f.dirty {
		if d := f.QuotaOver(t); d > 0 {
			shared[d] = true
		}
	}
	slices.SortFunc(f.rebuilt, solve.FirstCome)
	for _, app := range f.rebuilt {
		if f.QuotaOver(app.Tenant) == 0 {
			f.gateAgain(app)
		}
	}
	for _, d := range slices.Sorted(maps.Keys(shared)) {
		f.recount(d)
	}
}

// recount recounts what is declared at and below a node.
func (f *following) recount(top int) {
	var all []*solve.App
	for i := top; i < len(f.Nodes); i++ {
		if f.Above(top, i) {
			f.ResetCount(i)
			all = append(all, f.Members[i]...)
		}
	}
	slices.SortFunc(all, solve.FirstCome)
	for _, app := range all {
		if app.Incumbent() && app.Spec != nil {
			f.Count(app.Tenant, app.Spec, app.Levels[0].Total, 1)
		}
	}
	for _, app := range all {
		f.gateAgain(app)
	}
}

// gateAgain sends an application through the gate as if for the first time, and
// notes what that changes.
func (f *following) gateAgain(app *solve.App) {
	if app.Wanted == nil {
		f.PassGate(app)
		return
	}
	verdict, reason, refused, places := app.Verdict, app.Reason, app.Refused, app.Variants.Numbers()
	app.Findings, app.Message = nil, ""
	if app.Incumbent() {
		app.Refused, app.Update = nil, nil
	} else {
		app.Levels = nil
	}
	f.PassGate(app)
	if !slices.Equal(places, app.Variants.Numbers()) {
		app.Short = nil // so that it is tried in those, too
		f.markStale(app)
		f.dirty[app.Tenant] = true
	}
	if verdict != app.Verdict || reason != app.Reason || !refused.Equal(app.Refused) {
		f.markStale(app)
		f.dirty[app.Tenant] = true
	}
	if app.Verdict == model.VerdictRejected {
		app.Standing, app.Short, app.Position = nil, nil, 0
	}
}
