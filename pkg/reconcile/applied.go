package reconcile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/lifecycle"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// news is what acts came to, until the ledger has it: the core puts it there in the next
// pass. After a restart everything is applied once more, so nothing is lost but corrected
// drift that was not saved.
type news map[model.AppID]model.Applied

// fieldLimit bounds the fields of a corrected object that are recorded, and pathLimit
// the bytes of each.
const (
	fieldLimit = 10
	pathLimit  = 200
)

// note takes what the assignment of an instance came to. The next attempt is zero if all
// went well. An attempt at which nothing was refused is news only where the ledger, or
// earlier news, says that something was.
func (n news) note(s *runtime.Outcome, inst *model.Instance, now, next time.Time) {
	a := model.Applied{App: inst.App, Instance: inst.Number, Release: inst.Release(), Partial: s.UnderWay}
	was, known := n[inst.App]
	if known && was.About(inst) {
		a.Drift = slices.Clone(was.Drift)
	}
	for i := range s.Results {
		switch r := &s.Results[i]; {
		case r.Action == runtime.Skipped, r.Action == runtime.Failed && r.Reason == "":
			a.Partial = true
		case r.Action == runtime.Failed:
			a.Outcomes = append(a.Outcomes, model.Outcome{
				Object: text.Line(r.Object, pathLimit), Component: r.Component, Reason: r.Reason, Field: r.Field, Message: r.Message,
				First: now, Last: now, Next: next,
			})
		case r.Action == runtime.Corrected:
			a.Drift = addCorrection(a.Drift, driftOf(r, now))
		}
	}
	for _, none := range s.NotAdopted {
		entry := fmt.Sprintf("adopt.%d", none.Entry)
		message := none.Message
		if at := inst.Spec.At[entry]; at != "" {
			message += " (" + at + ")"
		}
		a.Outcomes = append(a.Outcomes, model.Outcome{
			Object: "application." + entry, Reason: model.OutcomeNothingAdopted, Field: "application." + entry, Message: message, First: now, Last: now,
		})
	}
	a.Outcomes = model.FoldOutcomes(a.Outcomes)
	if len(a.Outcomes)+len(a.Drift) == 0 && (a.Partial || len(inst.Outcomes) == 0 && !known) {
		return
	}
	n[inst.App] = a
}

// driftOf is the correction of one object. The manager is the one of the first field
// that names one.
func driftOf(r *runtime.Result, now time.Time) model.Drift {
	d := model.Drift{Object: text.Line(r.Object, pathLimit), Count: 1, Time: now}
	for _, f := range r.Drift {
		d.Manager = cmp.Or(d.Manager, text.Line(f.Manager, pathLimit))
		if f.Path != "" && len(d.Fields) < fieldLimit {
			d.Fields = append(d.Fields, text.Line(f.Path, pathLimit))
		}
	}
	return d
}

// addCorrection adds a correction to those that the ledger does not have yet, of which it
// keeps the newest. A correction of the same fields by the same manager raises the count.
func addCorrection(all []model.Drift, d model.Drift) []model.Drift {
	if i := slices.IndexFunc(all, func(e model.Drift) bool { return e.SameCause(&d) }); i >= 0 {
		d.Count += all[i].Count
		all[i] = d
		return all
	}
	all = append(all, d)
	return all[max(0, len(all)-model.OutcomeLimit):]
}

// News returns what the next pass takes into account and the ledger does not have: what
// acts came to, what was counted of the probes of steps, and why nothing is carried out by
// some specs.
func (l *Loop) News() ([]model.Applied, workflow.Tallies, map[model.AppID]lifecycle.Doubt) {
	return l.done.news.list(), l.runs.tallies, l.declared.vouched.doubts
}

// list returns the news for the next pass, by application.
func (n news) list() []model.Applied {
	return slices.SortedFunc(maps.Values(n), func(a, b model.Applied) int { return a.App.Compare(b.App) })
}

// saved drops what a ledger has that was saved: all but drift whose count is not saved
// yet.
func (n news) saved(ledger *model.Ledger) {
	for app, a := range n {
		inst, ok := ledger.Find(app)
		if !ok || !a.About(inst) {
			delete(n, app)
			continue
		}
		a.Drift = slices.DeleteFunc(slices.Clone(a.Drift), func(d model.Drift) bool {
			return slices.ContainsFunc(inst.Drift, func(e model.Drift) bool { return e.SameCause(&d) && !e.Time.Before(d.Time) })
		})
		if len(a.Drift) == 0 {
			delete(n, app)
			continue
		}
		a.Outcomes, a.Partial = nil, true // the ledger has them
		n[app] = a
	}
}
