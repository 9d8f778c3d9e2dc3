package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/test/clustertest"
	"github.com/d-aros/d-aros/test/gittest"
)

// TestOthersBeforeAndAfterAdoption: plan with a cluster and a dry run tell which objects others
// made, whose they are, the fields that differ, and whether they are adopted. Neither
// changes one.
func TestOthersBeforeAndAfterAdoption(t *testing.T) {
	cluster := clustertest.Start(t)
	name := cluster.Prefix(t)
	ns := name + "-acme"
	_, err := cluster.Clientset.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: ns, Labels: map[string]string{"d-aros.dev/fleet": name}}}, metav1.CreateOptions{})
	require.NoError(t, err)
	theirs, err := cluster.Clientset.CoreV1().ConfigMaps(ns).Create(t.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "shop-settings", Labels: map[string]string{"app": "legacy"},
			Annotations: map[string]string{"meta.helm.sh/release-name": "db", "meta.helm.sh/release-namespace": "ops"}},
		Data: map[string]string{"key": "theirs"}}, metav1.CreateOptions{FieldManager: "helm"})
	require.NoError(t, err)
	files := func(adopt string) map[string]string {
		return map[string]string{
			"fleet.cue": "package fleet\n\nimport \"d-aros.dev/schema\"\n\nschema.#Fleet\n\nplatform: {\n\tname: \"test\"\n\tpolicy: images: registries: [\"example.com\"]\n" +
				"\tpools: general: capacity: {cpu: \"4\", memory: \"4Gi\"}\n\tallotments: acme: adopt: true\n}\n",
			"tenants/acme/tenant.cue":        "package fleet\n\ntenant: name: \"acme\"\n",
			"tenants/acme/apps/shop/app.cue": "package fleet\n\napplication: {\n\tname: \"shop\"\n\tcomponents: settings: {type: \"config\", properties: data: key: \"ours\"}\n\tadopt: [" + adopt + "]\n}\n",
		}
	}
	for _, c := range []struct{ adopt, want string }{
		{"", "acme/shop: ConfigMap " + ns + "/shop-settings is refused: it belongs to Helm release ops/db; fields that differ: data.key (held by helm)"},
		{`{kind: "ConfigMap", name: "shop-settings"}`, "acme/shop: ConfigMap " + ns + "/shop-settings is adopted from Helm release ops/db; fields that differ: data.key (held by helm)"},
		{`{selector: app: "legacy"}`, "is adopted from Helm release ops/db"},
		{`{selector: app: "other"}`, "acme/shop: application.adopt: none of the objects with app=other in namespace " + ns + " has the name"},
	} {
		repo, remote := t.TempDir(), gittest.NewBare(t)
		for path, content := range files(c.adopt) {
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(repo, path)), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(repo, path), []byte(content), 0o600))
		}
		push(t, remote.Dir, files(c.adopt))
		for _, args := range [][]string{
			{"plan", "--repo", repo, "--base", "none", "--kubeconfig", cluster.Kubeconfig, "--fleet", name, "--namespace-prefix", name + "-"},
			{"run", "--repo", remote.Dir, "--dry-run", "--kubeconfig", cluster.Kubeconfig, "--fleet", name, "--namespace-prefix", name + "-", "--state-dir", t.TempDir()},
		} {
			var out, log bytes.Buffer
			require.Equal(t, exitDiffers, run(t.Context(), args, &out, &log), "%s\n%s", &out, &log)
			require.Contains(t, out.String(), c.want, "%s\n%s", strings.Join(args, " "), &log)
		}
	}
	now, err := cluster.Clientset.CoreV1().ConfigMaps(ns).Get(t.Context(), "shop-settings", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, theirs, now)
}
