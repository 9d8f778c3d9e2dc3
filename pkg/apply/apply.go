package apply

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// Apply creates and changes the objects of the sets, and prunes older objects of the
// same applications. A set without objects deletes everything, and volumes only with
// DeleteData. An object that is already as wanted costs no request.
//
// A failure concerns the set it happens in: its other objects are still applied,
// but nothing of it is pruned. A request that takes longer than a second goes on, and the
// object is reported as failed until a later call finds it answered. When ctx ends, requests under way are cancelled
// and what was not done is reported as skipped. Calls do not overlap.
func (a *Applier) Apply(ctx context.Context, sets []render.Set) Report {
	a.turn.Lock()
	defer a.turn.Unlock()
	before := a.client.requests()
	life := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p := &pass{Applier: a, life: life, cancel: cancel, wanted: map[Ref]int{}, defined: map[schema.GroupKind]bool{}}
	report := Report{Sets: make([]SetReport, len(sets))}
	for i := range sets {
		p.add(&sets[i], &report.Sets[i])
	}
	if _, err := a.mapped(ctx, configMap, ""); err != nil {
		cancel(err)
	}
	p.follow(ctx, false)
	p.run(ctx, (*work).scope)
	p.run(ctx, (*work).tenantSteps)
	p.follow(ctx, true)
	p.run(ctx, (*work).applicationSteps)
	if ctx.Err() != nil {
		report.Err = context.Cause(ctx)
	}
	for _, w := range p.works {
		w.finish(report.Err)
	}
	after := a.client.requests()
	report.Requests = Requests{
		Apply: after.Apply - before.Apply, Get: after.Get - before.Get, Delete: after.Delete - before.Delete,
	}
	return report
}

// pass is one call of Apply.
type pass struct {
	*Applier
	life    context.Context // of the requests that are left
	cancel  context.CancelCauseFunc
	works   []*work
	wanted  map[Ref]int               // by how many sets
	defined map[schema.GroupKind]bool // kinds whose definition is in one of the sets

	silent atomic.Int64 // requests in a row that got no answer at all
}

func (p *pass) add(set *render.Set, report *SetReport) {
	report.App = set.App
	w := &work{pass: p, set: set, report: report}
	w.recorded = sync.OnceValue(func() recorded { return p.live.recorded(set.App, set.Ledger) })
	for i := range set.Objects {
		o := &set.Objects[i]
		r := refOf(o.Object)
		report.Results = append(report.Results, Result{Ref: r, Component: o.Component, Action: Skipped})
		p.wanted[r]++
		if !permanentScope(r) {
			w.wanted = append(w.wanted, r)
		}
		if r.Kind == "CustomResourceDefinition" {
			group, _, _ := unstructured.NestedString(o.Object.Object, "spec", "group")
			name, _, _ := unstructured.NestedString(o.Object.Object, "spec", "names", "kind")
			p.defined[schema.GroupKind{Group: group, Kind: name}] = true
		}
	}
	slices.SortFunc(w.wanted, Ref.Compare)
	p.works = append(p.works, w)
}

// follow starts the watches of all kinds in the sets, so that they get in step
// at the same time and not one after the other: those that accounts make, or the others.
func (p *pass) follow(ctx context.Context, private bool) {
	started := map[place]bool{}
	for _, w := range p.works {
		for i := range w.set.Objects {
			k, in := w.set.Objects[i].Object.GroupVersionKind(), w.report.Results[i].Namespace
			at := p.live.place(k.GroupKind(), in)
			if started[at] || (at.namespace != "") != private {
				continue
			}
			started[at] = true
			if m, err := p.kinds.find(ctx, k); err == nil {
				p.live.follow(m, in)
			}
		}
	}
}

// run does the given steps of every set.
func (p *pass) run(ctx context.Context, steps func(*work) []func() []job) {
	var turns []*turn
	for _, w := range p.works {
		turns = append(turns, &turn{tenant: w.set.App.Tenant, steps: steps(w)})
	}
	run(ctx, p.workers, turns, p.unanswered.of)
}

// answered counts requests without an answer. After as many in a row as there are
// workers, the API server counts as unreachable, and the pass ends.
func (p *pass) answered(err error) {
	if !unreachable(err) {
		p.silent.Store(0)
	} else if p.silent.Add(1) >= int64(p.workers) {
		p.cancel(err)
	}
}

