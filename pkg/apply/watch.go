package apply

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// retry is how a broken watch is tried again: soon, because a control plane that
// restarts is back within seconds, and never slower than every 5 s.
var retry = wait.Backoff{Duration: 200 * time.Millisecond, Factor: 2, Jitter: 0.5, Steps: 6, Cap: 5 * time.Second}

// watch keeps Live in step with one kind.
type watch struct {
	kind   schema.GroupKind
	synced chan struct{} // closed when all objects were seen once

	mu     sync.Mutex
	err    error         // why it does not work now
	since  time.Time     // when it last worked
	failed chan struct{} // closed when an attempt failed before it was synced
}

// follow starts to watch a kind, once.
func (l *Live) follow(m mapping) *watch {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := m.kind.GroupKind()
	if w := l.watches[k]; w != nil {
		return w
	}
	w := &watch{kind: k, synced: make(chan struct{}), failed: make(chan struct{})}
	l.watches[k] = w
	l.done.Go(func() { w.run(l, m) })
	return w
}

func (w *watch) run(l *Live, m mapping) {
	resource := l.dynamic.Resource(m.resource)
	lw := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
			opts.LabelSelector = l.select_
			list, err := resource.List(ctx, opts)
			w.note(err)
			return list, err
		},
		WatchFuncWithContext: func(ctx context.Context, opts metav1.ListOptions) (apiwatch.Interface, error) {
			opts.LabelSelector = l.select_
			events, err := resource.Watch(ctx, opts)
			w.note(cmp.Or(err, closed(events)))
			return events, err
		},
	}
	example := &unstructured.Unstructured{}
	example.SetGroupVersionKind(m.kind)
	backoff := retry
	reflector := cache.NewReflectorWithOptions(lw, example, &sink{live: l, watch: w, kind: m.kind.GroupKind()},
		cache.ReflectorOptions{Name: "apply", Backoff: &backoff})
	pause := retry.DelayFunc()
	_ = pause.Until(l.ctx, true, true, func(ctx context.Context) (bool, error) {
		if err := reflector.ListAndWatchWithContext(ctx); err != nil {
			w.note(err)
		}
		return false, nil
	})
}

// closed is the error of a watch that never began: client-go makes an empty
// watch of a connection that the other side closed, as if nothing had happened.
func closed(events apiwatch.Interface) error {
	if reflect.TypeOf(events) == reflect.TypeOf(apiwatch.NewEmptyWatch()) {
		return errors.New("the API server closes the connection")
	}
	return nil
}

// note takes down the outcome of an attempt to list or watch.
func (w *watch) note(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case err == nil || errors.Is(err, context.Canceled):
		w.err = nil
	case w.err == nil:
		w.err, w.since = err, time.Now()
	default:
		w.err = err
	}
	if err != nil {
		select {
		case <-w.failed:
		default:
			close(w.failed)
		}
	}
}

func (w *watch) broken() (time.Time, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		return time.Time{}, nil
	}
	return w.since, fmt.Errorf("watch %s: %w", w.kind, w.err)
}

// wait waits until the kind is in step. It fails at once while the API server
// refuses the watch: others shall not wait for that.
func (w *watch) wait(ctx context.Context) error {
	select {
	case <-w.synced:
		return nil
	default:
	}
	if _, err := w.broken(); err != nil {
		return err
	}
	select {
	case <-w.synced:
		return nil
	case <-w.failed:
		if _, err := w.broken(); err != nil {
			return err
		}
	case <-ctx.Done():
		return ctx.Err()
	}
	select { // it failed once and is being tried again
	case <-w.synced:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sink receives the objects that a reflector sees.
type sink struct {
	live  *Live
	watch *watch
	kind  schema.GroupKind
}

// kept carries an Object through the reflector's own stores, so that they never
// hold whole objects.
type kept struct {
	metav1.ObjectMeta
	object *Object
}

// Transformer lets the reflector reduce objects as they arrive.
func (s *sink) Transformer() cache.TransformFunc {
	return func(obj any) (any, error) {
		if u, ok := obj.(*unstructured.Unstructured); ok {
			return &kept{
				ObjectMeta: metav1.ObjectMeta{Namespace: u.GetNamespace(), Name: u.GetName()},
				object:     s.live.observe(u),
			}, nil
		}
		return obj, nil
	}
}

func (s *sink) object(obj any) (*Object, error) {
	switch o := obj.(type) {
	case *kept:
		return o.object, nil
	case *unstructured.Unstructured:
		return s.live.observe(o), nil
	}
	return nil, fmt.Errorf("watch %s: saw a %T", s.kind, obj)
}

// Add takes in a new object.
func (s *sink) Add(obj any) error { return s.Update(obj) }

// Update takes in a changed object.
func (s *sink) Update(obj any) error {
	o, err := s.object(obj)
	if err == nil {
		s.live.put(o)
	}
	return err
}

// Delete takes in that an object is gone.
func (s *sink) Delete(obj any) error {
	o, err := s.object(obj)
	if err == nil {
		s.live.remove(o.Ref, o.Version)
	}
	return err
}

// Replace takes in all objects there are.
func (s *sink) Replace(list []any, version string) error {
	objects := make([]*Object, len(list))
	for i, obj := range list {
		var err error
		if objects[i], err = s.object(obj); err != nil {
			return err
		}
	}
	s.live.relisted(s.kind, objects, version)
	s.watch.mu.Lock()
	defer s.watch.mu.Unlock()
	select {
	case <-s.watch.synced:
	default:
		close(s.watch.synced)
	}
	return nil
}

// Resync does nothing: Live has only objects that the watch has shown.
func (s *sink) Resync() error { return nil }

// refused reports whether the API server does not let us watch a kind, in contrast
// to a watch that broke.
func refused(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err)
}
