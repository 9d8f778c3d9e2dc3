package turn_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/turn"
)

// TestAttack16TenantEscape: what a tenant takes of others and of the system. It alone is
// refused, with the code, and the tenant beside it is decided on as if it were not there.
// What a tenant writes of its own allotment is refused in package evaluate.
func TestAttack16TenantEscape(t *testing.T) {
	seen := model.Observation{Pools: []model.Pool{{Name: "general", Capacity: model.Resources{CPU: 100_000, Memory: 100 << 30}}}}
	decided := func(t *testing.T, files tree, ledger model.Ledger) turn.Outcome {
		fleet, checked := check(t, files)
		return turn.Take(turn.Case{Fleet: fleet, Checked: checked, Ledger: ledger, Seen: seen, Now: now})
	}
	site := func(o turn.Outcome) model.Instance {
		inst, ok := o.Next.Find(model.AppID{Tenant: "globex", Name: "site"})
		require.True(t, ok)
		return *inst
	}
	before := decided(t, fleetWith("", "1"), model.Ledger{})
	alone := site(decided(t, fleetWith("", "2"), before.Next))
	raw := func(object string) string {
		return `components: r: {type: "raw", properties: objects: [` + object + `]}`
	}
	for name, c := range map[string]struct{ acme, code string }{
		"host":           {strings.ReplaceAll(variants["trait"], "HOST", "shop.example.com"), "DA1508"},
		"every host":     {raw(`{apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata: name: "a", spec: defaultBackend: service: {name: "a", port: number: 1}}`), "DA1354"},
		"host by alias":  {raw(`{apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata: {name: "a", annotations: "nginx.ingress.kubernetes.io/server-alias": "shop.example.com"}}`), "DA1356"},
		"host of a mesh": {raw(`{apiVersion: "networking.istio.io/v1", kind: "VirtualService", metadata: name: "a", spec: hosts: ["shop.example.com"]}`), "DA1508"},
		"its Service":    {raw(`{apiVersion: "networking.istio.io/v1", kind: "VirtualService", metadata: name: "a", spec: hosts: ["site-web.globex.svc.cluster.local"]}`), "DA1354"},
		"ports of nodes": {raw(`{apiVersion: "v1", kind: "Service", metadata: name: "a", spec: {type: "NodePort", ports: [{port: 80}]}}`), "DA1572"},
		"load balancer":  {raw(`{apiVersion: "v1", kind: "Service", metadata: name: "a", spec: {type: "LoadBalancer", loadBalancerIP: "192.0.2.1", ports: [{port: 80}]}}`), "DA1572"},
		"name outside":   {raw(`{apiVersion: "v1", kind: "Service", metadata: name: "a", spec: {type: "ExternalName", externalName: "site-web.globex.svc"}}`), "DA1716"},
		"its address":    {raw(`{apiVersion: "v1", kind: "Service", metadata: name: "a", spec: {externalIPs: ["192.0.2.1"], ports: [{port: 80}]}}`), "DA1708"},
		"our inventory":  {raw(`{apiVersion: "v1", kind: "ConfigMap", metadata: name: "d-aros.inventory.site"}`), "DA1707"},
		"marked as one":  {raw(`{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "a", labels: "cli-utils.sigs.k8s.io/inventory-id": "globex"}}`), "DA1707"},
	} {
		t.Run(name, func(t *testing.T) {
			out := decided(t, fleetWith(c.acme, "2"), before.Next)
			require.Len(t, out.Fleet.Unusable, 1)
			require.Equal(t, model.AppID{Tenant: "acme", Name: "a"}, out.Fleet.Unusable[0].App)
			require.Equal(t, c.code, out.Fleet.Unusable[0].Code)
			require.Equal(t, alone, site(out))
		})
	}
	t.Run("namespace of the system", func(t *testing.T) {
		files := fleetWith("", "2",
			txtar.File{Name: "more.cue", Data: []byte("package fleet\n\nplatform: allotments: \"daros-system\": {}\n")},
			txtar.File{Name: "tenants/daros-system/tenant.cue", Data: []byte("package fleet\n\ntenant: name: \"daros-system\"\n")},
			txtar.File{Name: "tenants/daros-system/apps/a/app.cue", Data: []byte("package fleet\n\napplication: {\n\tname: \"a\"\n\tcomponents: c: {type: \"config\", properties: data: a: \"b\"}\n}\n")})
		out := decided(t, files, before.Next)
		require.Len(t, out.Fleet.Unusable, 1)
		require.Equal(t, "DA1706", out.Fleet.Unusable[0].Code)
		require.Equal(t, alone, site(out))
	})
	// The ledger is read from its branch only: files of a tenant that look like records,
	// its own, another tenant's or the platform's, say nothing.
	t.Run("our branch", func(t *testing.T) {
		files, dir := fleetWith(`components: c: {type: "config", properties: data: a: "b"}`, "2"), "tenants/acme/apps/a/"
		clean := decided(t, files, before.Next)
		for _, record := range []string{"instance.json", "spec.json", "decision.json", "tenants/globex/site/instance.json", "inputs/source.json", "inputs/ledger.json", "status/inputs/platform.json"} {
			files.FS.(fstest.MapFS)[dir+record] = &fstest.MapFile{Data: []byte(`{"application": {"tenant": "globex", "name": "site"}, "phase": "Terminated"}`), Mode: 0o644}
		}
		out := decided(t, files, before.Next)
		require.Empty(t, out.Next.Problems)
		require.Equal(t, clean.Next, out.Next)
		require.Equal(t, alone, site(out))
	})
}
