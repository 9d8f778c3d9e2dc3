package wasm

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
)

// JobFailed is the reason of a module that used up its attempts.
const JobFailed = "JobFailed"

// Inspect returns the declared capacity of pools that have modules, and how the modules do.
func (r *Runtime) Inspect(ctx context.Context, platform *model.Platform) (seen model.Observation, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen.Pools = runtime.PoolsOf(platform, "wasm", func(p *model.Pool, spec *model.PoolSpec) bool {
		if spec.Capacity != nil { // that of the machine is not known
			p.AddNode(*spec.Capacity, nil, "")
		}
		return true
	})
	for _, k := range slices.SortedFunc(maps.Keys(r.parts), model.PartKey.Compare) {
		seen.Workloads = append(seen.Workloads, r.parts[k].workload(k))
	}
	return seen, ctx.Err()
}

// workload judges a part by its replicas.
func (p *part) workload(k model.PartKey) model.Workload {
	w := model.Workload{
		App: k.App, Component: k.Component, Beside: k.Beside, Intent: k.Job, Lock: p.lock, Digest: p.digest,
		Replicas: len(p.replicas), Current: true,
	}
	ended := 0
	for _, one := range p.replicas {
		switch one.state {
		case running:
			w.Ready++
			continue
		case done:
			ended++
			continue
		}
		if one.restarts == 0 && one.state == starting {
			continue
		}
		f := &model.Failure{Class: model.ClassRuntime, Reason: model.ProcessExit, ExitCode: one.code, Message: cmp.Or(one.why, "a module ended")}
		if one.state == failed {
			f.Class, f.Reason, f.Final = model.ClassApplication, JobFailed, true
		}
		if w.Failure == nil || f.Final {
			w.Failure = f
		}
	}
	w.Done = p.Finite && len(p.replicas) > 0 && ended == len(p.replicas)
	for i := 0; w.Failure != nil && i < len(p.replicas); i++ {
		w.Failure.Restarts += p.replicas[i].restarts
	}
	return w
}
