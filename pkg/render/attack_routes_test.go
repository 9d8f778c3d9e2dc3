package render

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// entriesOfRoute renders a raw component with an HTTPRoute in a locked namespace, and returns the ports that clients may call.
func entriesOfRoute(t *testing.T, spec string) string {
	in := readScenario(t, []byte(`
kinds: [Deployment, Service, HTTPRoute.gateway.networking.k8s.io]
registries: [ghcr.io/acme]
existing: {gateways: [infra/*]}
components:
- name: site
  type: raw
  replicas: 1
  requests: {cpu: 100m, memory: 64Mi}
  properties:
    objects:
    - {apiVersion: v1, kind: Service, metadata: {name: front}, spec: {ports: [{port: 80, targetPort: http}, {port: 81, targetPort: 9999}, {port: 9090}]}}
    - {apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: front}, spec: {`+spec+`}}
    - apiVersion: apps/v1
      kind: Deployment
      metadata: {name: front}
      spec:
        selector: {matchLabels: {a: b}}
        template:
          metadata: {labels: {a: b}}
          spec: {containers: [{name: a, image: "ghcr.io/acme/a:1", ports: [{containerPort: 8080, name: http}, {containerPort: 9090, name: metrics}], resources: {requests: {cpu: 100m, memory: 64Mi}}}]}`)).input(t, nil)
	in.Tenant.Isolation = model.IsolationLocked
	set, err := Application(in)
	require.NoError(t, err)
	for _, o := range set.Objects {
		if o.Object.GetKind() == "NetworkPolicy" {
			_, clients, _ := strings.Cut(string(o.JSON), `"operator":"DoesNotExist"`) // namespaces of no tenant
			clients, _, _ = strings.Cut(clients, "podSelector")
			return clients
		}
	}
	t.Fatal("no policy")
	return ""
}

// TestAttack16RawRoutes: a route that an owner wrote lets clients in where the trait gateway would, and nowhere else.
func TestAttack16RawRoutes(t *testing.T) {
	const to = `, rules: [{backendRefs: [{name: front, port: 80}]}]`
	require.Contains(t, entriesOfRoute(t, `parentRefs: [{namespace: infra, name: public}]`+to), `"ports":[{"port":8080,"protocol":"TCP"}]`, "by the name of the port")
	require.Contains(t, entriesOfRoute(t, `parentRefs: [{namespace: infra, name: public}], rules: [{backendRefs: [{name: front, port: 81}, {kind: Service, name: front, port: 9090, weight: 0}]}]`),
		`"ports":[{"port":9090,"protocol":"TCP"},{"port":9999,"protocol":"TCP"}]`)
	for name, spec := range map[string]string{
		"a Gateway of others":           `parentRefs: [{namespace: globex, name: public}]` + to,
		"one of its own":                `parentRefs: [{name: public}]` + to,
		"one that is allowed, and more": `parentRefs: [{namespace: infra, name: public}, {namespace: globex, name: public}]` + to,
		"a Service of others":           `parentRefs: [{namespace: infra, name: public, group: "", kind: Service}]` + to,
		"what is no parent":             `parentRefs: [7, {namespace: infra, name: public}]` + to,
		"no parent":                     `parentRefs: []` + to,
		"no field of a parent":          strings.TrimPrefix(to, ", "),
		"a Service of a tenant":         `parentRefs: [{namespace: infra, name: public}], rules: [{backendRefs: [{namespace: globex, name: front, port: 80}]}]`,
		"a port that is not there":      `parentRefs: [{namespace: infra, name: public}], rules: [{backendRefs: [{name: front, port: 22}]}]`,
		"a Service of another one":      `parentRefs: [{namespace: infra, name: public}], rules: [{backendRefs: [{name: other, port: 80}]}]`,
		"a mirror":                      `parentRefs: [{namespace: infra, name: public}], rules: [{filters: [{type: RequestMirror, requestMirror: {backendRef: {name: front, port: 80}}}]}]`,
	} {
		require.Empty(t, entriesOfRoute(t, spec), name)
	}
}

// TestInvalidPortsOpenNothing: a Service that the API server refuses makes no other object invalid.
func TestInvalidPortsOpenNothing(t *testing.T) {
	in := readScenario(t, []byte(`
kinds: [Service]
components:
- name: site
  type: raw
  replicas: 1
  requests: {cpu: 100m, memory: 64Mi}
  properties:
    objects:
    - {apiVersion: v1, kind: Service, metadata: {name: a}, spec: {ports: [{port: 99999}, {port: -1}, {port: 81, protocol: HTTP}]}}
    - {apiVersion: v1, kind: Service, metadata: {name: b}, spec: {ports: [{port: 80, protocol: UDP}]}}`)).input(t, nil)
	in.Tenant.Isolation = model.IsolationLocked
	set, err := Application(in)
	require.NoError(t, err)
	i := slices.IndexFunc(set.Objects, func(o Object) bool { return o.Object.GetKind() == "NetworkPolicy" })
	require.GreaterOrEqual(t, i, 0)
	require.Equal(t, []string{`"ports":[{"port":80,"protocol":"UDP"}]`}, regexp.MustCompile(`"ports":\[.*?\]`).FindAllString(string(set.Objects[i].JSON), -1))
}
