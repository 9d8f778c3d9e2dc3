package apply

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/tidwall/sjson"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"

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
	disposable := func(u *unstructured.Unstructured) bool {
		return w.declaredDisposable(u) || slices.ContainsFunc(made, func(c claimsOfSet) bool { return c.has(u) })
	}
	w.disposed = map[Ref]bool{}
	for i := range found {
		if u := &found[i]; disposable(u) {
			r := RefOf(u)
			w.live.forget(r)
			w.disposed[r] = true
			w.disposal(r, w.removeVolume(ctx, m.path(r.Namespace, r.Name), u, disposable))
		}
	}
	return nil
}

// removeVolume deletes a volume as it was read. If somebody changed it since, it reads it again.
func (w *work) removeVolume(ctx context.Context, path string, u *unstructured.Unstructured, disposable func(*unstructured.Unstructured) bool) error {
	for attempt := 0; ; attempt++ {
		r := RefOf(u)
		err := w.remove(ctx, claimKind, r, string(u.GetUID()), u.GetResourceVersion())
		if !apierrors.IsConflict(err) || attempt == attempts {
			return err
		}
		now, gone := w.as(r.Namespace).get(ctx, path)
		switch {
		case apierrors.IsNotFound(gone):
			return nil
		case gone != nil:
			return gone
		case !disposable(now):
			return err // the next pass looks at it anew
		}
		u = now
	}
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
// deleted with their volumes. These have no replicas any more.
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
		if err := w.idle(ctx, r, m.path(r.Namespace, r.Name), u); err != nil {
			return nil, fmt.Errorf("scale %s down before its volumes go: %w", r, err)
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

// idle scales a StatefulSet down to no replicas, and waits until its controller has seen that: until then the controller makes
// volumes anew that are deleted, and after the StatefulSet nobody would know whose they are.
func (w *work) idle(ctx context.Context, r Ref, path string, u *unstructured.Unstructured) error {
	if u.GetDeletionTimestamp() != nil {
		return nil // its controller makes nothing more
	}
	if replicas, found, _ := unstructured.NestedInt64(u.Object, "spec", "replicas"); !found || replicas > 0 {
		object, err := scaledDown(u, w.live.observe(u).own.text())
		if err != nil {
			return err
		}
		if _, _, err := w.send(ctx, r, path, object, demand{uid: string(u.GetUID()), force: true}); err != nil {
			return err
		}
	}
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 10*time.Second, true, func(ctx context.Context) (bool, error) {
		u, err := w.as(r.Namespace).get(ctx, path)
		if err != nil {
			return false, err
		}
		seen, _, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
		return seen >= u.GetGeneration(), nil
	})
	if ctx.Err() == nil && wait.Interrupted(err) {
		return errors.New("its controller has not seen that within 10s")
	}
	return err
}

// scaledDown returns what we applied of a StatefulSet, with no replicas.
func scaledDown(u *unstructured.Unstructured, own []byte) (object []byte, err error) {
	object = own
	for _, f := range []struct {
		path  string
		value any
	}{{"apiVersion", u.GetAPIVersion()}, {"kind", u.GetKind()}, {"metadata.name", u.GetName()}, {"metadata.namespace", u.GetNamespace()}, {"spec.replicas", 0}} {
		if object, err = sjson.SetBytes(object, f.path, f.value); err != nil {
			return nil, err
		}
	}
	return object, nil
}
