package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/test/clustertest"
)

// TestUILive: with --live the dashboard shows what the cluster has beside what the branch says; what is wanted and is not there
// is told.
func TestUILive(t *testing.T) {
	c := clustertest.Start(t)
	prefix := c.Prefix(t)
	w := newWorld(t)
	w.app("acme", "shop", 2, 500)
	w.repo.Commit("first")
	w.passes()
	namespace := render.Namespace(prefix+"-", model.AppID{Tenant: "acme", Name: "shop"}, "")
	_, err := c.Clientset.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = c.Clientset.CoreV1().ConfigMaps(namespace).Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name: "extra", Labels: map[string]string{render.LabelFleet: prefix, render.LabelTenant: "acme", render.LabelApplication: "shop", render.LabelComponent: "web"},
	}}, metav1.CreateOptions{})
	require.NoError(t, err)

	ui := openUI(t, "--repo", w.repo.Dir, "--live", "--kubeconfig", c.Kubeconfig, "--fleet", prefix, "--namespace-prefix", prefix+"-")
	var seen runtime.Live
	require.NoError(t, json.Unmarshal([]byte(ui.get("applications/acme/shop/live")), &seen))
	states := map[string]runtime.LiveState{}
	for i := range seen.Objects {
		states[seen.Objects[i].Kind+" "+seen.Objects[i].Name] = seen.Objects[i].State
	}
	require.Equal(t, runtime.LiveReady, states["ConfigMap extra"], "%+v", seen)
	require.Equal(t, runtime.LiveMissing, states["Deployment.apps shop-web"], "%+v", seen)
	require.Equal(t, http.StatusNotFound, ui.do(http.MethodGet, "applications/acme/shop/live/logs?pod=coredns&container=c", "").status)
	require.Equal(t, http.StatusNotFound, ui.do(http.MethodGet, "applications/acme/none/live", "").status)
}

// TestUILiveRefuses: each mistake is one sentence.
func TestUILiveRefuses(t *testing.T) {
	t.Setenv("KUBECONFIG", "")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--context", "lab"}, "name the cluster that --live shows; add --live"},
		{[]string{"--live"}, "--live: no cluster is named: give --kubeconfig FILE"},
		{[]string{"--live", "--export", "public"}, "what a cluster has now is shown by --live in a browser only"},
	} {
		var out, errOut bytes.Buffer
		require.Equal(t, exitError, run(t.Context(), append([]string{"ui"}, c.args...), &out, &errOut))
		require.Contains(t, errOut.String(), c.want)
	}
}
