package apply

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// Health records whether one watch works.
type Health struct {
	Turned func() // is called when the watch breaks, and when it works again; nil: nobody asks

	name string // of what is watched, for errors

	mu     sync.Mutex
	err    error         // why the watch does not work now, nil if it works
	since  time.Time     // when it broke
	failed chan struct{} // closed while err is set
}

// NewHealth returns the health of a watch that nobody has started yet.
func NewHealth(name string) *Health { return &Health{name: name, failed: make(chan struct{})} }

// Follow returns lw with every attempt to list or watch recorded in h.
func (h *Health) Follow(lw *cache.ListWatch) *cache.ListWatch {
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
			list, err := lw.ListWithContext(ctx, opts)
			h.note(err)
			return list, err
		},
		WatchFuncWithContext: func(ctx context.Context, opts metav1.ListOptions) (apiwatch.Interface, error) {
			events, err := lw.WatchWithContext(ctx, opts)
			h.note(cmp.Or(err, closed(events)))
			return events, err
		},
	}
}

// closed is the error of a watch that never began: client-go returns an empty watch
// when the other side closes the connection, as if nothing had happened.
func closed(events apiwatch.Interface) error {
	if reflect.TypeOf(events) == reflect.TypeOf(apiwatch.NewEmptyWatch()) {
		return errors.New("the API server closes the connection")
	}
	return nil
}

// note records the outcome of an attempt to list or watch.
func (h *Health) note(err error) {
	h.mu.Lock()
	was := h.err
	if h.err = err; errors.Is(err, context.Canceled) {
		h.err = nil
	}
	turned := (h.err == nil) != (was == nil)
	switch {
	case turned && was == nil:
		h.since = time.Now()
		close(h.failed)
	case turned:
		h.failed = make(chan struct{})
	}
	h.mu.Unlock()
	if turned && h.Turned != nil {
		h.Turned()
	}
}

// Broken returns when and why the watch broke. The error is nil while it works.
func (h *Health) Broken() (since time.Time, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err == nil {
		return time.Time{}, nil
	}
	return h.since, fmt.Errorf("watch %s: %w", h.name, h.err)
}

// Wait returns when synced is closed, or at once with an error while the watch is
// broken: the caller decides how long to tolerate that.
func (h *Health) Wait(ctx context.Context, synced <-chan struct{}) error {
	select {
	case <-synced:
		return nil
	default:
	}
	h.mu.Lock()
	failed := h.failed
	h.mu.Unlock()
	select {
	case <-synced:
		return nil
	case <-failed:
		if _, err := h.Broken(); err != nil {
			return err
		}
		return h.Wait(ctx, synced) // it works again
	case <-ctx.Done():
		return ctx.Err()
	}
}
