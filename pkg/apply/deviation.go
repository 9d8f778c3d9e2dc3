package apply

import (
	"context"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// hidden stands in the place of values of Secrets.
const hidden = "<hidden>"

// derived are annotations that follow from the commit or from the rest of an object.
var derived = []string{render.AnnotationCommit, render.AnnotationWorkload, render.AnnotationRelease, render.AnnotationGrant,
	render.AnnotationApplied, render.AnnotationOwner, render.AnnotationAdopted}

// Deviations compares the live objects of some applications with their sets: every object
// that a set wants, and every object that an inventory lists. It returns the objects that
// deviate, in the order of the sets, and changes nothing.
func (a *Applier) Deviations(ctx context.Context, sets []render.Set) ([]model.Deviation, error) {
	found, err := eachSet(ctx, a, sets, (*work).deviations)
	return slices.Concat(found...), err
}

// eachSet returns what is found of each set, in their order. It changes nothing.
func eachSet[T any](ctx context.Context, a *Applier, sets []render.Set, find func(*work, context.Context) (T, error)) ([]T, error) {
	if err := a.live.WaitForSync(ctx); err != nil {
		return nil, err
	}
	p := &pass{Applier: a, wanted: map[Ref]int{}}
	for i := range sets {
		p.add(&sets[i])
	}
	found := make([]T, len(p.works))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(a.workers)
	for i, w := range p.works {
		group.Go(func() (err error) {
			found[i], err = find(w, ctx)
			return err
		})
	}
	return found, group.Wait()
}

func (w *work) deviations(ctx context.Context) (list []model.Deviation, err error) {
	for i := range w.set.Objects {
		o := &w.set.Objects[i]
		if o.Keep {
			continue
		}
		r := RefOf(o.Object)
		d := model.Deviation{App: w.app(), Kind: r.GroupKind().String(), Namespace: r.Namespace, Name: r.Name, State: model.DeviationMissing}
		u, err := w.read(ctx, o.Object.GroupVersionKind(), r)
		if err != nil {
			return nil, err
		}
		if u == nil {
			list = append(list, d)
			continue
		}
		now := w.live.observe(u)
		_, t, _ := w.live.find(r)
		switch {
		case !w.mine(now, t):
			d.State, d.Owner = model.DeviationForeign, ownerOf(u, w.fleet)
		case now.Deleting:
			d.State = model.DeviationLeaving
		default:
			if d.Fields = w.deviating(o, u, now); len(d.Fields) == 0 {
				continue
			}
			d.State = model.DeviationDiffers
		}
		list = append(list, d)
	}
	unwanted, err := w.unwantedLive(ctx)
	return append(list, unwanted...), err
}

// unwantedLive returns the objects that an inventory lists and that no set wants any more, but for
// Jobs of workflow steps, which the step deletes, and volumes, which are never deleted.
func (w *work) unwantedLive(ctx context.Context) (list []model.Deviation, err error) {
	var stored []Ref
	for _, o := range w.live.inventories(w.app()) {
		stored = union(stored, o.inventory.refs)
	}
	for _, r := range without(stored, w.wanted) {
		if permanent(r) || w.pass.wanted[r] > 0 {
			continue
		}
		u, err := w.read(ctx, kind{Group: r.Group, Kind: r.Kind}, r)
		if err != nil {
			return nil, err
		}
		if u == nil || !w.owns(u) || annotation(u, render.AnnotationIntent) != "" || annotation(u, render.AnnotationPrune) == render.PruneKeep {
			continue
		}
		list = append(list, model.Deviation{App: w.app(), Kind: r.GroupKind().String(), Namespace: r.Namespace, Name: r.Name, State: model.DeviationUnwanted})
	}
	return list, nil
}

// read returns an object as it is, nil if it is not there.
func (w *work) read(ctx context.Context, k kind, r Ref) (*unstructured.Unstructured, error) {
	m, err := w.kinds.find(ctx, k)
	if is[*unknownKind](err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	u, err := w.as(r.Namespace).get(ctx, m.path(r.Namespace, r.Name))
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return u, err
}

// deviating returns the wanted fields that have other values, and fields that D-AROS holds
// and that are not wanted any more.
func (w *work) deviating(o *render.Object, u *unstructured.Unstructured, now *Object) (list []model.Deviating) {
	whole := o.Whole()
	list = Compare(whole, u, w.client.manager)
	for _, f := range compare(now.own.decoded(), whole.Object, nil) {
		if f.live == nil { // which is what is wanted here
			list = append(list, model.Deviating{Path: f.Path, Live: f.want, Manager: w.client.manager})
		}
	}
	list = slices.DeleteFunc(list, func(d model.Deviating) bool {
		data := strings.HasPrefix(d.Path, "data") || strings.HasPrefix(d.Path, "stringData")
		return o.Sealed != nil && data || follows(d.Path)
	})
	if now.GroupKind() == secretKind {
		for i := range list {
			list[i].Wanted, list[i].Live = mask(list[i].Wanted), mask(list[i].Live)
		}
	}
	return list
}

// Compare returns the wanted fields that have other values in a live object, each with the manager that holds it now. Ours is
// the manager of what D-AROS applies.
func Compare(wanted, u *unstructured.Unstructured, ours string) (list []model.Deviating) {
	for _, f := range compare(wanted.Object, u.Object, othersOf(u, ours)) {
		list = append(list, model.Deviating{Path: f.Path, Wanted: f.want, Live: f.live, Manager: f.Manager})
	}
	return slices.DeleteFunc(list, func(d model.Deviating) bool { return follows(d.Path) })
}

// follows reports whether a field is an annotation that follows from the commit or from the rest of an object.
func follows(path string) bool {
	return slices.ContainsFunc(derived, func(a string) bool { return strings.HasSuffix(path, "."+a) })
}

func mask(v any) any {
	if v == nil {
		return nil
	}
	return hidden
}
