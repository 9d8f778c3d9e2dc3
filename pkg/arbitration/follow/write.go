package follow

import (
	"maps"
	"slices"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// write brings the ruling up to date. It returns whose decision differs from the
// one before, and of those the applications that were not rebuilt: these were
// decided with what was found out about them in an earlier pass.
func (f *following) write() (ruling model.Ruling, changed, late []model.AppID) {
	ruling = model.Ruling{Decisions: f.decided, OverQuota: f.OverQuota()}
	for _, app := range f.Changed {
		f.markStale(app)
		f.dirty[app.Tenant] = true
	}
	for _, app := range f.Promised {
		if _, now := f.Find(app.ID); now == app {
			f.markStale(app)
		}
	}
	for _, t := range slices.Sorted(maps.Keys(f.dirty)) {
		f.retry.forget(t) // what is known about them now decides whether they are tried again
		f.Number(t, f.markStale)
		f.adviser.Touch(t)
	}
	stale := slices.SortedFunc(maps.Keys(f.stale), func(x, y *solve.App) int { return x.ID.Compare(y.ID) })
	clear(f.stale)
	for _, app := range stale {
		f.adviser.Touch(app.Tenant)
		at, _ := f.Find(app.ID)
		d := f.writer.Decision(app)
		old := &ruling.Decisions[at]
		d.Advice, d.Advised = old.Advice, old.Advised
		if same := old.App == d.App && old.Standing == d.Standing && old.RulesAs(&d); same && !slices.Contains(f.rewrite, app.ID) {
			continue
		} else if !same && !slices.Contains(f.rebuilt, app) {
			late = append(late, app.ID)
		}
		ruling.Decisions[at] = d
		changed = append(changed, app.ID)
	}
	return ruling, changed, late
}