// work is the work on one set.
type work struct {
	*pass
	set    *render.Set
	report *SetReport
	wanted []Ref // the objects of the inventory, in order

	recorded func() recorded // what the inventories said when the pass began

	failed atomic.Bool           // an object failed: nothing is pruned
	stuck  atomic.Pointer[error] // the API server did not cope: the rest of the set is skipped

	stored    []Ref     // the objects that the inventory in the cluster lists now
	home      bool      // there is an inventory in the namespace of the set
	strays    []*Object // inventories of the application in other namespaces
	untrusted bool      // the inventory was lost or corrupt: nothing is pruned
	disposed  map[Ref]bool
}

func (w *work) app() model.AppID { return w.set.App }

// scope is the first round: namespaces and definitions of all sets.
func (w *work) scope() []func() []job {
	return []func() []job{func() []job { return w.stage(render.StageScope) }}
}

// tenantSteps is the second round: the limits of tenants and their accounts, which have to
// be there before what is limited, and before somebody impersonates them.
func (w *work) tenantSteps() []func() []job {
	if w.app().Name != "" {
		return nil
	}
	return w.steps()
}

// applicationSteps is the third round.
func (w *work) applicationSteps() []func() []job {
	if w.app().Name == "" {
		return nil
	}
	return w.steps()
}

// as returns the client for requests about objects in a namespace. Only D-AROS itself
// changes what belongs to a tenant as a whole: its limits are not the tenant's.
func (w *work) as(namespace string) *client {
	if w.app().Name == "" || w.accounts.name == "" || namespace == "" {
		return w.client
	}
	return w.client.as(w.accounts.of(namespace))
}

func (w *work) steps() []func() []job {
	steps := []func() []job{w.enter, w.announce}
	var stages []int
	for i := range w.set.Objects {
		if s := w.set.Objects[i].Stage; s > render.StageScope {
			stages = append(stages, s)
		}
	}
	slices.Sort(stages)
	for _, s := range slices.Compact(stages) {
		steps = append(steps, func() []job { return w.stage(s) })
	}
	// Workloads are deleted before the objects that they refer to.
	return append(steps, w.dispose,
		func() []job { return w.prune(render.StageWorkload) },
		func() []job { return w.prune(render.StageSupport) },
		func() []job { return w.prune(render.StageScope) },
		w.trim)
}

// stage returns the jobs for the objects of one stage that need a request.
func (w *work) stage(stage int) []job {
	var jobs []job
	for i := range w.set.Objects {
		o := &w.set.Objects[i]
		if o.Stage != stage && !(stage == render.StageScope && o.Stage < stage) {
			continue
		}
		switch {
		case o.Keep:
			w.report.Results[i].Action = Kept
		case w.settled(o, w.report.Results[i].Ref):
			w.report.Results[i].Action = Unchanged
		default:
			jobs = append(jobs, func(ctx context.Context) { w.object(ctx, i) })
		}
	}
	return jobs
}

// fail records the failure of one object, with the object if one was sent.
func (w *work) fail(r *Result, sent *unstructured.Unstructured, err error) {
	if errors.Is(err, context.Canceled) {
		return // stays skipped
	}
	r.Action = Failed
	r.Reason, r.Field, r.Message = refusal(r.Ref, sent, err)
	var waits *fought
	if errors.As(err, &waits) {
		return // the object is there, so pruning goes on
	}
	w.failed.Store(true)
	w.answered(err)
	if exhausted(err) {
		w.stuck.Store(&err)
	}
}

// finish gives the reason for each object that was not tried.
func (w *work) finish(err error) {
	defer w.tellAdoptions()
	for i := range w.report.Results {
		r := &w.report.Results[i]
		if r.Action != Skipped || r.Message != "" {
			continue
		}
		switch stuck := w.stuck.Load(); {
		case err != nil:
			_, _, why := refusal(r.Ref, nil, err)
			r.Message = "not tried: " + why
		case stuck != nil && exhausted(*stuck):
			r.Message = "not tried, because the API server did not cope with another object of the set"
		default:
			r.Message = "not tried, because of an earlier failure"
		}
	}
}

func refOf(u *unstructured.Unstructured) Ref {
	gvk := u.GroupVersionKind()
	return Ref{gvk.Group, gvk.Kind, u.GetNamespace(), u.GetName()}
}

// permanentScope reports whether an object contains others: a namespace or a
// definition. It must exist before the inventory is written, and is never deleted.
func permanentScope(r Ref) bool {
	return permanent(r) && (r.Kind == "Namespace" || r.Kind == "CustomResourceDefinition")
}
