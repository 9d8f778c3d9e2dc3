package main

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/render/build"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/runtime/kubernetes"
	"github.com/d-aros/d-aros/pkg/source"
)

// repo and evaluator return the fleet without reading anything. Other benchmarks measure
// them.
type (
	repo      struct{ *fleet }
	evaluator struct{ *fleet }
)

func (r repo) Line(_ context.Context, recorded, _ string) (source.Line, error) {
	commit := r.Fleet.Commit
	line := source.Line{Line: access.Line{Tip: commit, Base: recorded}, Snapshot: source.Snapshot{Commit: commit, Files: &source.Files{}}, Recorded: recorded}
	if recorded != "" && recorded != commit {
		line.TipIs, line.Commits = access.Follows, []access.Commit{{Hash: commit}}
	}
	return line, nil
}

func (e evaluator) Fleet(string, evaluate.Files, func(string) (evaluate.Files, error)) model.Fleet {
	return e.fleet.Fleet
}

func (evaluator) Health(string, *model.Component, []byte) (model.Health, error) {
	return model.Health{Healthy: true}, nil
}

func (evaluator) Build(_ string, r build.Recipe) (build.Result, error) {
	return r.Build(), nil
}

func (e evaluator) Application(app model.AppID, _ string, _ func(string) (evaluate.Files, error)) (*model.Application, bool, bool) {
	i, _ := slices.BinarySearchFunc(e.fleet.Applications, app, func(a *model.Application, app model.AppID) int { return a.ID.Compare(app) })
	return e.fleet.Applications[i], false, true
}

func (evaluator) Layers(evaluate.Files) model.Fleet { return model.Fleet{} }

func (evaluator) Follow(*model.Ledger) {}

func (evaluator) Settled() bool { return true }

// carrier is a runtime in which everything runs at once. Other benchmarks measure real
// ones.
type carrier struct {
	applied   map[model.AppID][]model.Workload
	workloads []model.Workload // sorted; nil: not computed yet
}

// renderer renders assignments as the adapter of Kubernetes does.
var renderer = &kubernetes.Renderer{Fleet: "bench"}

func (r *carrier) Inspect(context.Context, *model.Platform) (model.Observation, error) {
	if r.workloads == nil {
		r.workloads = make([]model.Workload, 0, 2*len(r.applied))
		for _, id := range slices.SortedFunc(maps.Keys(r.applied), model.AppID.Compare) {
			r.workloads = append(r.workloads, r.applied[id]...)
		}
	}
	size := model.Resources{CPU: 64_000, Memory: 256 << 30}
	const nodes = 200
	return model.Observation{
		Pools:     []model.Pool{{Name: "general", Nodes: nodes, Capacity: size.Times(nodes), Largest: size}},
		Workloads: r.workloads,
	}, nil
}

// copied returns a copy of what it keeps, to weigh it.
func (r *carrier) copied() *carrier {
	c := &carrier{applied: make(map[model.AppID][]model.Workload, len(r.applied)), workloads: slices.Clone(r.workloads)}
	for id, list := range r.applied {
		c.applied[id] = slices.Clone(list)
	}
	return c
}

func (r *carrier) Act(ctx context.Context, list []runtime.Assignment) runtime.Report {
	return renderer.Act(ctx, list, r.apply)
}

func (r *carrier) apply(_ context.Context, sets []render.Set) apply.Report {
	report := apply.Report{Sets: make([]apply.SetReport, len(sets))}
	for i := range sets {
		id := sets[i].App
		report.Sets[i].App = id
		if id.Name == "" {
			continue
		}
		var list []model.Workload
		for k := range sets[i].Objects {
			o := &sets[i].Objects[k]
			digest, _, _ := strings.Cut(o.Object.GetAnnotations()[render.AnnotationWorkload], ".")
			if o.Object.GetKind() == "Deployment" {
				n, _, _ := unstructured.NestedInt64(o.Object.Object, "spec", "replicas")
				list = append(list, model.Workload{App: id, Component: o.Component, Digest: model.Digest(digest), Replicas: int(n), Ready: int(n), Current: true})
			}
		}
		slices.SortFunc(list, func(a, b model.Workload) int { return cmp.Compare(a.Component, b.Component) })
		r.applied[id], r.workloads = list, nil
		report.Requests.Apply += len(sets[i].Objects)
	}
	return report
}

func (r *carrier) Drifted() []model.AppID   { return nil }
func (r *carrier) Changed() <-chan struct{} { return nil }
