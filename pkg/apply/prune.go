package apply

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/d-aros/d-aros/pkg/render"
)

// announce writes the objects into the inventory before they are created, so that none
// is lost when the process ends in between.
func (w *work) announce() []job {
	inventories, renamed := w.live.inventories(w.app()), false
	if w.stuck.Load() != nil {
		return nil
	}
	for _, o := range inventories {
		if w.shard(o) < 0 {
			w.strays = append(w.strays, o)
		}
		if o.inventory.corrupt {
			return []job{w.inventoryJob(w.rebuild)}
		}
		w.stored = union(w.stored, o.inventory.refs)
		renamed = renamed || o.inventory.ledger != w.set.Ledger
	}
	w.home = len(inventories) > len(w.strays)
	if !w.home && len(w.strays) == 0 && len(w.live.applied(w.app())) > 0 {
		return []job{w.inventoryJob(w.rebuild)}
	}
	if len(w.set.Objects) == 0 || w.home && !renamed && len(without(w.wanted, w.stored)) == 0 {
		return nil
	}
	return []job{w.inventoryJob(func(ctx context.Context) (Ref, error) {
		return w.write(ctx, union(w.stored, w.wanted))
	})}
}

// inventoryJob returns a job on inventories. If the job fails, it returns the inventory
// that failed, and the turn of the set ends: without an inventory nothing may be made.
func (w *work) inventoryJob(do func(context.Context) (Ref, error)) job {
	return func(ctx context.Context) {
		if r, err := do(ctx); err != nil {
			w.stuck.CompareAndSwap(nil, &err)
			w.failNew(r, err)
		}
	}
}

// rebuild replaces a lost or corrupt inventory. The new one lists the wanted objects,
// and the objects with our labels that we applied. No object is pruned in the same
// pass, so that people can see the notice first.
func (w *work) rebuild(ctx context.Context) (Ref, error) {
	w.untrusted = true
	for _, o := range w.live.inventories(w.app()) {
		if err := w.remove(ctx, configMap, o.Ref, o.UID, ""); err != nil {
			return o.Ref, err
		}
	}
	left := w.live.applied(w.app())
	w.report.Notices = append(w.report.Notices, fmt.Sprintf(
		"the inventory of %s was lost or damaged; it was made again from %d objects that carry its labels, and nothing is pruned in this pass",
		w.app(), len(left)))
	w.strays, w.stored = nil, nil
	for _, r := range without(left, w.wanted) {
		w.report.Results = append(w.report.Results, Result{Ref: r, Action: Skipped, Message: "not pruned before the next pass"})
	}
	if refs := union(left, w.wanted); len(refs) > 0 {
		return w.write(ctx, refs)
	}
	return Ref{}, nil
}

// store sends a part of the inventory. What has its name and is not ours stays as it is.
func (w *work) store(ctx context.Context, r Ref, inv *inventory) error {
	object, err := inv.object(w.fleet, w.app(), r)
	if err != nil {
		return err
	}
	m, err := w.mapped(ctx, configMap, r.Namespace)
	if err != nil {
		return err
	}
	path, encoded := m.path(r.Namespace, r.Name), encode(object)
	now, t, _ := w.live.find(r)
	for attempt := 0; ; attempt++ {
		if attempt > 0 || now != nil && !w.ownInventory(now, t) {
			u, err := w.as(r.Namespace).get(ctx, path)
			if err != nil && !apierrors.IsNotFound(err) {
				return err
			}
			if w.answered(nil); err != nil {
				now = nil
			} else if now = w.live.observe(u); !w.ownInventory(now, t) {
				return w.foreign(u)
			}
		}
		d := demand{force: true}
		if now != nil {
			d.uid = now.UID
		}
		if _, _, err := w.send(ctx, r, path, encoded, d); err == nil || attempt == attempts || !d.unmet(err) {
			return err
		}
	}
}

func (w *work) ownInventory(o *Object, t trace) bool { return o.App == w.app() && w.mine(o, t) }

// unwanted returns, in order, the objects that are not in the set but in the inventory,
// or that our field manager applied: a late request of a process that has ended or
// hangs may create an object that no inventory lists.
func (w *work) unwanted() []Ref {
	if w.leftover == nil {
		w.leftover = append([]Ref{}, without(union(w.stored, w.live.applied(w.app())), w.wanted)...)
	}
	return w.leftover
}

// spared returns the unwanted objects that running workloads may still refer to, if
// their spec is not known any more.
func (w *work) spared() []Ref {
	if !w.set.KeepSupport {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(w.unwanted()), func(r Ref) bool { return stageOf(r) != render.StageSupport || permanent(r) })
}

func stageOf(r Ref) int { return render.StageOf(r.GroupKind()) }

