package kubernetes

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/d-aros/d-aros/pkg/apply"
)

// livePlace is what one watch shows.
type livePlace struct {
	kind      schema.GroupKind
	namespace string // of what is in one
}

// liveWatch holds what an application has of a kind. It is the store of a reflector.
type liveWatch struct {
	*apply.Health
	livePlace
	of     *Followed
	synced chan struct{} // closed when all was seen once

	seen map[types.UID]*unstructured.Unstructured // guarded by of.mu
	more int                                      // that came when it was full
}

// mostSeen bounds what is held of a kind.
const mostSeen = 2000

// liveRetry is how a broken watch is tried again.
var liveRetry = wait.Backoff{Duration: 200 * time.Millisecond, Factor: 2, Jitter: 0.5, Steps: 6, Cap: 5 * time.Second}

var (
	secretKind = schema.GroupKind{Kind: "Secret"}
	eventKind  = schema.GroupKind{Kind: "Event"}
)

// run watches until the context ends. Of Secrets it asks only for the metadata: the API server does not even send the rest.
func (w *liveWatch) run(ctx context.Context) {
	var example any = &unstructured.Unstructured{}
	if w.kind == secretKind {
		example = &metav1.PartialObjectMetadata{}
	}
	lw := w.Follow(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, opts metav1.ListOptions) (apiruntime.Object, error) {
			m, err := w.mapping(&opts)
			if err != nil {
				return nil, err
			}
			if w.kind == secretKind {
				return w.of.metadata.Resource(m.Resource).Namespace(w.namespaceOf(m)).List(ctx, opts)
			}
			return w.of.objects.Resource(m.Resource).Namespace(w.namespaceOf(m)).List(ctx, opts)
		},
		WatchFuncWithContext: func(ctx context.Context, opts metav1.ListOptions) (apiwatch.Interface, error) {
			m, err := w.mapping(&opts)
			if err != nil {
				return nil, err
			}
			if w.kind == secretKind {
				return w.of.metadata.Resource(m.Resource).Namespace(w.namespaceOf(m)).Watch(ctx, opts)
			}
			return w.of.objects.Resource(m.Resource).Namespace(w.namespaceOf(m)).Watch(ctx, opts)
		},
	})
	backoff := liveRetry
	reflector := cache.NewReflectorWithOptions(lw, example, w, cache.ReflectorOptions{Name: "live", Backoff: &backoff})
	_ = liveRetry.DelayFunc().Until(ctx, true, true, func(ctx context.Context) (bool, error) {
		_ = reflector.ListAndWatchWithContext(ctx) // Health has the error
		return false, nil
	})
}

// mapping returns how the API server serves the kind, and selects what is the application's. Events carry no labels.
func (w *liveWatch) mapping(opts *metav1.ListOptions) (*meta.RESTMapping, error) {
	if w.kind != eventKind {
		opts.LabelSelector = w.of.selected
	}
	return w.of.live.mapper.RESTMapping(w.kind)
}

func (w *liveWatch) namespaceOf(m *meta.RESTMapping) string {
	if m.Scope.Name() == meta.RESTScopeNameRoot {
		return ""
	}
	return w.namespace
}

// Transformer drops what nobody is shown, as soon as it arrives.
func (*liveWatch) Transformer() cache.TransformFunc {
	return func(obj any) (any, error) {
		switch o := obj.(type) {
		case *metav1.PartialObjectMetadata:
			o.Annotations, o.ManagedFields = nil, nil // kubectl copies the values of a Secret into an annotation
		case *unstructured.Unstructured:
			if metav1.GetControllerOfNoCopy(o) != nil {
				o.SetManagedFields(nil) // it is compared with nothing
			}
		}
		return obj, nil
	}
}

// Add takes in a new object.
func (w *liveWatch) Add(obj any) error { return w.Update(obj) }

// Update takes in a changed object.
func (w *liveWatch) Update(obj any) error { return w.take([]any{obj}, false, w.put) }

// Delete takes in that an object is gone.
func (w *liveWatch) Delete(obj any) error {
	return w.take([]any{obj}, false, func(u *unstructured.Unstructured) { delete(w.seen, u.GetUID()) })
}

// Replace takes in all objects there are.
func (w *liveWatch) Replace(list []any, _ string) error { return w.take(list, true, w.put) }

// take takes in what the watch shows, all or a part of it, and tells of it.
func (w *liveWatch) take(list []any, all bool, in func(*unstructured.Unstructured)) error {
	defer w.of.touch()
	w.of.mu.Lock()
	defer w.of.mu.Unlock()
	if all {
		w.seen, w.more = map[types.UID]*unstructured.Unstructured{}, 0
	}
	for _, obj := range list {
		u, err := w.object(obj)
		if err != nil {
			return err
		}
		in(u)
	}
	select {
	case <-w.synced:
	default:
		if all {
			close(w.synced) // only the reflector calls this, one call after the other
		}
	}
	return nil
}

// Resync does nothing: all that is held was shown by the watch.
func (*liveWatch) Resync() error { return nil }

// put holds an object. Where there is no room, an event takes the place of the oldest one, and others are counted.
func (w *liveWatch) put(u *unstructured.Unstructured) {
	if _, known := w.seen[u.GetUID()]; !known && len(w.seen) >= mostSeen {
		w.more++
		if w.kind != eventKind {
			return
		}
		delete(w.seen, oldestEvent(w.seen))
	}
	w.seen[u.GetUID()] = u
}

func (w *liveWatch) object(obj any) (*unstructured.Unstructured, error) {
	switch o := obj.(type) {
	case *unstructured.Unstructured:
		return o, nil
	case *metav1.PartialObjectMetadata:
		o.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: w.kind.Kind}
		m, err := apiruntime.DefaultUnstructuredConverter.ToUnstructured(o)
		return &unstructured.Unstructured{Object: m}, err
	}
	return nil, fmt.Errorf("watch %s: saw a %T", w.kind, obj)
}
