package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestSecretsStayOutOfTheBranch: a literal in a variable that holds a secret reaches the
// pods by a Secret, and no commit of the status branch has it. A Secret that others made is
// named where policy allows it.
func TestSecretsStayOutOfTheBranch(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 1, "4", "16Gi")
	const canary = "correcthorse-battery"
	shop := func(level string) map[string]string {
		return app("acme", "shop", `web: {
			type: "worker"
			resources: requests: {cpu: "100m", memory: "64Mi"}
			properties: {
				image: "registry.example.com/web:1"
				env: {DB_PASSWORD: "`+canary+`", LEVEL: "`+level+`", DB_URL: secret: {existing: "db", key: "url"}}
				serviceAccount: {}
			}
		}`)
	}
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 6, ""), shop("info"), map[string]string{
		"secrets.cue": "package fleet\n\nplatform: policy: secrets: existing: [\"db*\"]\n",
	}))
	w.phase("acme/shop", model.PhaseRunning)
	w.settled()
	namespace := w.name + "-acme"
	d, err := w.cluster.Clientset.AppsV1().Deployments(namespace).Get(t.Context(), "shop-web", metav1.GetOptions{})
	require.NoError(t, err)
	require.NotContains(t, d.String(), canary)
	require.Equal(t, "shop-web", d.Spec.Template.Spec.ServiceAccountName)
	from := map[string]string{}
	for _, v := range d.Spec.Template.Spec.Containers[0].Env {
		if v.ValueFrom != nil {
			from[v.Name] = v.ValueFrom.SecretKeyRef.Name + "/" + v.ValueFrom.SecretKeyRef.Key
		}
	}
	require.Equal(t, map[string]string{"DB_PASSWORD": "shop-web-env/DB_PASSWORD", "DB_URL": "db/url"}, from)
	hidden, err := w.cluster.Clientset.CoreV1().Secrets(namespace).Get(t.Context(), "shop-web-env", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, canary, string(hidden.Data["DB_PASSWORD"]))

	w.commit("another level", shop("debug"))
	w.until("the update has ended", func(l *model.Ledger) bool {
		inst, _ := l.Find(id("shop"))
		return inst.Phase == model.PhaseRunning && inst.Spec != nil && inst.Previous == nil
	})
	w.settled()
	require.NotContains(t, w.git(w.repo, "log", "-p", "--format=%B", "status"), canary)
}
