package kubernetes

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// Remains reads what the objects of a fleet say about the ledger that they follow. It
// counts only what D-AROS applied: labels and annotations alone may be a copy. It fails
// for a kind that it may not read, because what it does not see would seem to be gone.
func Remains(ctx context.Context, cfg *rest.Config, fleet string) (found model.Remains, err error) {
	applier, err := apply.New(cfg, apply.Options{Fleet: fleet, Summary: func(u *unstructured.Unstructured) any { return remnant(u) }})
	if err != nil {
		return found, err
	}
	defer applier.Close()
	live := applier.Live()
	if err := live.WaitForAll(ctx); err != nil {
		return found, fmt.Errorf("read the objects of fleet %s: %w", fleet, err)
	}
	if found.Inventories, _, err = live.Inventories(ctx, 0); err != nil {
		return found, fmt.Errorf("read the inventories of fleet %s: %w", fleet, err)
	}
	found.Inventories = slices.DeleteFunc(found.Inventories, func(i model.Inventory) bool { return i.App.Name == "" })
	var last model.AppID
	for _, inv := range found.Inventories {
		if inv.App == last {
			continue // it has moved to another namespace
		}
		last = inv.App
		for _, o := range live.Objects(inv.App) {
			w, ok := o.Summary.(model.Remnant)
			if !ok || !o.Ours() || o.Deleting || o.Workload == "" {
				continue
			}
			w.App, w.Component, w.Object = o.App, o.Component, o.Kind+" "+o.Name
			w.Workload, _ = parseWorkload(o.Workload)
			found.Workloads = append(found.Workloads, w)
		}
	}
	slices.SortStableFunc(found.Workloads, func(a, b model.Remnant) int {
		return cmp.Or(a.App.Compare(b.App), cmp.Compare(a.Component, b.Component), cmp.Compare(order(a), order(b)))
	})
	return found, nil
}

// order puts what has pods before what refers to it.
func order(w model.Remnant) int {
	kind, _, _ := strings.Cut(w.Object, " ")
	if slices.Contains([]string{"Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob"}, kind) {
		return 0
	}
	return 1
}

// remnant reads what one object says.
func remnant(u *unstructured.Unstructured) model.Remnant {
	annotations, labels := u.GetAnnotations(), u.GetLabels()
	told, _ := render.ParseTold(annotations[render.AnnotationGrant])
	w := model.Remnant{
		Beside: labels[render.LabelTrack] == render.TrackNext, Intent: annotations[render.AnnotationIntent],
		Commit: annotations[render.AnnotationCommit], Release: model.Digest(annotations[render.AnnotationRelease]),
		Grant: told.Grant, Before: told.Before, Run: told.Run, Traffic: told.Traffic,
		Made: u.GetCreationTimestamp().UTC(),
	}
	w.Instance, _ = strconv.Atoi(labels[render.LabelInstance])
	if gvk := u.GroupVersionKind(); gvk.Group == "batch" && gvk.Kind == "Job" {
		w.Finite, w.Done = true, job(u).done
	}
	return w
}
