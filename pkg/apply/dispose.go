package apply

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// claimKind is the kind of volumes.
var claimKind = kind{Version: "v1", Kind: "PersistentVolumeClaim"}

// dispose returns the job that deletes the volumes of an application that has ended
// for good. That cannot be undone, so three conditions must hold: the set says
// DeleteData, it has no objects, and the volume or the StatefulSet that made it has
// our annotation.
//
// It comes before pruning, because it reads the StatefulSets. The cluster keeps a
// volume until no pod uses it.
func (w *work) dispose() []job {
	if !w.set.DeleteData || len(w.set.Objects) > 0 || w.failed.Load() || w.untrusted || w.stuck.Load() != nil {
		return nil
	}
	return []job{func(ctx context.Context) {
		if err := w.deleteData(ctx); err != nil {
			w.disposal(Ref{Kind: claimKind.Kind, Namespace: w.set.Namespace, Name: "of " + w.app().String()}, err)
		}
	}}
}

func (w *work) deleteData(ctx context.Context) error {
	m, err := w.kinds.find(ctx, claimKind)
	if err != nil {
		return err
	}
	made, err := w.claimsOfSets(ctx)
	if err != nil {
		return err
	}
	found, err := w.as(w.set.Namespace).list(ctx, claimKind, m.path(w.set.Namespace, ""), labels.SelectorFromSet(labels.Set{
		render.LabelTenant: w.app().Tenant, render.LabelApplication: w.app().Name,
	}).String())
	if err != nil {
		return err
	}
	w.answered(nil)
	w.disposed = map[Ref]bool{}
	for i := range found {
		u := &found[i]
		if w.declaredDisposable(u) || slices.ContainsFunc(made, func(c claimsOfSet) bool { return c.has(u) }) {
			r := refOf(u)
			w.live.forget(r)
			w.disposed[r] = true
			w.disposal(r, w.remove(ctx, claimKind, r, string(u.GetUID()), u.GetResourceVersion()))
		}
	}
	return nil
}

// disposal records the result for one volume. If the cluster forbids us to delete
// volumes, that is no failure: the workloads are deleted all the same.
func (w *work) disposal(r Ref, err error) {
	w.report.Results = append(w.report.Results, Result{Ref: r})
	res := &w.report.Results[len(w.report.Results)-1]
	switch {
	case apierrors.IsForbidden(err):
		_, _, why := refusal(r, nil, err)
		res.Action, res.Message = Kept, why
	case err != nil:
		res.Action = Skipped
		w.fail(res, nil, err)
	default:
		res.Action, res.Message = Pruned, "its application has ended, and its owner wanted its data to go with it"
	}
}

// declaredDisposable reports whether an object has the annotation that deletes it with
// the application, and whether we applied it: others may copy our labels.
func (w *work) declaredDisposable(u *unstructured.Unstructured) bool {
	return w.owns(u) && annotation(u, render.AnnotationDeletion) == render.DeletionData && w.adopted(w.live.observe(u)) != render.AdoptedKeep &&
		slices.ContainsFunc(claims(u, w.client.manager), func(c claim) bool { return c.ours })
}

// owns reports whether an object carries the labels of the application.
func (w *work) owns(u *unstructured.Unstructured) bool {
	return label(u, render.LabelFleet) == w.fleet &&
		model.AppID{Tenant: label(u, render.LabelTenant), Name: label(u, render.LabelApplication)} == w.app()
}

// claimsOfSet matches the volumes that a StatefulSet made.
type claimsOfSet struct {
	component string
	names     []*regexp.Regexp
}

func (c claimsOfSet) has(u *unstructured.Unstructured) bool {
	return label(u, render.LabelComponent) == c.component &&
		slices.ContainsFunc(c.names, func(name *regexp.Regexp) bool { return name.MatchString(u.GetName()) })
}

// claimsOfSets returns the volumes of those StatefulSets of the application that are
// deleted with their volumes.
func (w *work) claimsOfSets(ctx context.Context) (sets []claimsOfSet, err error) {
	for _, r := range w.unwanted() {
		if r.Group != "apps" || r.Kind != "StatefulSet" {
			continue
		}
		m, err := w.kinds.find(ctx, kind{Group: r.Group, Kind: r.Kind})
		if err != nil {
			return nil, err
		}
		u, err := w.as(r.Namespace).get(ctx, m.path(r.Namespace, r.Name))
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("look at %s: %w", r, err)
		}
		if !w.declaredDisposable(u) {
			continue
		}
		set := claimsOfSet{component: label(u, render.LabelComponent)}
		templates, _, _ := unstructured.NestedSlice(u.Object, "spec", "volumeClaimTemplates")
		for _, t := range templates {
			template, _ := t.(map[string]any)
			if name, _, _ := unstructured.NestedString(template, "metadata", "name"); name != "" {
				set.names = append(set.names, regexp.MustCompile("^"+regexp.QuoteMeta(name+"-"+r.Name)+"-[0-9]+$"))
			}
		}
		sets = append(sets, set)
	}
	return sets, nil
}
