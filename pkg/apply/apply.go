package apply

import (
	"cmp"
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
// and what was not done is reported as skipped.
//
// With Options.Slice, a call waits no longer than that. The work on a set that has not ended
// goes on until ctx ends, and a call with a set of the same application and revision returns
// what it came to. Calls do not overlap.
func (a *Applier) Apply(ctx context.Context, sets []render.Set) Report {
	a.turn.Lock()
	defer a.turn.Unlock()
	p := &pass{Applier: a, life: ctx, wanted: map[Ref]int{}, defined: map[schema.GroupKind]bool{}}
	p.ctx, p.cancel = context.WithCancelCause(ctx)
	works := make([]*work, len(sets))
	for i := range sets {
		works[i] = p.join(&sets[i])
	}
	p.start()
	a.await(p.works)
	report := Report{Sets: make([]SetReport, len(sets))}
	for i, w := range works {
		var err error
		report.Sets[i], err = a.collect(w, &sets[i])
		report.Err = cmp.Or(report.Err, err)
	}
	now := a.client.requests()
	report.Requests = now.since(a.told)
	a.told = now
	return report
}

// pass is what one call of Apply begins.
type pass struct {
	*Applier
	ctx     context.Context
	life    context.Context // of the requests that are left
	cancel  context.CancelCauseFunc
	works   []*work
	open    atomic.Int64              // works that have not ended
	wanted  map[Ref]int               // by how many sets
	defined map[schema.GroupKind]bool // kinds whose definition is in one of the sets

	silent atomic.Int64 // requests in a row that got no answer at all
}

// start begins the works of a pass.
func (p *pass) start() {
	if len(p.works) == 0 {
		p.cancel(nil)
		return
	}
	p.open.Store(int64(len(p.works)))
	free := []func() bool{context.AfterFunc(p.unanswered.closing, func() { p.cancel(context.Canceled) }), context.AfterFunc(p.ctx, p.queue.look)}
	if _, err := p.mapped(p.ctx, configMap, ""); err != nil {
		p.cancel(err)
	}
	p.follow(p.ctx)
	turns := make([]*turn, len(p.works))
	for i, w := range p.works {
		turns[i] = &turn{ctx: p.ctx, tenant: w.app().Tenant, first: w.app().Name == "", steps: w.steps(), ended: func() {
			w.end()
			if p.open.Add(-1) == 0 {
				for _, end := range free {
					end()
				}
				p.cancel(nil)
			}
		}}
	}
	p.queue.add(turns...)
}

// add returns the work on a set.
func (p *pass) add(set *render.Set) *work {
	report := &SetReport{App: set.App, Results: make([]Result, 0, len(set.Objects))}
	w := &work{pass: p, set: set, report: report, done: make(chan struct{})}
	w.recorded = sync.OnceValue(func() recorded { return p.live.recorded(set.App, set.Ledger) })
	for i := range set.Objects {
		o := &set.Objects[i]
		r := RefOf(o.Object)
		report.Results = append(report.Results, Result{Ref: r, Component: o.Component, Action: Skipped})
		p.wanted[r]++
		if !permanentScope(r) {
			w.wanted = append(w.wanted, r)
		}
		if r.Kind == "CustomResourceDefinition" {
			whole := o.Whole()
			group, _, _ := unstructured.NestedString(whole.Object, "spec", "group")
			name, _, _ := unstructured.NestedString(whole.Object, "spec", "names", "kind")
			p.defined[schema.GroupKind{Group: group, Kind: name}] = true
		}
	}
	slices.SortFunc(w.wanted, Ref.Compare)
	p.works = append(p.works, w)
	return w
}

// follow starts the watches of all kinds in the sets, so that they get in step
// at the same time and not one after the other.
func (p *pass) follow(ctx context.Context) {
	started := map[place]bool{}
	for _, w := range p.works {
		for i := range w.set.Objects {
			k, in := w.set.Objects[i].Object.GroupVersionKind(), w.report.Results[i].Namespace
			at := p.live.place(k.GroupKind(), in)
			if started[at] {
				continue
			}
			started[at] = true
			if m, err := p.kinds.find(ctx, k); err == nil && at.namespace == "" {
				p.live.follow(m, in)
			}
		}
	}
}

// followOwn starts the watches that accounts make, of which there are some by now.
func (w *work) followOwn() []job {
	if w.accounts.name == "" {
		return nil
	}
	for i := range w.set.Objects {
		k, in := w.set.Objects[i].Object.GroupVersionKind(), w.report.Results[i].Namespace
		if w.live.place(k.GroupKind(), in).namespace == "" {
			continue
		}
		if m, ok := w.kinds.have(k); ok {
			w.live.follow(m, in)
		}
	}
	return nil
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

	done  chan struct{} // closed when it has ended
	err   error         // why it ended early, if it did
	left  bool          // a call returned before it ended
	stale bool          // others changed something meanwhile, so that it says nothing of what is now
	deeds []Result      // of work before it that no report told

	recorded func() recorded // what the inventories said when the pass began

	failed atomic.Bool           // an object failed: nothing is pruned
	stuck  atomic.Pointer[error] // the API server did not cope: the rest of the set is skipped

	stored    []Ref     // the objects that the inventory in the cluster lists now
	leftover  []Ref     // see unwanted; nil before it is known
	home      bool      // there is an inventory in the namespace of the set
	strays    []*Object // inventories of the application in other namespaces
	untrusted bool      // the inventory was lost or corrupt: nothing is pruned
	disposed  map[Ref]bool
}

func (w *work) app() model.AppID { return w.set.App }

// as returns the client for requests about objects in a namespace. Only D-AROS itself
// changes what belongs to a tenant as a whole: its limits are not the tenant's.
func (w *work) as(namespace string) *client {
	if w.app().Name == "" || w.accounts.name == "" || namespace == "" {
		return w.client
	}
	return w.client.as(w.accounts.of(namespace))
}

// steps are the steps of the turn of a set. Namespaces and definitions come first.
func (w *work) steps() []func() []job {
	steps := []func() []job{func() []job { return w.stage(render.StageScope) }, w.followOwn, w.enter, w.announce}
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
	if is[*fought](err) {
		return // the object is there, so pruning goes on
	}
	w.failed.Store(true)
	w.answered(err)
	if exhausted(err) {
		w.stuck.Store(&err)
	}
}

// failNew records the failure of an object that has no result yet.
func (w *work) failNew(r Ref, err error) {
	w.report.Results = append(w.report.Results, Result{Ref: r, Action: Skipped})
	w.fail(&w.report.Results[len(w.report.Results)-1], nil, err)
}

// end closes the report. It gives the reason for each object that was not tried.
func (w *work) end() {
	defer w.close()
	defer w.tellAdoptions()
	if w.ctx.Err() != nil {
		w.err = context.Cause(w.ctx)
	}
	for i := range w.report.Results {
		r := &w.report.Results[i]
		if r.Action != Skipped || r.Message != "" {
			continue
		}
		switch stuck := w.stuck.Load(); {
		case w.err != nil:
			_, _, why := refusal(r.Ref, nil, w.err)
			r.Message = "not tried: " + why
		case stuck != nil && exhausted(*stuck):
			r.Message = "not tried, because the API server did not cope with another object of the set"
		default:
			r.Message = "not tried, because of an earlier failure"
		}
	}
}

// RefOf names an object.
func RefOf(u *unstructured.Unstructured) Ref {
	gvk := u.GroupVersionKind()
	return Ref{gvk.Group, gvk.Kind, u.GetNamespace(), u.GetName()}
}

// permanentScope reports whether an object contains others: a namespace or a
// definition. It must exist before the inventory is written, and is never deleted.
func permanentScope(r Ref) bool {
	return permanent(r) && (r.Kind == "Namespace" || r.Kind == "CustomResourceDefinition")
}
