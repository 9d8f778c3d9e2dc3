package render

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

// accounted renders a kustomize component that brings pods that run as an account, and more
// objects, under a policy that allows one annotation.
func accounted(t testing.TB, account, more string) (Set, error) {
	s := readScenario(t, []byte(`
kinds: [Deployment, ServiceAccount]
registries: [ghcr.io/acme]
components: [{name: k, type: kustomize, replicas: 2, requests: {cpu: 100m, memory: 64Mi}, properties: {path: k}}]`))
	in := s.input(t, mapFS("k/kustomization.yaml", "resources: [a.yaml]", "k/a.yaml",
		podWith(`{metadata: {labels: {a: b}}, spec: {`+account+`, containers: [{name: a, image: ghcr.io/acme/a, resources: {requests: {cpu: 50m, memory: 16Mi}}}]}}`)+"\n---\n"+more))
	in.Instance.Spec.Policy.Accounts = []string{"example.com/role=acme-*"}
	return Application(in)
}

// Pods may run as an account that their component brings, which has what the account of a
// native component has: annotations that policy allows, and no token in the pods.
func TestAccountOfManifests(t *testing.T) {
	for _, field := range []string{"serviceAccountName", "serviceAccount"} {
		set, err := accounted(t, field+": web", `{apiVersion: v1, kind: ServiceAccount, metadata: {name: web, annotations: {example.com/role: acme-shop}}}`)
		require.NoError(t, err)
		require.Len(t, set.Objects, 2)
		for _, o := range set.Objects {
			if o.Object.GetKind() == "ServiceAccount" {
				require.Equal(t, "web", o.Object.GetName())
				require.Equal(t, false, o.Object.Object["automountServiceAccountToken"])
				continue
			}
			spec := declared.Below(declared.Below(declared.Below(o.Object.Object, "spec"), "template"), "spec")
			require.Equal(t, false, spec["automountServiceAccountToken"])
		}
	}
}

// An account of somebody else, an annotation that gives it the role of somebody else, and a
// token of it are refused.
func TestAttack17AccountOfManifests(t *testing.T) {
	for name, c := range map[string]struct{ account, more, message string }{
		"of nobody":       {"serviceAccountName: admin", "", "DA1708 application.components.k.properties.path: Deployment.apps a (k/a.yaml:1): asks for serviceAccountName admin: pods run as default or as a ServiceAccount that their component brings"},
		"of another kind": {"serviceAccountName: web", `{apiVersion: example.com/v1, kind: ServiceAccount, metadata: {name: web}}`, "DA17"},
		"of the system":   {"serviceAccountName: d-aros", `{apiVersion: v1, kind: ServiceAccount, metadata: {name: d-aros}}`, "DA1707"},
		"old name":        {"serviceAccountName: web, serviceAccount: admin", `{apiVersion: v1, kind: ServiceAccount, metadata: {name: web}}`, "asks for serviceAccount admin"},
		"other role": {"serviceAccountName: web", `{apiVersion: v1, kind: ServiceAccount, metadata: {name: web, annotations: {example.com/role: globex-shop}}}`,
			"DA1719 application.components.k.properties.path: ServiceAccount web (k/a.yaml:3): has the annotation example.com/role, which policy does not allow with this value; it allows example.com/role=acme-* (secrets.annotations)"},
		"token":          {"serviceAccountName: web", `{apiVersion: v1, kind: ServiceAccount, metadata: {name: web}, automountServiceAccountToken: true}`, "DA1708"},
		"token, as text": {"serviceAccountName: web", `{apiVersion: v1, kind: ServiceAccount, metadata: {name: web}, automountServiceAccountToken: "true"}`, "DA1708"},
	} {
		t.Run(name, func(t *testing.T) {
			set, err := accounted(t, c.account, c.more)
			require.ErrorContains(t, err, c.message)
			require.Empty(t, set.Objects)
		})
	}
}
