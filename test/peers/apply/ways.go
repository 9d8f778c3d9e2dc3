package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/fluxcd/pkg/ssa"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/render"
)

func nothing() {}

// ours is D-AROS, as the reconciler uses it: one applier for all passes.
func ours(cfg *rest.Config, _, fleet string, _ *counter) (applyFunc, func(), error) {
	a, err := apply.New(cfg, apply.Options{Fleet: fleet, Workers: parallel, Patience: time.Minute})
	if err != nil {
		return nil, nil, err
	}
	return func(ctx context.Context, sets []render.Set) error {
		r := a.Apply(ctx, sets)
		for i := range r.Sets {
			for _, res := range r.Sets[i].Results {
				if res.Action == apply.Failed || res.Action == apply.Skipped {
					return fmt.Errorf("%s: %s", res.Ref, res.Message)
				}
			}
		}
		return r.Err
	}, a.Close, nil
}

// bare sends every object and looks at nothing.
func bare(cfg *rest.Config, _, _ string, _ *counter) (applyFunc, func(), error) {
	cfg = rest.CopyConfig(cfg)
	cfg.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	c, err := rest.UnversionedRESTClientFor(cfg)
	if err != nil {
		return nil, nil, err
	}
	return func(ctx context.Context, sets []render.Set) error {
		g, ctx := errgroup.WithContext(ctx)
		g.SetLimit(parallel)
		for i := range sets {
			for j := range sets[i].Objects {
				o := &sets[i].Objects[j]
				g.Go(func() error {
					return c.Patch(types.ApplyYAMLPatchType).AbsPath(pathOf(o.Object)).Param("fieldManager", "bare").Param("force", "true").
						Body(o.JSON).Do(ctx).Error()
				})
			}
		}
		return g.Wait()
	}, nothing, nil
}

// pathOf knows the three kinds of the workload.
func pathOf(u *unstructured.Unstructured) string {
	if u.GetKind() == "Namespace" {
		return "/api/v1/namespaces/" + u.GetName()
	}
	group := "/api/v1"
	if u.GetKind() == "Deployment" {
		group = "/apis/apps/v1"
	}
	return group + "/namespaces/" + u.GetNamespace() + "/" + strings.ToLower(u.GetKind()) + "s/" + u.GetName()
}

// fluxSSA applies one application after another in each of eight workers, as the controllers of Flux do with their
// --concurrent: read, dry run, and apply what differs.
func fluxSSA(cfg *rest.Config, _, _ string, _ *counter) (applyFunc, func(), error) {
	c, err := client.New(cfg, client.Options{})
	if err != nil {
		return nil, nil, err
	}
	m := ssa.NewResourceManager(c, nil, ssa.Owner{Field: "ssa", Group: "bench.d-aros.dev"})
	return func(ctx context.Context, sets []render.Set) error {
		return each(ctx, sets, func(ctx context.Context, s *render.Set) error {
			_, err := m.ApplyAll(ctx, objectsOf(s), ssa.DefaultApplyOptions())
			return err
		})
	}, nothing, nil
}

// each does something for all sets, with as many workers as requests may be under way.
func each(ctx context.Context, sets []render.Set, do func(context.Context, *render.Set) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for i := range sets {
		g.Go(func() error { return do(ctx, &sets[i]) })
	}
	return g.Wait()
}

func objectsOf(s *render.Set) []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	for i := range s.Objects {
		all = append(all, s.Objects[i].Object.DeepCopy())
	}
	return all
}
