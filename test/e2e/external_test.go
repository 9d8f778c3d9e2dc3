package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestExternalSecretHoldsItsApplication: an application waits until External Secrets Operator
// has made its Secret. Meanwhile its record says which Secret is missing, since when, and in
// whose words. A Secret that is only not refreshed stops nothing, and the record says that.
func TestExternalSecretHoldsItsApplication(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 1, "4", "16Gi")
	namespace := w.name + "-acme"
	store := w.cluster.Operator(t, namespace)
	const canary = "canary-3c9a-external"
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 6, ""), app("acme", "shop", `
		db: {
			type: "external-secret"
			properties: {store: name: "vault-acme", data: password: {key: "shop/db", property: "password"}}
		}
		web: {
			type: "worker"
			dependsOn: ["db"]
			resources: requests: {cpu: "100m", memory: "64Mi"}
			properties: {image: "registry.example.com/web:1", env: DB_PASSWORD: secret: {name: "db", key: "password"}}
		}`), map[string]string{
		"secrets.cue": "package fleet\n\nplatform: policy: {secrets: stores: [\"vault-*\"], defaults: unreadyAfter: \"1s\"}\n",
	}))

	var first model.Outcome
	var web *model.ComponentState
	w.until("the Secret is said to be missing", func(l *model.Ledger) bool {
		inst, ok := l.Find(id("shop"))
		if !ok || len(inst.Outcomes) == 0 {
			return false
		}
		first = inst.Outcomes[0]
		web, _ = inst.Component("web")
		return inst.Phase == model.PhaseScheduled
	})
	require.Equal(t, model.OutcomeSecretMissing, first.Reason)
	require.Equal(t, "component db", first.Object)
	require.Equal(t, "Secret shop-db is not made: SecretSyncedError: could not get secret data from provider", first.Message)
	require.False(t, first.First.IsZero(), "since when")
	page := w.git(w.repo, "show", "status:tenants/acme/shop/README.md")
	require.Contains(t, page, "Secret shop-db is not made")
	require.Contains(t, page, first.First.UTC().Format("2006-01-02 15:04"))
	require.Zero(t, web.Run, "what depends on the Secret waits")

	store.Put("shop/db#password", canary)
	require.Empty(t, w.phase("acme/shop", model.PhaseRunning).Outcomes)
	made, err := w.cluster.Clientset.CoreV1().Secrets(namespace).Get(t.Context(), "shop-db", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, canary, string(made.Data["password"]))
	for key := range made.Labels {
		require.False(t, strings.Contains(key, "d-aros.dev"), "a label of ours on an object of the operator: %s", key)
	}
	w.settled()

	store.Put("shop/db#password", "")
	old := w.phase("acme/shop", model.PhaseDegraded)
	require.Equal(t, model.ReasonNotReady, old.Reason)
	require.Contains(t, old.Message, "SecretSyncedError: could not get secret data from provider")
	web, _ = old.Component("web")
	require.Equal(t, 1, web.Run, "what runs goes on")
	store.Put("shop/db#password", canary)
	w.phase("acme/shop", model.PhaseRunning)

	// It goes with its component, and so does the Secret.
	w.commit("no secret any more", app("acme", "shop", `web: {
		type: "worker"
		resources: requests: {cpu: "100m", memory: "64Mi"}
		properties: image: "registry.example.com/web:1"
	}`))
	w.until("the Secret is gone", func(*model.Ledger) bool {
		list, err := w.cluster.Clientset.CoreV1().Secrets(namespace).List(t.Context(), metav1.ListOptions{})
		return err == nil && len(list.Items) == 0
	})
	require.NotContains(t, w.git(w.repo, "log", "-p", "--format=%B", "status"), canary)
}
