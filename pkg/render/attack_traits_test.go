package render

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// withTraits renders a component with traits under a policy that allows a little of each sort.
func withTraits(t testing.TB, traits string) (Set, error) {
	s := readScenario(t, []byte(`
kinds: [Deployment]
registries: [ghcr.io/acme]
rights: [read pods, create jobs.batch]
reading: [read nodes, list widgets.example.com, get secrets, delete nodes, read clusterroles.rbac.authorization.k8s.io, get nodes/proxy]
existing: {configs: [site-*], claims: [media], gateways: [infra/*]}
components:
- {name: web, type: webservice, replicas: 1, requests: {cpu: 100m, memory: 64Mi}, properties: {image: ghcr.io/acme/a:1, ports: [{port: 80}]}, traits: {`+traits+`}}
- {name: db, type: worker, replicas: 1, requests: {cpu: 100m, memory: 64Mi}, properties: {image: ghcr.io/acme/a:1}}`))
	return Application(s.input(t, nil))
}

// TestAttack16ExistingObjects: what others made is named by a name that policy allows, in the namespace of the application
// and in no other one.
func TestAttack16ExistingObjects(t *testing.T) {
	route := func(more string) string {
		return `gateway: {name: infra/public, hosts: [a.example.com], routes: [{port: 80, ` + more + `}]}`
	}
	for name, c := range map[string]struct{ traits, message string }{
		"claim":                   {`storage: [{name: a, type: claim, claim: db-data, mountPath: /a}]`, "DA1733 application.components.web.traits.storage.0.claim: names claim db-data, and policy allows media (existing.claims)"},
		"claim of another tenant": {`storage: [{name: a, type: claim, claim: globex/media, mountPath: /a}]`, "DA1733"},
		"configMap":               {`storage: [{name: a, type: config, source: {existing: other}, mountPath: /a}]`, "DA1733 application.components.web.traits.storage.0.source.existing: names ConfigMap other"},
		"configMap of a tenant":   {`envFrom: [{config: {existing: site-a, namespace: globex}}]`, "DA1701"},
		"variables":               {`envFrom: [{config: {existing: kube-root-ca.crt}}]`, "DA1733"},
		"variable of a sidecar":   {`sidecars: [{name: s, image: ghcr.io/acme/s:1, env: {A: {config: {existing: other, key: a}}}}]`, "DA1733"},
		"gateway":                 {`gateway: {name: globex/own, hosts: [a.example.com], routes: [{port: 80}]}`, "DA1733 application.components.web.traits.gateway.name: names Gateway globex/own, and policy allows infra/* (existing.gateways)"},
		"service of a tenant":     {route(`beside: [{component: web, namespace: globex, port: 80, weight: 1}]`), "DA1701"},
		"component of another":    {route(`beside: [{component: globex, port: 80, weight: 1}]`), "DA1702"},
		"port that is not there":  {route(`beside: [{component: db, port: 22, weight: 1}]`), "DA1702 application.components.web.traits.gateway.routes.0.beside.0.port: leads to port 22, which db does not expose"},
	} {
		t.Run(name, func(t *testing.T) {
			set, err := withTraits(t, c.traits)
			require.ErrorContains(t, err, c.message)
			require.Empty(t, set.Objects)
		})
	}
	set, err := withTraits(t, `storage: [{name: a, type: claim, claim: media, mountPath: /a}], `+route(`weight: 1`))
	require.NoError(t, err)
	for _, o := range set.Objects {
		require.Equal(t, "acme", o.Object.GetNamespace())
		require.NotContains(t, string(o.JSON), "globex")
	}
}

// TestAttack17Rights: pods have the rights that policy names word by word, and never all of something.
func TestAttack17Rights(t *testing.T) {
	for name, rule := range map[string]string{
		"secrets":            `verbs: [get], resources: [secrets]`,
		"secrets among pods": `verbs: [read], resources: [pods, secrets]`,
		"all verbs":          `verbs: ["*"], resources: [pods]`,
		"all resources":      `verbs: [get], resources: ["*"]`,
		"all groups":         `verbs: [get], resources: [pods], group: "*"`,
		"a shell":            `verbs: [create], resources: [pods/exec]`,
		"a shell, to read":   `verbs: [get], resources: [pods/exec]`,
		"escalate":           `verbs: [escalate], resources: [roles], group: rbac.authorization.k8s.io`,
		"bind":               `verbs: [bind], resources: [clusterroles], group: rbac.authorization.k8s.io`,
		"impersonate":        `verbs: [impersonate], resources: [serviceaccounts]`,
		"a token":            `verbs: [create], resources: [serviceaccounts/token]`,
		"other group":        `verbs: [get], resources: [pods], group: metrics.k8s.io`,
		"group in the name":  `verbs: [create], resources: [jobs.batch]`,
		"two words":          `verbs: ["read pods, get"], resources: [pods]`,
		"write":              `verbs: [read, delete], resources: [pods]`,
		"elsewhere":          `verbs: [get], resources: [pods], namespaces: [globex]`,
		"nothing":            `verbs: [], resources: [pods]`,
	} {
		t.Run(name, func(t *testing.T) {
			set, err := withTraits(t, "rights: [{"+rule+"}]")
			require.ErrorContains(t, err, "DA17")
			require.Empty(t, set.Objects)
		})
	}
	set, err := withTraits(t, `rights: [{verbs: [create], resources: [jobs], group: batch}], pod: {serviceAccountName: d-aros}`)
	require.Error(t, err, "no pod runs as somebody else")
	require.Empty(t, set.Objects)
	set, err = withTraits(t, `rights: [{verbs: [create], resources: [jobs], group: batch}]`)
	require.NoError(t, err)
	for _, o := range set.Objects {
		if strings.Contains(string(o.JSON), `"automountServiceAccountToken":true`) {
			require.Equal(t, "web", o.Component, "the other component has no token")
			require.NotEqual(t, "ServiceAccount", o.Object.GetKind(), "who runs as the account by another way has none")
		}
	}
}

