package render

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

// patchedObjects renders a component that may have patches of some kinds.
func patchedObjects(t *testing.T, kinds, patches string) (Set, error) {
	return Application(readScenario(t, fmt.Appendf(nil, `
kinds: [%s]
registries: [ghcr.io/acme]
components: [{name: web, type: webservice, replicas: 2, requests: {cpu: 100m, memory: 64Mi}, properties: {image: ghcr.io/acme/shop:1, ports: [{port: 80}]}, traits: {
  sidecars: [{name: beside, image: ghcr.io/acme/b:1, resources: {requests: {cpu: 1m, memory: 1Mi}}}],
  ingress: [{host: shop.example.com, port: 80}], disruption: {maxUnavailable: 1}, autoscale: {min: 1, max: 2, cpu: 50}, patches: [%s]}}]`, kinds, patches)).input(t, nil))
}

// TestAttack16PatchOfAnObject: a patch brings no object elsewhere, gives no right, takes no protection away, asks for nothing
// that is not counted, and changes nothing that says whose an object is.
func TestAttack16PatchOfAnObject(t *testing.T) {
	merge := func(kind, fields string) string { return "{kind: " + kind + ", merge: " + fields + "}" }
	pod := func(fields string) string { return merge("Deployment", "{spec: {template: {spec: "+fields+"}}}") }
	container := func(fields string) string {
		return "{kind: Deployment, json: [{op: add, path: /spec/template/spec/containers/0/" + fields + "}]}"
	}
	for name, c := range map[string]struct{ kinds, patch, want string }{
		"a kind that policy does not allow": {"ConfigMap", merge("Deployment", "{spec: {minReadySeconds: 1}}"), "DA1705 application.components.web.traits.patches.0: is a Deployment.apps; policy allows ConfigMap (kinds)"},
		"another namespace":                 {"Deployment", merge("Deployment", "{metadata: {namespace: globex}}"), "DA1732 application.components.web.traits.patches.0: changes metadata.namespace of Deployment.apps shop-web"},
		"another name":                      {"Deployment", merge("Deployment", "{metadata: {name: d-aros}}"), "DA1732"},
		"another kind":                      {"Deployment", merge("Deployment", "{kind: Role, apiVersion: rbac.authorization.k8s.io/v1}"), "DA1732"},
		"labels of whose it is":             {"Deployment", merge("Deployment", "{spec: {template: {metadata: {labels: {d-aros.dev/tenant: globex}}}}}"), "DA1732"},
		"further labels of the system":      {"Deployment", merge("Deployment", "{metadata: {labels: {d-aros.dev/connects.globex.api.server: \"true\"}}}"), "DA1732"},
		"a finalizer":                       {"Deployment", merge("Deployment", "{metadata: {finalizers: [a.example/b]}}"), "DA1707"},
		"an owner":                          {"Deployment", merge("Deployment", "{metadata: {ownerReferences: []}}"), "DA1707"},
		"more replicas":                     {"Deployment", merge("Deployment", "{spec: {replicas: 9}}"), "DA1732"},
		"pods of others":                    {"Service", merge("Service", "{spec: {selector: {app: other}}}"), "DA1732"},
		"addresses of others":               {"Service", merge("Service", "{spec: {externalIPs: [192.0.2.1]}}"), "DA1708"},
		"a name elsewhere":                  {"Service", merge("Service", "{spec: {type: ExternalName, externalName: a.example}}"), "DA1716"},
		"a path of the host":                {"Deployment", pod("{volumes: [{name: a, hostPath: {path: /}}]}"), "DA1708"},
		"network of the host":               {"Deployment", pod("{hostNetwork: true}"), "DA1708"},
		"a certain node":                    {"Deployment", pod("{nodeName: a}"), "DA1708"},
		"a priority":                        {"Deployment", pod("{priorityClassName: system-node-critical}"), "DA1708"},
		"an account":                        {"Deployment", pod("{serviceAccountName: admin}"), "DA1732"},
		"a token":                           {"Deployment", pod("{automountServiceAccountToken: true}"), "DA1732"},
		"another pool":                      {"Deployment", pod("{nodeSelector: {pool: x}}"), "DA1732"},
		"no rights of the pod":              {"Deployment", pod("{securityContext: null}"), "DA1732"},
		"a further container":               {"Deployment", "{kind: Deployment, json: [{op: add, path: /spec/template/spec/containers/-, value: {name: evil, image: ghcr.io/acme/e}}]}", "DA1732"},
		"privileges":                        {"Deployment", container("securityContext, value: {privileged: true}"), "DA1732"},
		"an image of others":                {"Deployment", container("image, value: evil.example/a"), "DA1709"},
		"more than granted":                 {"Deployment", container("resources, value: {requests: {cpu: \"9\", memory: 64Mi}}"), "DA1710"},
		"more than scaled to":               {"HorizontalPodAutoscaler", merge("HorizontalPodAutoscaler", "{spec: {maxReplicas: 9}}"), "DA1710"},
		"a port of the host":                {"Deployment", container("ports, value: [{containerPort: 80, hostPort: 80}]"), "DA1708"},
		"a copy":                            {"Deployment", "{kind: Deployment, json: [{op: copy, from: /spec, path: /spec/spec}]}", "DA1731"},
		"a place that is not there":         {"Deployment", "{kind: Deployment, json: [{op: replace, path: /spec/a/b, value: 1}]}", "DA1731"},
		"a test that fails":                 {"Deployment", "{kind: Deployment, json: [{op: test, path: /spec/replicas, value: 1}]}", "DA1731"},
		"a form":                            {"Deployment", "{kind: Deployment, json: {}}", "DA1731"},
		"no object at all":                  {"Deployment", "{kind: Deployment, merge: []}", "DA1731"},
		"no pods":                           {"Deployment", merge("Deployment", "{spec: {template: null}}"), "DA17"},
		"an object of nobody":               {"StatefulSet", merge("StatefulSet", "{}"), "DA1702 application.components.web.traits.patches.0: is of StatefulSet shop-web, which is no object of the component"},
		"neither":                           {"Deployment", "{kind: Deployment}", "DA1701"},
	} {
		t.Run(name, func(t *testing.T) {
			set, err := patchedObjects(t, c.kinds, c.patch)
			require.ErrorContains(t, err, c.want)
			require.Empty(t, set.Objects)
		})
	}
}

