package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/view"
	"github.com/d-aros/d-aros/test/clustertest"
	"github.com/d-aros/d-aros/test/fleettest"
	"github.com/d-aros/d-aros/test/gittest"
)

// TestDiff: after a start nothing differs. What people then change, delete, add and put in the
// place of objects is told, with the values, who holds them, and no value of a Secret.
// Nothing is changed by it.
func TestDiff(t *testing.T) {
	cluster := clustertest.Start(t)
	name, repo, bare := cluster.Prefix(t), gittest.New(t), gittest.NewBare(t).Dir
	namespace := name + "-acme"
	repo.Write("fleet.cue", fleettest.Root(fleettest.Nodes(clustertest.SharedPool), `allotments: acme: {}`))
	repo.Write("tenants/acme/tenant.cue", "package fleet\n\ntenant: {name: \"acme\", quota: {cpu: \"4\", memory: \"8Gi\"}}\n")
	repo.Write("tenants/acme/apps/shop/app.cue", `package fleet

application: {
	name: "shop"
	components: {
		settings: {type: "config", properties: data: {level: "info", colour: "blue"}}
		password: {type: "secret", properties: data: pw: "canary-5e1f-wanted"}
		old: {type: "config", properties: data: a: "1"}
		web: {type: "worker", replicas: 1, resources: requests: {cpu: "100m", memory: "64Mi"}, properties: {image: "registry.example.com/shop:1", env: A: "1"}}
	}
}
`)
	flags := []string{"--fleet", name, "--namespace-prefix", name + "-", "--kubeconfig", cluster.Kubeconfig}
	repo.Commit("a fleet")
	repo.Git("push", "-q", bare, "HEAD:main")
	repo.Git("remote", "add", "origin", bare)
	dir := t.TempDir()
	converge := func() {
		var out, errOut output
		require.Zero(t, run(t.Context(), append([]string{"run", "--once", "--repo", bare, "--state-dir", filepath.Join(dir, "state"), "--listen", ""}, flags...), &out, &errOut), "%s%s", &out, &errOut)
		repo.Git("fetch", "-q", "origin", "+status:status")
	}
	diff := func(code int, args ...string) string {
		var out, errOut output
		require.Equal(t, code, run(t.Context(), slices.Concat([]string{"diff", "--repo", repo.Dir}, flags, args), &out, &errOut), "%s%s", &out, &errOut)
		require.NotContains(t, out.String()+errOut.String(), "canary-5e1f")
		return strings.ReplaceAll(out.String(), namespace, "NS")
	}
	converge()
	require.Regexp(t, `^fleet: all \d+ objects are as wanted\n$`, diff(0))

	core, apps := cluster.Clientset.CoreV1(), cluster.Clientset.AppsV1()
	edit := metav1.PatchOptions{FieldManager: "kubectl-edit"}
	_, err := apps.Deployments(namespace).Patch(t.Context(), "shop-web", types.MergePatchType, []byte(`{"spec":{"replicas":3,"template":{"metadata":{"annotations":{"added":"by hand"}}}}}`), edit)
	require.NoError(t, err)
	_, err = core.ConfigMaps(namespace).Patch(t.Context(), "shop-settings", types.MergePatchType, []byte(`{"data":{"level":"debug","extra":"1"}}`), edit)
	require.NoError(t, err)
	_, err = core.Secrets(namespace).Patch(t.Context(), "shop-password", types.MergePatchType, []byte(`{"stringData":{"pw":"canary-5e1f-live"}}`), edit)
	require.NoError(t, err)
	require.NoError(t, core.ConfigMaps(namespace).Delete(t.Context(), "shop-old", metav1.DeleteOptions{}))
	_, err = core.ConfigMaps(namespace).Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "shop-old",
		Annotations: map[string]string{"meta.helm.sh/release-name": "db", "meta.helm.sh/release-namespace": "ops"}}}, metav1.CreateOptions{FieldManager: "helm"})
	require.NoError(t, err)
	require.NoError(t, core.LimitRanges(namespace).DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}))

	require.Equal(t, `acme
  LimitRange NS/d-aros is missing

acme/shop
  ConfigMap NS/shop-old belongs to Helm release ops/db
  ConfigMap NS/shop-settings differs
    data.level  is "debug"  wanted "info"  held by kubectl-edit
  Secret NS/shop-password differs
    data.pw  is "<hidden>"  wanted "<hidden>"  held by kubectl-edit
  Deployment.apps NS/shop-web differs
    spec.replicas  is 3  wanted 1  held by kubectl-edit

`, first(diff(exitDiffers)))
	require.Contains(t, diff(exitDiffers, "acme/shop"), "application acme/shop: 4 objects wanted; not as they are to be: 3 differs, 1 foreign\n")

	var answer view.Diff
	require.NoError(t, json.Unmarshal([]byte(diff(exitDiffers, "acme/shop", "-o", "json")), &answer))
	require.Equal(t, 4, answer.Objects)
	require.Len(t, answer.Deviations, 4)
	require.Equal(t, model.Deviating{Path: "spec.replicas", Wanted: 1.0, Live: 3.0, Manager: "kubectl-edit"}, answer.Deviations[3].Fields[0])

	live, err := apps.Deployments(namespace).Get(t.Context(), "shop-web", metav1.GetOptions{})
	require.NoError(t, err)
	require.EqualValues(t, 3, *live.Spec.Replicas, "diff changes nothing")
}

// first returns what text says before its last paragraph.
func first(said string) string { return said[:strings.LastIndex(said, "\n\n")+2] }

// TestDiffRefuses: what keeps diff from an answer is said, with what to do.
func TestDiffRefuses(t *testing.T) {
	t.Setenv("KUBECONFIG", "")
	var out, errOut output
	require.Equal(t, exitError, run(t.Context(), []string{"diff", "--repo", t.TempDir()}, &out, &errOut))
	require.Contains(t, errOut.String(), "no cluster is named: give --kubeconfig FILE, $KUBECONFIG, or --context NAME")
}
