package apply

import (
	"cmp"
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

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
	taken   // another application of the fleet has it
	another // it is not ours
	adopt   // it is not ours and is to be taken over
)

// settled reports whether an object needs no request. It does not wait.
func (w *work) settled(o *render.Object, r Ref) bool {
	if !w.kinds.synced(o.Object.GroupVersionKind(), r.Namespace, w.live) {
		return false
	}
	v, _ := w.compare(o, r)
	return v == same
}

// compare compares an object with its state in the watch, without a request.
func (w *work) compare(o *render.Object, r Ref) (verdict, *Object) {
	now, t, remembered := w.live.find(r)
	return w.judge(o, now, t, remembered), now
}

// judge compares an object with its state in the cluster, nil if there is none, and with
// what our last apply left of it.
func (w *work) judge(o *render.Object, now *Object, t trace, remembered bool) verdict {
	want := annotation(o.Object, render.AnnotationApplied)
	before := remembered && t.applied == want
	switch {
	case now == nil && before:
		return drifted
	case now == nil:
		return absent
	case now.App == w.app() && now.applied == want && before && t.left == now.left && t.uid == now.UID && !now.Deleting && w.adopted(now) == now.adopted:
		return same
	case now.inventory != nil, now.App != w.app() && w.live.lists(now.App, now.Ref):
		return taken
	case !w.mine(now, t):
		return another
	case now.Deleting:
		return deleting
	case now.applied != want || now.App != w.app() || w.adopted(now) != now.adopted:
		if before && now.adopted == w.adopted(now) {
			return drifted
		}
		return outdated
	case !remembered && holdsAll(o, now):
		w.live.remember(now)
		return same
	}
	return drifted
}

// holdsAll reports whether the fields that we own in an object hold all wanted values.
// It is for objects that another process applied.
func holdsAll(want *render.Object, now *Object) bool {
	own := now.own.decoded()
	return own != nil && within(want.Whole().Object, own)
}

// object makes one object as it is wanted.
func (w *work) object(ctx context.Context, i int) {
	if w.stuck.Load() != nil {
		return
	}
	res := &w.report.Results[i]
	if err := w.bring(ctx, &w.set.Objects[i], res); err != nil {
		w.fail(res, w.set.Objects[i].Whole(), err)
	}
}

// bring sends an object unless the cluster has it as it is wanted.
func (w *work) bring(ctx context.Context, o *render.Object, res *Result) error {
	m, err := w.served(ctx, o.Object.GroupVersionKind(), res.Namespace)
	if err != nil {
		return err
	}
	path := m.path(res.Namespace, res.Name)
	v, now := w.compare(o, res.Ref)
	for attempt := 0; ; attempt++ {
		if v == drifted && now != nil || v == another || v == deleting || attempt > 0 {
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
		case taken:
			return conflict("it belongs to " + owner(now))
		case drifted:
			if err := w.pause(res); err != nil {
				return err
			}
		}
		d := w.demand(now)
		d.force = d.force || v == adopt
		answer, created, err := w.send(ctx, res.Ref, path, o.JSON, d)
		switch {
		case err == nil:
		case !d.unmet(err):
			if err := w.replace(ctx, o, res.Ref, m, now, err); err != nil {
				return err
			}
			_, res.Field, _ = refusal(res.Ref, o.Whole(), err)
			continue
		case attempt == attempts:
			return conflict("it was changed by somebody else at the same moment")
		default:
			continue
		}
		if res.Action = w.did(v, now, answer, created, res); res.Field != "" {
			res.Message = fmt.Sprintf("%s was deleted and made anew, because %s cannot be changed", res.Ref, res.Field)
		}
		return nil
	}
}

// attempts is how often a request is made again whose demand did not hold, because the
// object changes at the same moment.
const attempts = 3

// demand returns what must hold for a request about an object, nil if there is none.
func (w *work) demand(now *Object) demand {
	if now == nil {
		return demand{}
	}
	return demand{uid: now.UID, force: !w.set.ReportConflicts, adopted: w.adopted(now)}
}

