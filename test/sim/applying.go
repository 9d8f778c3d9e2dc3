package sim

import (
	"maps"
	"slices"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/render"
)

// applying is one set on its way into the cluster, in the order of pkg/apply: the
// inventory first, then the objects, then what is to go.
type applying struct {
	*carrier
	set      *render.Set
	report   *apply.SetReport
	requests *apply.Requests
	failed   bool
}

func (a *applying) run() {
	app := a.set.App
	a.report.App = app
	maps.DeleteFunc(a.process.refused, func(p part, _ refused) bool { return p.app == app })
	wanted := make([]apply.Ref, 0, len(a.set.Objects))
	for i := range a.set.Objects {
		if ref := refOf(a.set.Objects[i].Object); ref.Kind != "Namespace" {
			wanted = append(wanted, ref)
		}
	}
	stored, known := a.cluster.inventories[app]
	lost := !known && len(a.applied()) > 0
	if lost { // an inventory is made anew from what carries our labels; it is pruned by in the next pass
		stored = a.applied()
	}
	if all := union(stored, wanted); len(all) > len(stored) || lost {
		if !a.request(app.Name, &a.requests.Apply, func() { a.cluster.inventories[app], a.cluster.ledgers[app] = all, a.set.Ledger }) {
			a.result(apply.Result{Action: apply.Failed, Message: "the inventory cannot be written"})
			return
		}
		stored = all
	}
	for i := range a.set.Objects {
		a.object(&a.set.Objects[i])
	}
	if lost {
		a.result(apply.Result{Action: apply.Skipped, Message: "not pruned before the next pass"})
		return
	}
	if a.failed {
		return
	}
	for _, ref := range union(stored, a.applied()) {
		if !slices.Contains(wanted, ref) {
			a.prune(ref)
		}
	}
	if a.failed || len(stored) == len(wanted) && len(wanted) > 0 || len(stored) == 0 {
		return
	}
	a.request(app.Name, &a.requests.Apply, func() {
		if a.cluster.inventories[app] = wanted; len(wanted) == 0 {
			delete(a.cluster.inventories, app)
		}
	})
}

// applied are the objects of the application that the watch shows and that would
// be pruned without it.
func (a *applying) applied() (refs []apply.Ref) {
	for ref, o := range a.view {
		if o.part.app == a.set.App && o.prunable() {
			refs = append(refs, ref)
		}
	}
	slices.SortFunc(refs, apply.Ref.Compare)
	return refs
}

func (a *applying) result(r apply.Result) {
	a.report.Results = append(a.report.Results, r)
	a.failed = a.failed || r.Action == apply.Failed || r.Action == apply.Skipped
}

// request sends one request; what it does may happen although it fails.
func (a *applying) request(app string, count *int, do func()) (ok bool) {
	a.line("send a request")
	*count++
	w := a.world
	switch {
	case w.apiDown:
		return false
	case w.apiRefuses[app] > 0:
		w.apiRefuses[app]--
		return false
	}
	do()
	a.line("the request has arrived")
	if w.apiLoses > 0 {
		w.apiLoses--
		return false
	}
	return true
}

// object makes one object as it is wanted, unless it is.
func (a *applying) object(o *render.Object) {
	ref := refOf(o.Object)
	r := apply.Result{Ref: ref, Component: o.Component, Action: apply.Unchanged}
	want := toldBy(o)
	seen, there := a.view[ref]
	mine, remembered := a.left[ref]
	p := part{a.set.App, o.Component}
	switch {
	case o.Keep:
		r.Action = apply.Kept
	case there && !seen.leaving.IsZero():
		r.Action, r.Message = apply.Failed, "it is being deleted"
	case there && seen.part.app == p.app && seen.told.applied == want.applied && seen.edited == 0:
		a.left[ref] = trace{p.app, want.applied}
	default:
		if a.refuse(p) {
			a.requests.Apply++
			a.result(apply.Result{Ref: ref, Component: o.Component, Action: apply.Failed, Reason: a.world.refusals[p], Message: "the API server refuses it"})
			return
		}
		arrived := a.request(p.app.Name, &a.requests.Apply, func() {
			a.world.writes(a.process, p, want)
			a.world.executes(a.process, a.cluster.objects[ref], p, want)
			now := a.cluster.write(ref, p, want)
			if a.stalled.IsZero() { // the answer shows it
				a.view[ref] = *now
			}
			a.world.sent = append(a.world.sent, delivery{a.world.now, ref, p, want})
		})
		switch {
		case !arrived:
			r.Action, r.Message = apply.Failed, "no answer"
		case remembered && mine.applied == want.applied:
			r.Action = apply.Corrected
		case !there:
			r.Action = apply.Created
		default:
			r.Action = apply.Configured
		}
		if arrived {
			a.left[ref] = trace{p.app, want.applied}
		}
	}
	a.result(r)
}

// prune deletes an object that is no longer wanted. It looks first, at the cluster
// and not at the view.
func (a *applying) prune(ref apply.Ref) {
	delete(a.left, ref)
	r := apply.Result{Ref: ref, Action: apply.Pruned}
	o := a.cluster.objects[ref]
	switch {
	case a.world.apiDown:
		r.Action, r.Message = apply.Failed, "no answer"
	case o == nil || !o.leaving.IsZero():
	case o.permanent(), o.part.app != a.set.App:
		r.Action = apply.Kept
	default:
		if !a.request(a.set.App.Name, &a.requests.Delete, func() {
			a.world.deletes(a.process, o)
			a.cluster.remove(o)
			if _, still := a.cluster.objects[ref]; still {
				a.view[ref] = *o
			} else {
				delete(a.view, ref)
			}
		}) {
			r.Action, r.Message = apply.Failed, "no answer"
		}
	}
	a.result(r)
}

func union(a, b []apply.Ref) []apply.Ref {
	all := slices.Concat(a, b)
	slices.SortFunc(all, apply.Ref.Compare)
	return slices.Compact(all)
}
