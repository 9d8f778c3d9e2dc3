package kubernetes

import (
	"context"
	"fmt"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/runtime"
)

// Renderer turns assignments into objects of a cluster.
type Renderer struct {
	Fleet string // value of render.LabelFleet
	render.Builder
}

// Set returns the objects of an assignment: those of an instance while it is active, those
// that others still need while it is ending, and otherwise nothing at all. An instance is
// rendered whole, because its objects refer to each other, and the inventory is that of an
// application; the components that are not in the assignment have no objects.
func (r *Renderer) Set(a *runtime.Assignment) (render.Set, error) {
	set, err := r.set(a)
	set.Ledger, set.Revision = a.Ledger, a.Revision
	return set, err
}

func (r *Renderer) set(a *runtime.Assignment) (render.Set, error) {
	switch {
	case a.Orphan != nil:
		return render.Set{App: a.App, Namespace: a.Orphan.Namespace}, nil
	case a.IsShared():
		set := render.Tenant(r.Fleet, r.Prefix, a.Tenant, a.Shared)
		set.Readers = render.Readers(r.Prefix, a.Platform.Access, a.Tenant, a.Shared.Apps)
		return set, nil
	case a.Ends():
		return render.Ended(r.Prefix, a.Instance), nil
	case a.Tenant == nil:
		return render.Set{}, fmt.Errorf("tenant %s has no valid layer", a.App.Tenant)
	}
	built, err := r.BuildIn(a.Instance.Spec, a.Files)
	if err != nil {
		return render.Set{}, err
	}
	in := render.Input{
		Fleet: r.Fleet, Prefix: r.Prefix, Instance: withHolds(a), Tenant: a.Tenant, Elsewhere: elsewhere(a),
		Pools: a.Platform.Pools, Network: a.Platform.Network, Builds: built,
	}
	for _, j := range a.Jobs {
		in.Jobs = append(in.Jobs, render.StepJob(j))
	}
	if a.Instance.Previous != nil {
		if before, err := r.BuildIn(a.Instance.Previous, a.Files); err == nil { // else what needs them stays as it is
			in.Previous = before
		}
	}
	set, err := render.Application(in)
	if err != nil {
		return set, err
	}
	return set, set.ReadSealed(a.Files)
}

// Act renders assignments, and applies the sets of those that can be rendered. What cannot
// stays as it is in the cluster.
func (r *Renderer) Act(ctx context.Context, list []runtime.Assignment, apply func(context.Context, []render.Set) apply.Report) runtime.Report {
	report := runtime.NewReport(list)
	sets, at := make([]render.Set, 0, len(list)), make([]int, 0, len(list))
	for i := range list {
		set, err := r.Set(&list[i])
		if err != nil {
			report.Outcomes[i].Err = fmt.Errorf("render: %w", err)
			continue
		}
		sets, at = append(sets, set), append(at, i)
	}
	if len(sets) == 0 {
		return report
	}
	applied := apply(ctx, sets)
	for n := range applied.Sets {
		report.Outcomes[at[n]] = outcome(&applied.Sets[n])
	}
	report.Requests, report.Err = runtime.Requests(applied.Requests), applied.Err
	return report
}
