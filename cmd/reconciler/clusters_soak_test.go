package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/d-aros/d-aros/test/clustertest"
	"github.com/d-aros/d-aros/test/fleettest"
	"github.com/d-aros/d-aros/test/gittest"
	"github.com/d-aros/d-aros/test/tier"
)

// TestCommandsOverTwoClusters: diff, plan and restore look at all clusters that they are told of,
// say in which one an object is, and name those that they were not told of.
func TestCommandsOverTwoClusters(t *testing.T) {
	if !tier.Soak() {
		t.Skip("without -soak: starts a second API server; TestInCluster of pkg/offline has what each cluster is to have")
	}
	east, west := clustertest.Start(t), clustertest.Alone(t)
	name, repo, bare := east.Prefix(t), gittest.New(t), gittest.NewBare(t).Dir
	repo.Write("fleet.cue", fleettest.Root(fleettest.Declared, `pools: far: {os: ["linux"], runtimes: ["container"], cluster: "west", capacity: {cpu: "8", memory: "8Gi"}}`, `allotments: acme: {}`))
	repo.Write("tenants/acme/tenant.cue", "package fleet\n\ntenant: {name: \"acme\", quota: {cpu: \"4\", memory: \"8Gi\"}}\n")
	app := func(name, pool string) {
		repo.Write("tenants/acme/apps/"+name+"/app.cue", fmt.Sprintf(`package fleet

application: {name: %q, components: web: {
	type: "worker", replicas: 1, placement: pool: %q, properties: image: "registry.example.com/shop:1"
	resources: requests: {cpu: "100m", memory: "64Mi"}
}}
`, name, pool))
	}
	app("near", "general")
	app("away", "far")
	repo.Commit("a fleet")
	repo.Git("push", "-q", bare, "HEAD:main")
	repo.Git("remote", "add", "origin", bare)
	one := []string{"--fleet", name, "--namespace-prefix", name + "-", "--kubeconfig", east.Kubeconfig}
	both := append(slices.Clone(one), "--cluster", "west="+west.Kubeconfig)
	command := func(code int, parts ...[]string) string {
		var out, errOut output
		require.Equal(t, code, run(t.Context(), slices.Concat(parts...), &out, &errOut), "%s%s", &out, &errOut)
		return out.String()
	}
	command(0, []string{"run", "--once", "--repo", bare, "--state-dir", filepath.Join(t.TempDir(), "state"), "--listen", ""}, both)
	repo.Git("fetch", "-q", "origin", "+status:status")

	diff := []string{"diff", "--repo", repo.Dir}
	require.Regexp(t, `^fleet: all \d+ objects are as wanted\n$`, command(0, diff, both))
	require.Contains(t, command(0, diff, one), "note: what cluster west has is not compared: name it with --cluster west=FILE\n")
	deployments := west.Clientset.AppsV1().Deployments(name + "-acme")
	_, err := deployments.Patch(t.Context(), "away-web", types.MergePatchType, []byte(`{"spec":{"replicas":3}}`), metav1.PatchOptions{FieldManager: "kubectl-edit"})
	require.NoError(t, err)
	require.Contains(t, command(exitDiffers, diff, both), "Deployment.apps "+name+"-acme/away-web of cluster west differs\n    spec.replicas  is 3  wanted 1  held by kubectl-edit\n")
	command(0, diff, one)

	repo.Git("update-ref", "-d", "refs/heads/status")
	repo.Git("push", "-q", bare, ":status")
	restore := []string{"restore", "--from-cluster", "--repo", bare}
	require.Contains(t, command(exitDiffers, restore, one), "acme/away is declared and does not run")
	require.NotContains(t, command(exitDiffers, restore, both), "is declared and does not run")
}
