package render

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/claim"
)

// TestTraitsRefused: what the schema cannot see is an error of the trait.
func TestTraitsRefused(t *testing.T) {
	const web = "name: web, type: worker, requests: {cpu: 500m, memory: 256Mi}, properties: {image: ghcr.io/acme/shop:1, ports: [{port: 80}]}"
	const store = "name: web, type: store, requests: {cpu: 500m, memory: 256Mi}, properties: {image: ghcr.io/acme/shop:1, ports: [{port: 80}]}"
	for name, c := range map[string]struct{ component, traits, want string }{
		"who is near":         {web, "affinity: {near: [{component: db}]}", "DA1702 application.components.web.traits.affinity.near.0.component: names db, which is no component of the application with pods"},
		"what stays":          {web, "tolerations: [{key: a, stay: 10s}]", "DA1703 application.components.web.traits.tolerations.0.stay: is for the effect NoExecute: no other taint ends pods"},
		"every taint":         {web, "tolerations: [{}]", "DA1701 application.components.web.traits.tolerations.0.key: is missing: nodes are kept free for reasons"},
		"no address":          {web, `hostAliases: [{ip: "1.2", names: [a]}]`, `DA1701 application.components.web.traits.hostAliases.0.ip: "1.2" is not an address such as 192.0.2.10`},
		"an address twice":    {web, `hostAliases: [{ip: "::1", names: [a]}, {ip: "0:0::1", names: [b]}]`, "DA1703 application.components.web.traits.hostAliases.1.ip: is ::1, and so is that of another entry; write its names together"},
		"images":              {web, "imagePull: Never", "DA1701 application.components.web.traits.imagePull: is Always or IfNotPresent"},
		"missing at once":     {web, "update: {recreate: true, maxUnavailable: 1}", "DA1703 application.components.web.traits.update.maxUnavailable: has no meaning with recreate: all replicas are missing then"},
		"too long":            {web, "update: {minReady: 10m}", "DA1703 application.components.web.traits.update.minReady: is 600 s, and the pods are to run within 600 s (startDeadline)"},
		"a store":             {store, "update: {recreate: true}", "DA1703 application.components.web.traits.update: has minReady only for a store: it replaces its replicas one after the other"},
		"the type of a store": {store, "service: {type: NodePort}", "DA1703 application.components.web.traits.service.type: is not for a store, whose replicas have names of their own"},
		"its own name":        {web, "service: {name: shop-web}", "DA1703 application.components.web.traits.service.name: is shop-web, which the component has already"},
		"no port":             {"name: web, type: worker, properties: {image: ghcr.io/acme/shop:1}", "service: {name: a}", "DA1702 application.components.web.traits.service: has nothing to lead to: the component exposes no port"},
		"a reserved name":     {web, "service: {name: d-aros-web}", "DA1707 application.components.web.name: brings Service d-aros-web, a name which is reserved for the system; call the application or the component something else"},
		"memory without size": {web, "storage: [{name: a, type: ephemeral, mountPath: /a, memory: true}]", "DA1701 application.components.web.traits.storage.0.size: is missing: a directory in memory has a part of the memory of the component"},
		"all of the memory": {web, "storage: [{name: a, type: ephemeral, mountPath: /a, size: 128Mi, memory: true}, {name: b, type: ephemeral, mountPath: /b, size: 128Mi, memory: true}]",
			"DA1703 application.components.web.traits.storage.1.size: leaves nothing to the container of the component, which requests 256Mi of memory in all"},
		"two containers": {web, "init: [{name: a, image: a}], sidecars: [{name: a, image: a, resources: {requests: {cpu: 1m, memory: 1Mi}}}]",
			"DA1703 application.components.web.traits.sidecars: gives container a, and so does trait init"},
		"no memory to scale by": {"name: web, type: worker, requests: {cpu: 100m}, properties: {image: ghcr.io/acme/shop:1}", "autoscale: {min: 1, max: 1, cpu: 70, memory: 70}",
			"DA1703 application.components.web.traits.autoscale.memory: is a part of the memory that the component requests, and it requests none"},
		"a container of nobody": {web, "pod: {containers: [{name: db, tty: true}]}", "DA1702 application.components.web.traits.pod.containers.0.name: names db, which is no such container of the pod"},
		"a port of nobody":      {web, "probes: {liveness: {tcp: {port: http}}}", "DA1702 application.components.web.traits.probes.liveness.tcp.port: names http, which is no port of the container"},
		"a form of the pod":     {web, "pod: {dnsConfig: [a]}", "DA1701 application.components.web.traits.pod: cannot be read: cannot restore struct from: slice"},
		"an unknown one":        {web, "storge: []", "DA1701 application.components.web.traits: has a trait that is not known"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Application(readScenario(t, []byte("components: [{"+c.component+", traits: {"+c.traits+"}}]")).input(t, nil))
			require.EqualError(t, err, c.want)
		})
	}
}

// TestTypeOfAServiceIsAllotted: the type that the service trait gives counts like that of a Service that owners write, so the
// allotment of the tenant bounds it.
func TestTypeOfAServiceIsAllotted(t *testing.T) {
	in := goldens(t)["traits.txtar"]()
	set, err := Application(in)
	require.NoError(t, err)
	require.Equal(t, []claim.Service{{Object: "Service shop-web", Component: "web", Type: "LoadBalancer"}}, Names(set, in.Instance.Spec).Services)
}
