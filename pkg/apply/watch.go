package apply

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/d-aros/d-aros/pkg/render"
)

// retry is how a broken watch is tried again: soon, because a control plane that
// restarts is back within seconds, and never slower than every 5 s.
var retry = wait.Backoff{Duration: 200 * time.Millisecond, Factor: 2, Jitter: 0.5, Steps: 6, Cap: 5 * time.Second}

// place is what one watch shows: the objects of a kind, in one namespace or, with "", in all.
type place struct {
	kind      schema.GroupKind
	namespace string
}

func (p place) String() string {
	if p.namespace == "" {
		return p.kind.String()
	}
	return p.kind.String() + " in " + p.namespace
}

// watch keeps Live in step with one place. It is the store of a reflector.
type watch struct {
	*Health
	live *Live
	place
	synced chan struct{} // closed when all objects were seen once
}

// place returns what is watched to see the objects of a kind in a namespace: Secrets only
// there, by its account, and other kinds everywhere.
func (l *Live) place(k schema.GroupKind, namespace string) place {
	if l.accounts.name == "" || k != secretKind {
		namespace = ""
	}
	return place{k, namespace}
}

// follow starts to watch the objects of a kind in a namespace, once.
func (l *Live) follow(m mapping, namespace string) *watch {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.place(m.kind.GroupKind(), namespace)
	if w := l.watches[at]; w != nil {
		return w
	}
	w := &watch{Health: NewHealth(at.String()), live: l, place: at, synced: make(chan struct{})}
	l.watches[at] = w
	l.done.Go(func() { w.run(m) })
	return w
}

func (w *watch) run(m mapping) {
	c, path := w.live.watcher(w.namespace), m.path(w.namespace, "")
	selected := render.LabelFleet + "=" + w.live.fleet
	lw := w.Follow(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
			opts.LabelSelector = selected
			return c.page(ctx, m.kind, path, opts)
		},
		WatchFuncWithContext: func(ctx context.Context, opts metav1.ListOptions) (apiwatch.Interface, error) {
			opts.LabelSelector = selected
			return c.watch(ctx, m.kind, path, opts, w.live)
		},
	})
	backoff := retry
	reflector := cache.NewReflectorWithOptions(lw, nil, w, cache.ReflectorOptions{Name: "apply", TypeDescription: w.place.String(), Backoff: &backoff})
	pause := retry.DelayFunc()
	_ = pause.Until(w.live.ctx, true, true, func(ctx context.Context) (bool, error) {
		if w.namespace != "" && !w.live.bound(w.namespace) { // the API server need not say so again and again
			w.note(apierrors.NewForbidden(m.resource.GroupResource(), "", errors.New(c.account.user()+" has no RoleBinding")))
			return false, nil
		}
		if err := reflector.ListAndWatchWithContext(ctx); err != nil {
			w.note(err)
		}
		return false, nil
	})
}

// wait waits until the kind is in step. It fails at once while the watch does not
// work: others shall not wait for that.
func (w *watch) wait(ctx context.Context) error { return w.Wait(ctx, w.synced) }

// kept carries an Object through the reflector's own stores, so that they never
// hold whole objects.
type kept struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	object *Object
}

func keep(o *Object) *kept {
	return &kept{ObjectMeta: metav1.ObjectMeta{Namespace: o.Namespace, Name: o.Name, ResourceVersion: o.Version}, object: o}
}

// DeepCopyObject returns the same: an Object is never changed.
func (k *kept) DeepCopyObject() runtime.Object { return k }

// Transformer lets the reflector reduce the objects of a list.
func (w *watch) Transformer() cache.TransformFunc {
	return func(obj any) (any, error) {
		if u, ok := obj.(*unstructured.Unstructured); ok {
			return keep(w.live.observe(u)), nil
		}
		return obj, nil
	}
}

func (w *watch) object(obj any) (*Object, error) {
	switch o := obj.(type) {
	case *kept:
		return o.object, nil
	case *unstructured.Unstructured:
		return w.live.observe(o), nil
	}
	return nil, fmt.Errorf("watch %s: saw a %T", w.place, obj)
}

// Add takes in a new object.
func (w *watch) Add(obj any) error { return w.Update(obj) }

// Update takes in a changed object.
func (w *watch) Update(obj any) error {
	o, err := w.object(obj)
	if err == nil {
		w.live.put(o)
	}
	return err
}

// Delete takes in that an object is gone.
func (w *watch) Delete(obj any) error {
	o, err := w.object(obj)
	if err == nil {
		w.live.remove(o.Ref, o.Version)
	}
	return err
}

// Replace takes in all objects there are.
func (w *watch) Replace(list []any, version string) error {
	objects := make([]*Object, len(list))
	for i, obj := range list {
		var err error
		if objects[i], err = w.object(obj); err != nil {
			return err
		}
	}
	w.live.relisted(w.place, objects, version)
	select {
	case <-w.synced:
	default:
		close(w.synced) // only the reflector calls this, one call after the other
	}
	return nil
}

// Resync does nothing: Live has only objects that the watch has shown.
func (w *watch) Resync() error { return nil }

// refused reports whether the API server does not let us watch a kind, in contrast
// to a watch that broke.
func refused(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err)
}
