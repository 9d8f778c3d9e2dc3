package paper

import (
	"context"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/reconcile"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/pkg/turn"
)

// Runtime needs no machines.
type Runtime struct {
	Branch *status.Branch
	Pools  []model.Pool
	Steady bool                   // everything fares as the status branch says
	Slow   func(model.AppID) bool // what it does not start; nil: nothing
	Broken func(model.AppID) bool // what fails; nil: nothing

	Also    func(*model.Ledger, *model.Observation) // what else is seen; nil: nothing
	Outcome func(app model.AppID) runtime.Outcome   // what an assignment came to; nil: nobody says

	loop reconcile.Options
}

func (r *Runtime) Inspect(ctx context.Context, platform *model.Platform) (model.Observation, error) {
	ledger, err := r.Branch.Load(ctx)
	if err != nil {
		return model.Observation{}, err
	}
	seen := model.Observation{}
	for i := range platform.Pools {
		spec := &platform.Pools[i]
		pool := model.Pool{Name: spec.Name}
		if n := slices.IndexFunc(r.Pools, func(p model.Pool) bool { return p.Name == spec.Name }); n >= 0 {
			pool = r.Pools[n]
		}
		if spec.Capacity != nil {
			pool.Capacity = *spec.Capacity
		}
		seen.Pools = append(seen.Pools, pool)
	}
	for _, w := range turn.AsRecorded(&ledger) {
		switch {
		case r.Steady:
		case r.Broken != nil && r.Broken(w.App):
			w.Ready, w.Failure = 0, &model.Failure{Class: "runtime", Reason: "ContainerCrash", ExitCode: 1}
		case r.Slow == nil || !r.Slow(w.App):
			w.Ready, w.Current = w.Replicas, true
		}
		seen.Workloads = append(seen.Workloads, w)
	}
	if r.Also != nil {
		r.Also(&ledger, &seen)
	}
	return seen, nil
}

func (r *Runtime) Act(_ context.Context, list []runtime.Assignment) (report runtime.Report) {
	for i := range list {
		if r.Outcome != nil {
			report.Outcomes = append(report.Outcomes, r.Outcome(list[i].App))
		}
	}
	return report
}

func (r *Runtime) Drifted() []model.AppID   { return nil }
func (r *Runtime) Changed() <-chan struct{} { return nil }
