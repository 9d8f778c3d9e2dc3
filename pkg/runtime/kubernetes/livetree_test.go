package kubernetes

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/d-aros/d-aros/pkg/model"
)

// owned returns a pod that another object made.
func owned(name, owner string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Pod"}}
	u.SetName(name)
	u.SetUID(types.UID(name))
	if owner != "" {
		controls := true
		u.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: owner, UID: types.UID(owner), Controller: &controls}})
	}
	return u
}

// TestLiveTree: objects that own each other in a circle, or themselves, are all there, once.
func TestLiveTree(t *testing.T) {
	app := model.AppID{Tenant: "acme", Name: "shop"}
	tree := liveTree{app: app, objects: []*unstructured.Unstructured{owned("a", "b"), owned("b", "a"), owned("c", "c"), owned("d", ""), owned("e", "d"), owned("f", "gone"), owned("g", "e")}}
	names := map[string]bool{}
	for _, o := range tree.list() {
		require.True(t, o.Owner == "" || names[o.Owner], "%s comes after %s", o.ID, o.Owner)
		require.False(t, names[o.ID])
		names[o.ID] = true
	}
	require.Len(t, names, 7)
}

// TestLiveTextIsSafe: what controllers and clients write is cut and steers nothing.
func TestLiveTextIsSafe(t *testing.T) {
	hostile := "\x1b[31m\u202e<script>\r\n" + strings.Repeat("x", 1<<20)
	pod := owned("a", "")
	pod.SetLabels(map[string]string{"d-aros.dev/component": hostile})
	conditions := []any{}
	for range 1000 {
		conditions = append(conditions, map[string]any{"type": hostile, "status": hostile, "reason": hostile, "message": hostile, "lastTransitionTime": hostile})
	}
	require.NoError(t, unstructured.SetNestedSlice(pod.Object, conditions, "status", "conditions"))
	require.NoError(t, unstructured.SetNestedSlice(pod.Object, []any{map[string]any{"name": hostile, "image": hostile}}, "spec", "containers"))
	event := &unstructured.Unstructured{Object: map[string]any{
		"involvedObject": map[string]any{"uid": "a", "kind": hostile, "name": hostile}, "reason": hostile, "message": hostile, "type": hostile, "lastTimestamp": hostile,
	}}
	events := make([]*unstructured.Unstructured, 1000)
	for i := range events {
		events[i] = event
	}
	tree := liveTree{objects: []*unstructured.Unstructured{pod}}
	b, err := json.Marshal([]any{tree.list(), eventsOf(tree.objects, events)})
	require.NoError(t, err)
	require.Less(t, len(b), 512<<10)
	require.NotContains(t, string(b), `\u001b`)
	require.NotContains(t, string(b), "\u202e")
	require.NotContains(t, string(b), `\r`)
}

// TestLiveWatchIsBounded: of a kind only so many objects are held; of events the newest.
func TestLiveWatchIsBounded(t *testing.T) {
	f := &Followed{changed: make(chan struct{})}
	fill := func(w *liveWatch) {
		for i := range mostSeen + 10 {
			u := owned(fmt.Sprintf("o%05d", i), "")
			u.Object["lastTimestamp"] = fmt.Sprintf("2026-03-01T%02d:%02d:%02dZ", i/3600, i/60%60, i%60)
			require.NoError(t, w.Add(u))
		}
		require.Len(t, w.seen, mostSeen)
		require.Equal(t, 10, w.more)
	}
	pods := &liveWatch{of: f, seen: map[types.UID]*unstructured.Unstructured{}}
	fill(pods)
	require.Contains(t, pods.seen, types.UID("o00000"))
	events := &liveWatch{of: f, livePlace: livePlace{kind: eventKind}, seen: map[types.UID]*unstructured.Unstructured{}}
	fill(events)
	require.NotContains(t, events.seen, types.UID("o00000"))
	require.Contains(t, events.seen, types.UID(fmt.Sprintf("o%05d", mostSeen+9)))
}
