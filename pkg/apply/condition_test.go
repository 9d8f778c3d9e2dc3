package apply_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// TestConditionsOfTheAPIServer measures what ownership rests on: a server-side apply can
// demand that it creates an object, and that it changes a certain one, also with force.
func TestConditionsOfTheAPIServer(t *testing.T) {
	f := setup(t)
	f.apply(f.applier(), f.tenant())
	force := true
	send := func(body string) error {
		_, err := f.dynamic.Resource(configMaps).Namespace(f.fleet).Patch(t.Context(), "a", types.ApplyPatchType, []byte(body),
			metav1.PatchOptions{FieldManager: "measure", Force: &force})
		return err
	}
	const head = `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"`
	const creates = head + `, "resourceVersion": "1"}, "data": {"k": "v"}}`
	changes := func(uid string) string { return head + `, "uid": "` + uid + `"}, "data": {"k": "w"}}` }

	require.True(t, apierrors.IsConflict(send(changes("0f5d1f84-39c0-4b0c-8a6f-3b9e8b5f0000"))), "a change creates nothing")
	require.False(t, f.exists(configMaps, "a"))
	require.NoError(t, send(creates))
	made := f.get(configMaps, "a")
	require.NotEqual(t, "1", made.GetResourceVersion())
	require.True(t, apierrors.IsConflict(send(creates)), "what exists is not created, also by its own manager")
	require.True(t, apierrors.IsInvalid(send(changes("0f5d1f84-39c0-4b0c-8a6f-3b9e8b5f0000"))), "another object is not changed")
	require.Equal(t, made, f.get(configMaps, "a"))
	require.NoError(t, send(changes(string(made.GetUID()))))
	require.Equal(t, "w", f.get(configMaps, "a").Object["data"].(map[string]any)["k"])
}