// Patches change what the owner may say, one after the other, and keep what else there is.
func TestPatchesOfObjects(t *testing.T) {
	set, err := patchedObjects(t, "Deployment, Ingress, Service", `
{kind: Deployment, merge: {spec: {minReadySeconds: 5, revisionHistoryLimit: null}}},
{kind: Deployment, json: [{op: test, path: /spec/minReadySeconds, value: 5}, {op: replace, path: /spec/minReadySeconds, value: 7}, {op: add, path: /spec/template/spec/dnsPolicy, value: Default}]},
{kind: Ingress, merge: {metadata: {annotations: {example.com/a: b}}}},
{kind: Service, merge: {spec: {sessionAffinity: ClientIP}}}`)
	require.NoError(t, err)
	plain, err := patchedObjects(t, "", "")
	require.NoError(t, err)
	require.Len(t, set.Objects, len(plain.Objects))
	for i, o := range set.Objects {
		spec := declared.Below(o.Object.Object, "spec")
		switch was := declared.Below(plain.Objects[i].Object.Object, "spec"); o.Object.GetKind() {
		case "Deployment":
			require.EqualValues(t, 7, spec["minReadySeconds"])
			require.NotContains(t, spec, "revisionHistoryLimit")
			require.Equal(t, was["selector"], spec["selector"])
			pod := declared.Below(declared.Below(spec, "template"), "spec")
			require.Equal(t, "Default", pod["dnsPolicy"])
			require.Equal(t, declared.Below(declared.Below(was, "template"), "spec")["containers"], pod["containers"])
		case "Ingress":
			require.Equal(t, "b", o.Object.GetAnnotations()["example.com/a"])
		case "Service":
			require.Equal(t, "ClientIP", spec["sessionAffinity"])
			require.Equal(t, "acme", o.Object.GetLabels()[LabelTenant])
		default:
			require.Equal(t, was, spec)
		}
	}
}