// did names what a request did.
func (w *work) did(v verdict, now, answer *Object, created bool, res *Result) Action {
	switch {
	case created && v == drifted:
		res.Drift = []Difference{{}}
		w.fights.corrected(res.Ref, res.Drift)
		return Corrected
	case created:
		return Created
	case v == adopt:
		return Adopted
	case now != nil && now.Version == answer.Version:
		return Unchanged
	case v == drifted && len(res.Drift) > 0:
		w.fights.corrected(res.Ref, res.Drift)
		return Corrected
	}
	return Configured
}

// pause returns an error if a correction has to wait, because another manager changes the
// field again and again.
func (w *work) pause(res *Result) error {
	found := res.Drift
	if len(found) == 0 {
		found = []Difference{{}}
	}
	if d, wait := w.fights.waits(res.Ref, found); wait > 0 {
		return &fought{d, wait}
	}
	return nil
}

// look reads an object before it is changed, to find whose it is, whether it is still being
// deleted, and the fields that others have changed. That is rare, so it may cost a request.
func (w *work) look(ctx context.Context, o *render.Object, res *Result, path string, v verdict) (verdict, *Object, error) {
	res.Drift = nil
	u, err := w.as(res.Namespace).get(ctx, path)
	if apierrors.IsNotFound(err) {
		if v == another || v == deleting { // the watch has yet to hear that it is gone
			v = absent
		}
		return v, nil, nil
	}
	if err != nil {
		return v, nil, err
	}
	w.answered(nil)
	now := w.live.observe(u)
	if now.labelled {
		w.live.put(now)
	}
	_, t, remembered := w.live.find(res.Ref)
	v = w.judge(o, now, t, remembered)
	if v == another && w.adoptable(u) {
		if v = adopt; now.Deleting {
			v = deleting
		}
		taken := *now
		taken.adopted, taken.labels = render.AdoptedKeep, u.GetLabels() // its entry says how
		now = &taken
	}
	switch v {
	case another:
		return v, now, w.foreign(u)
	case adopt:
		res.Drift = w.given(o, u)
	case drifted:
		res.Drift = w.heldByOthers(o, u)
	}
	return v, now, nil
}

// heldByOthers returns the fields of an object that differ from what is wanted, with the
// managers that hold them.
func (w *work) heldByOthers(o *render.Object, u *unstructured.Unstructured) []Difference {
	return differences(o.Whole().Object, u.Object, othersOf(u, w.client.manager))
}

// foreign returns the error for an object that is not ours.
func (w *work) foreign(u *unstructured.Unstructured) error {
	f := &foreign{owner: ownerOf(u, w.fleet)}
	switch r := RefOf(u); {
	case namespace(r):
		f.do = "to hand it over, label it " + render.LabelFleet + "=" + w.fleet
	case w.app().Name != "" && shardOf(w.app(), r.Name) < 0 && fleetOf(u, w.fleet) == "" && metav1.GetControllerOfNoCopy(u) == nil:
		f.do = fmt.Sprintf("remove or rename one of the two, or take it over with application.adopt: [{kind: %q, name: %q}]", r.GroupKind().String(), r.Name)
	}
	return f
}

// send applies an object and returns what the API server made of it.
func (w *work) send(ctx context.Context, r Ref, path string, object []byte, d demand) (answer *Object, created bool, err error) {
	type sent struct {
		answer  *Object
		created bool
	}
	body, err := d.body(object, ownerName(w.fleet, w.app()))
	if err != nil {
		return nil, false, err
	}
	got, err := await(ctx, w.life, w.unanswered, w.app().Tenant, r, func(ctx context.Context) (s sent, err error) {
		w.live.begin(r)
		told, created, err := w.as(r.Namespace).apply(ctx, path, body, d.force)
		version := ""
		if s.created = created; err == nil {
			s.answer, err = w.live.read(string(told))
		}
		if err == nil {
			version = s.answer.Version
		}
		err = cmp.Or(err, w.live.show(r, version))
		w.live.settle(r, w.app(), s.answer)
		return s, err
	})
	if err != nil {
		return nil, false, cmp.Or(err, w.live.show(r, "")) // there may be no answer for long
	}
	w.answered(nil)
	w.accounts.granted(r)
	return got.answer, got.created, err
}

// served returns how a kind is served. It waits for a kind whose definition was applied
// in the same pass, because the API server does not serve it at once.
func (w *work) served(ctx context.Context, k kind, namespace string) (mapping, error) {
	m, err := w.mapped(ctx, k, namespace)
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
			m, err = w.mapped(ctx, k, namespace)
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