// TestAttack17ClusterRights: pods read of the whole cluster what policy names, and whatever it names, no Secrets and no
// roles. The application brings no object of the cluster: the tenant's objects have the right, under a name of its own.
func TestAttack17ClusterRights(t *testing.T) {
	for name, rule := range map[string]string{
		"not allowed":        `verbs: [read], resources: [namespaces]`,
		"allowed inside":     `verbs: [read], resources: [pods]`,
		"more than list":     `verbs: [get], resources: [widgets], group: example.com`,
		"write":              `verbs: [delete], resources: [nodes]`,
		"secrets":            `verbs: [get], resources: [secrets]`,
		"roles":              `verbs: [get], resources: [clusterroles], group: rbac.authorization.k8s.io`,
		"escalate":           `verbs: [escalate], resources: [clusterroles], group: rbac.authorization.k8s.io`,
		"bind":               `verbs: [bind], resources: [clusterroles], group: rbac.authorization.k8s.io`,
		"impersonate":        `verbs: [impersonate], resources: [users]`,
		"commands on a node": `verbs: [get], resources: [nodes/proxy]`,
		"all verbs":          `verbs: ["*"], resources: [nodes]`,
		"all resources":      `verbs: [get], resources: ["*"]`,
		"all groups":         `verbs: [list], resources: [widgets], group: "*"`,
		"group in the name":  `verbs: [list], resources: [widgets.example.com]`,
		"nothing":            `verbs: [], resources: [nodes]`,
	} {
		t.Run(name, func(t *testing.T) {
			set, err := withTraits(t, "rights: [{cluster: true, "+rule+"}]")
			require.ErrorContains(t, err, "DA17")
			require.Empty(t, set.Objects)
		})
	}
	_, err := withTraits(t, `rights: [{verbs: [read], resources: [pods]}, {cluster: true, verbs: [get], resources: [secrets]}]`)
	require.ErrorContains(t, err, "DA1737 application.components.web.traits.rights.1: wants to get secrets in the whole cluster, which is for nobody")
	_, err = withTraits(t, `rights: [{verbs: [list], resources: [nodes]}]`)
	require.ErrorContains(t, err, "DA1734", "what is allowed in the cluster is not what is allowed in the namespace")

	set, err := withTraits(t, `rights: [{cluster: true, verbs: [read], resources: [nodes]}]`)
	require.NoError(t, err)
	for _, o := range set.Objects {
		require.Equal(t, "acme", o.Object.GetNamespace())
		require.NotContains(t, []string{"Role", "RoleBinding"}, o.Object.GetKind())
	}
}

// TestReadings: what components may read of the cluster is among the objects of the tenant as long as they want it and policy
// allows it, also while an update replaces one that wants it.
func TestReadings(t *testing.T) {
	app := func(rights string) *model.Application {
		return &model.Application{ID: model.AppID{Tenant: "acme", Name: "shop"}, Components: []model.Component{{Name: "web", Traits: []byte(`{"rights": [` + rights + `]}`)}}}
	}
	nodes, pods := `{"cluster": true, "verbs": ["read"], "resources": ["nodes"]}`, `{"verbs": ["read"], "resources": ["pods"]}`
	secrets := `{"cluster": true, "verbs": ["get"], "resources": ["secrets"]}`
	inst := &model.Instance{App: model.AppID{Tenant: "acme", Name: "shop"}, Phase: model.PhaseRunning, Spec: app(nodes + "," + pods + "," + secrets)}
	tenant := &model.Tenant{Name: "acme", Policy: model.Policy{Namespace: "tenant", Reading: []string{"read nodes", "get secrets"}}}
	rendered := func() (kinds []string, roles string) {
		held := (&model.Ledger{Instances: []model.Instance{*inst}}).WithObjects()["acme"]
		for _, o := range Tenant("example", "", tenant, held).Objects {
			if strings.HasPrefix(o.Object.GetKind(), "ClusterRole") {
				require.Equal(t, "d-aros:example:acme:shop:web", o.Object.GetName())
				kinds, roles = append(kinds, o.Object.GetKind()), roles+string(o.JSON)
			}
		}
		return kinds, roles
	}
	kinds, roles := rendered()
	require.Equal(t, []string{"ClusterRole", "ClusterRoleBinding"}, kinds, "the role comes first")
	require.Contains(t, roles, `"rules":[{"apiGroups":[""],"resources":["nodes"],"verbs":["get","list","watch"]}]`)
	require.Contains(t, roles, `"subjects":[{"kind":"ServiceAccount","name":"shop-web","namespace":"acme"}]`)

	inst.Previous, inst.Spec = inst.Spec, app(pods)
	kinds, _ = rendered()
	require.Len(t, kinds, 2, "the version before still runs")
	inst.Previous = nil
	kinds, _ = rendered()
	require.Empty(t, kinds)
	inst.Spec, tenant.Policy.Reading = app(nodes), nil
	kinds, _ = rendered()
	require.Empty(t, kinds, "policy does not allow it any more")
}
