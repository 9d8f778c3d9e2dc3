package apply

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

func TestHealthFollowsTheWatch(t *testing.T) {
	ctx := t.Context()
	var listed, watched error
	var events apiwatch.Interface = apiwatch.NewFake()
	h := NewHealth("pods")
	lw := h.Follow(&cache.ListWatch{
		ListWithContextFunc:  func(context.Context, metav1.ListOptions) (runtime.Object, error) { return nil, listed },
		WatchFuncWithContext: func(context.Context, metav1.ListOptions) (apiwatch.Interface, error) { return events, watched },
	})
	list := func() { _, _ = lw.ListWithContext(ctx, metav1.ListOptions{}) }
	watch := func() { _, _ = lw.WatchWithContext(ctx, metav1.ListOptions{}) }
	broken := func() string {
		since, err := h.Broken()
		require.Equal(t, err == nil, since.IsZero())
		if err == nil {
			return ""
		}
		return err.Error()
	}

	listed = errors.New("no route")
	list()
	require.Equal(t, "watch pods: no route", broken())
	since, _ := h.Broken()
	listed = errors.New("refused")
	list()
	again, err := h.Broken()
	require.EqualError(t, err, "watch pods: refused")
	require.Equal(t, since, again, "it broke once")
	require.EqualError(t, h.Wait(ctx, make(chan struct{})), "watch pods: refused", "nobody waits for a broken watch")

	listed = nil
	list()
	require.Empty(t, broken())
	events = apiwatch.NewEmptyWatch()
	watch()
	require.Equal(t, "watch pods: the API server closes the connection", broken())
	events = apiwatch.NewFake()
	watch()
	require.Empty(t, broken())
	watched = context.Canceled
	watch()
	require.Empty(t, broken(), "whoever cancels a watch ends it")

	synced := make(chan struct{})
	waited := make(chan error)
	go func() { waited <- h.Wait(ctx, synced) }()
	watched = errors.New("gone")
	watch()
	require.EqualError(t, <-waited, "watch pods: gone", "a watch may break while somebody waits")
	close(synced)
	require.NoError(t, h.Wait(ctx, synced), "a kind that is in step needs no working watch")
	ended, cancel := context.WithCancel(ctx)
	cancel()
	watched = nil
	watch()
	require.ErrorIs(t, h.Wait(ended, make(chan struct{})), context.Canceled)
}
