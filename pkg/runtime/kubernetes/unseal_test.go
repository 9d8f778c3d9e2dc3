package kubernetes_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// TestUnopenedFiles: an application with a file that cannot be opened gets nothing, and the
// reports of the others stay in their places.
func TestUnopenedFiles(t *testing.T) {
	f := setup(t)
	one := f.set("one", 1, "{apiVersion: v1, kind: ConfigMap, metadata: {name: one}}")
	shut := f.set("shut", 1, "{apiVersion: v1, kind: ConfigMap, metadata: {name: shut}}", "{apiVersion: v1, kind: Secret, metadata: {name: db}}")
	shut.Objects[1].Sealed = &render.Sealed{File: "db.enc.yaml", Data: []byte("x")}
	two := f.set("two", 1, "{apiVersion: v1, kind: ConfigMap, metadata: {name: two}}")

	r := f.runtime.Apply(t.Context(), []render.Set{shut, one, shut, two, shut})
	require.Len(t, r.Sets, 5)
	for i, app := range []string{"shut", "one", "shut", "two", "shut"} {
		require.Equal(t, app, r.Sets[i].App.Name)
		require.Equal(t, app != "shut", r.Sets[i].OK())
	}
	require.Equal(t, []apply.Result{{
		Ref: apply.Ref{Kind: "Secret", Namespace: f.fleet, Name: "db"}, Component: "main", Action: apply.Failed, Reason: model.OutcomeKeyUnreadable,
		Message: "Secret " + f.fleet + "/db: db.enc.yaml is not opened: DA1607: the reconciler has no keys; start it with --sops-age-keys",
	}}, r.Sets[0].Results)
	_, err := f.Clientset.CoreV1().ConfigMaps(f.fleet).Get(t.Context(), "shut", metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), err)
}