// prune returns the jobs that delete the unwanted objects of one stage.
func (w *work) prune(stage int) []job {
	if w.failed.Load() || w.untrusted || w.stuck.Load() != nil {
		return nil
	}
	var jobs []job
	first := len(w.report.Results)
	for _, r := range without(w.unwanted(), w.spared()) {
		if stageOf(r) != stage || w.disposed[r] {
			continue
		}
		w.live.forget(r)
		w.report.Results = append(w.report.Results, Result{Ref: r, Action: Skipped})
	}
	for i := first; i < len(w.report.Results); i++ {
		jobs = append(jobs, func(ctx context.Context) { w.delete(ctx, i) })
	}
	return jobs
}

// delete deletes one object, if it is still ours.
func (w *work) delete(ctx context.Context, i int) {
	res := &w.report.Results[i]
	action, why, err := w.deleteOurs(ctx, res.Ref)
	if err != nil {
		w.fail(res, nil, err)
		return
	}
	res.Action, res.Message = action, why
}

// deleteOurs reads the object first: a deletion is rare and cannot be taken back.
func (w *work) deleteOurs(ctx context.Context, r Ref) (action Action, why string, err error) {
	if permanent(r) {
		return Kept, "volumes and namespaces outlive what declared them", nil
	}
	if w.pass.wanted[r] > 0 {
		return Kept, "another application has it now", nil
	}
	if err := w.unanswered.pending(r); err != nil {
		return "", "", err // it may make the object yet
	}
	m, err := w.mapped(ctx, kind{Group: r.Group, Kind: r.Kind}, r.Namespace)
	if is[*unknownKind](err) {
		return Pruned, "its kind is gone", nil
	}
	if err != nil {
		return "", "", err
	}
	for attempt := 0; ; attempt++ {
		known, _, _ := w.live.find(r)
		u, err := w.as(r.Namespace).get(ctx, m.path(r.Namespace, r.Name))
		if apierrors.IsNotFound(err) {
			if known != nil {
				w.live.deleting(r, known.UID)
			}
			return Pruned, "", nil
		}
		if err != nil {
			return "", "", err
		}
		w.answered(nil)
		now := w.live.observe(u)
		_, t, _ := w.live.find(r)
		switch {
		case !w.owns(u):
			return Kept, "it no longer carries the labels of the application", nil
		case now.inventory != nil || !w.mine(now, t):
			return Kept, "it is not the object that was applied", nil
		case annotation(u, render.AnnotationPrune) == render.PruneKeep:
			return Kept, "it is annotated " + render.AnnotationPrune + "=" + render.PruneKeep, nil
		case w.adopted(now) == render.AdoptedKeep:
			return Kept, "it was adopted, so it stays", nil
		case u.GetDeletionTimestamp() != nil:
			return Pruned, "it is being deleted", nil
		}
		err = w.remove(ctx, m.kind, r, string(u.GetUID()), u.GetResourceVersion())
		if !apierrors.IsConflict(err) || attempt == 5 {
			return Pruned, "", err
		} // else somebody changed it after we read it
	}
}

// remove deletes exactly the object that was read. A workload is deleted in the
// foreground: it is gone when its pods are gone.
func (w *work) remove(ctx context.Context, k kind, r Ref, uid, version string) error {
	m, err := w.mapped(ctx, k, r.Namespace)
	if err != nil {
		return err
	}
	propagation := metav1.DeletePropagationBackground
	if r.Group == "apps" || r.Group == "batch" {
		propagation = metav1.DeletePropagationForeground
	}
	opts := metav1.DeleteOptions{
		Preconditions:     &metav1.Preconditions{UID: (*types.UID)(&uid)},
		PropagationPolicy: &propagation,
	}
	if version != "" {
		opts.Preconditions.ResourceVersion = &version
	}
	_, err = await(ctx, w.life, w.unanswered, w.app().Tenant, r, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, w.as(r.Namespace).delete(ctx, m.path(r.Namespace, r.Name), opts)
	})
	if err == nil || apierrors.IsNotFound(err) {
		w.live.deleting(r, uid)
		return nil
	}
	return err
}

// trim removes objects that do not exist any more from the inventory.
func (w *work) trim() []job {
	if w.failed.Load() || w.untrusted || w.stuck.Load() != nil {
		return nil
	}
	left := union(w.wanted, w.spared())
	settled := slices.Equal(w.stored, left) && !w.live.renewed(w.app())
	if len(w.set.Objects) > 0 && len(w.strays) == 0 && settled {
		return nil
	}
	if len(w.set.Objects) == 0 && !w.home && len(w.strays) == 0 {
		return nil
	}
	return []job{w.inventoryJob(func(ctx context.Context) (Ref, error) {
		if len(w.set.Objects) > 0 && !settled {
			if r, err := w.write(ctx, left); err != nil {
				return r, err
			}
		}
		for _, o := range w.live.inventories(w.app()) {
			if n := w.shard(o); len(w.set.Objects) > 0 && (n == 0 || n > 0 && len(without(o.inventory.refs, left)) < len(o.inventory.refs)) {
				continue
			}
			w.live.forget(o.Ref)
			if err := w.remove(ctx, configMap, o.Ref, o.UID, ""); err != nil {
				return o.Ref, err
			}
		}
		return Ref{}, nil
	})}
}
