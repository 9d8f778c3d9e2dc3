package apply

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/d-aros/d-aros/pkg/render"
)

// verdict compares an object in the cluster with the wanted object.
type verdict int

const (
	same     verdict = iota // as wanted, no request
	absent                  // not in the watch
	outdated                // an older spec was applied
	drifted                 // the wanted spec was applied, and another manager changed it
	deleting
	foreign // it belongs to another application
)

// settled reports whether an object needs no request. It does not wait.
func (w *work) settled(o *render.Object, r Ref) bool {
	if !w.kinds.synced(o.Object.GroupVersionKind(), w.live) {
		return false
	}
	v, _ := w.compare(o, r)
	return v == same
}

// compare compares an object with its state in the watch, without a request.
func (w *work) compare(o *render.Object, r Ref) (verdict, *Object) {
	now, t, remembered := w.live.find(r)
	want := annotation(o.Object, render.AnnotationApplied)
	before := remembered && t.applied == want
	switch {
	case now == nil && before:
		return drifted, nil
	case now == nil:
		return absent, nil
	case now.App != w.app() && w.live.lists(now.App, r):
		return foreign, now
	case now.Deleting:
		return deleting, now
	case now.applied != want || now.App != w.app():
		if before {
			return drifted, now
		}
		return outdated, now
	case remembered && t.applied == now.applied && t.left == now.left:
		return same, now
	case !remembered && holdsAll(o.Object, now):
		w.live.remember(now)
		return same, now
	}
	return drifted, now
}

// holdsAll reports whether the fields that we own in an object hold all wanted values.
// It is for objects that another process applied.
func holdsAll(want *unstructured.Unstructured, now *Object) bool {
	own := map[string]any{}
	return now.own != nil && utiljson.Unmarshal(now.own, &own) == nil && within(want.Object, own)
}

// object makes one object as it is wanted.
func (w *work) object(ctx context.Context, i int) {
	if w.stuck.Load() != nil {
		return
	}
	res := &w.report.Results[i]
	if err := w.bring(ctx, &w.set.Objects[i], res); err != nil {
		w.fail(res, err)
	}
}

// bring sends an object unless the cluster has it as it is wanted.
func (w *work) bring(ctx context.Context, o *render.Object, res *Result) error {
	m, err := w.served(ctx, o.Object.GroupVersionKind())
	if err != nil {
		return err
	}
	path := m.path(res.Namespace, res.Name)
	v, now := w.compare(o, res.Ref)
	if v == drifted && now != nil || v == absent && res.Kind == "Namespace" {
		if v, now, err = w.look(ctx, o, res, path, v); err != nil {
			return err
		}
	}
	switch v {
	case same:
		res.Action = Unchanged
		return nil
	case deleting:
		return conflict("it is being deleted, and can be made again when that has ended")
	case foreign:
		return conflict("it belongs to " + owner(now))
	}
	answer, created, err := w.send(ctx, res.Ref, path, o.JSON)
	switch {
	case err != nil:
		return err
	case created && v == drifted:
		res.Action, res.Drift = Corrected, []Difference{{}}
	case created:
		res.Action = Created
	case now != nil && now.Version == answer.Version:
		res.Action = Unchanged
	case v == drifted && len(res.Drift) > 0:
		res.Action = Corrected
	default:
		res.Action = Configured
	}
	return nil
}

// look reads an object before it is corrected, to find the fields that others have
// changed. Drift is rare, so it may cost a request.
func (w *work) look(ctx context.Context, o *render.Object, res *Result, path string, v verdict) (verdict, *Object, error) {
	u, err := w.client.get(ctx, path)
	if apierrors.IsNotFound(err) {
		return v, nil, nil
	}
	if err != nil {
		return v, nil, err
	}
	w.answered(nil)
	if res.Kind == "Namespace" && label(u, render.LabelFleet) != w.fleet {
		return v, nil, conflict("it exists already and does not belong to this fleet; to hand it over, label it " + render.LabelFleet + "=" + w.fleet)
	}
	w.live.see(u)
	v, now := w.compare(o, res.Ref)
	if v == drifted {
		var others []level
		for _, c := range claims(u, w.client.manager) {
			if !c.ours {
				others = append(others, level{c.manager, c.fields})
			}
		}
		res.Drift = differences(o.Object.Object, u.Object, others)
	}
	return v, now, nil
}

// send applies an object and returns what the API server made of it.
func (w *work) send(ctx context.Context, r Ref, path string, body []byte) (answer *Object, created bool, err error) {
	w.live.begin(r)
	u, created, err := w.client.apply(ctx, path, body)
	if err == nil {
		w.answered(nil)
		answer = w.live.observe(u)
	}
	w.live.settle(r, w.app(), answer)
	return answer, created, err
}

// served returns how a kind is served. It waits for a kind whose definition was applied
// in the same pass, because the API server does not serve it at once.
func (w *work) served(ctx context.Context, k kind) (mapping, error) {
	m, err := w.mapped(ctx, k)
	if !w.defined[k.GroupKind()] || err == nil {
		return m, err
	}
	limit := time.After(10 * time.Second)
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for err != nil {
		select {
		case <-tick.C:
			w.kinds.expect()
			m, err = w.mapped(ctx, k)
		case <-limit:
			return m, err
		case <-ctx.Done():
			return m, ctx.Err()
		}
	}
	return m, nil
}

func owner(o *Object) string {
	if o.App.Name == "" {
		return "tenant " + o.App.Tenant
	}
	return "application " + o.App.String()
}
