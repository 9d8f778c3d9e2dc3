package kubernetes

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/d-aros/d-aros/pkg/model"
)

// explaining are the kinds that are not applied but show the state of workloads.
var explaining = []schema.GroupVersionKind{
	{Version: "v1", Kind: "Pod"},
	{Group: "apps", Version: "v1", Kind: "ReplicaSet"},
}

// Inspect returns the capacity of the platform's pools, the state of the fleet's
// workloads, and what nodes report that they do not keep. The first call waits until all
// of it was seen. It fails when the API server has not been reachable for longer than
// Stale.
func (r *Runtime) Inspect(ctx context.Context, platform *model.Platform) (model.Observation, error) {
	if err := r.permit(ctx); err != nil {
		return model.Observation{}, fmt.Errorf("inspect the cluster: %w", err)
	}
	live := r.applier.Live()
	if err := live.Watch(ctx, explaining...); err != nil {
		return model.Observation{}, fmt.Errorf("inspect the cluster: %w", err)
	}
	if err := live.WaitForSync(ctx); err != nil {
		return model.Observation{}, fmt.Errorf("inspect the cluster: %w", err)
	}
	if err := live.Explain(ctx, virtualMachine.GroupKind(), virtualMachineInstance); err != nil {
		return model.Observation{}, fmt.Errorf("inspect the cluster: %w", err)
	}
	if err := r.nodes.wait(ctx); err != nil {
		return model.Observation{}, fmt.Errorf("inspect the cluster: %w", err)
	}
	for _, broken := range []func() (time.Time, error){live.Broken, r.nodes.broken} {
		if since, err := broken(); err != nil && time.Since(since) > Stale {
			return model.Observation{}, fmt.Errorf("inspect the cluster: %w", err)
		}
	}
	r.answered.Store(true)
	return model.Observation{Pools: r.pools(platform), Workloads: r.inspectWorkloads(), Shortfalls: r.shortfalls(platform)}, nil
}

// inspectWorkloads judges the workloads of applications with changed objects again, and
// returns all workloads.
func (r *Runtime) inspectWorkloads() []model.Workload {
	r.mu.Lock()
	defer r.mu.Unlock()
	live := r.applier.Live()
	for _, app := range live.Touched() {
		objects := live.Objects(app)
		r.machines.look(app, objects)
		if w := workloads(app, objects); len(w) > 0 {
			r.workloads[app] = w
		} else {
			delete(r.workloads, app)
		}
	}
	var all []model.Workload
	for _, app := range slices.SortedFunc(maps.Keys(r.workloads), model.AppID.Compare) {
		all = append(all, r.workloads[app]...)
	}
	return all
}
