package evaluate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// TestAttack16DefinitionOfATenant: what a tenant defines reaches no further than what it declares. An object is refused
// where the definition is written if the schema sees it, else for the application that has it.
func TestAttack16DefinitionOfATenant(t *testing.T) {
	object := func(kind, more string) string {
		version := map[string]string{"Pod": "v1", "ConfigMap": "v1", "Service": "v1", "Secret": "v1", "ClusterRole": "rbac.authorization.k8s.io/v1"}[kind]
		return fmt.Sprintf(`outputs: evil: {apiVersion: %q, kind: %q, metadata: {name: "evil"%s`, version, kind, more)
	}
	pod := `}, spec: {containers: [{name: "a", image: "ghcr.io/acme/a:1", resources: requests: {cpu: "1m", memory: "1Mi"}}], %s}}`
	for name, c := range map[string]struct{ stands, code string }{
		"cluster scope":       {object("ClusterRole", `}}`), "DA1225"},
		"another namespace":   {object("ConfigMap", `, namespace: "kube-system"}}`), "DA1226"},
		"namespace by use":    {object("ConfigMap", `, if parameter.version == "1" {namespace: "globex"}}}`), "DA1226"},
		"kind by use":         {`outputs: evil: {apiVersion: "v1", kind: [if parameter.version == "1" {"Namespace"}, "ConfigMap"][0], metadata: name: "evil"}`, "DA1225"},
		"a secret":            {object("Secret", `}, stringData: a: "b"}`), "DA1705"},
		"path of the host":    {object("Pod", fmt.Sprintf(pod, `volumes: [{name: "a", hostPath: path: "/"}]`)), "DA1708"},
		"network of the host": {object("Pod", fmt.Sprintf(pod, `hostNetwork: true`)), "DA1708"},
		"account":             {object("Pod", fmt.Sprintf(pod, `serviceAccountName: "admin"`)), "DA1708"},
		"foreign image":       {object("Pod", strings.ReplaceAll(fmt.Sprintf(pod, ""), "ghcr.io/acme", "evil.example")), "DA1709"},
		"labels of others":    {object("ConfigMap", `, labels: "d-aros.dev/tenant": "globex"}}`), "DA1707"},
		"finalizers":          {object("ConfigMap", `, finalizers: ["a.example.com/b"]}}`), "DA1707"},
		"address of others":   {object("Service", `}, spec: {externalIPs: ["10.0.0.1"]}}`), "DA1708"},
		"image by use":        {`output: {type: "worker", properties: image: [if parameter.version == "1" {"evil.example/a"}, "ghcr.io/acme/a:1"][0]}`, "DA1220"},
		"replicas by use":     {`output: {type: "worker", properties: image: "ghcr.io/acme/a:1", replicas: [if parameter.version == "1" {9}, 1][0]}`, "DA1203"},
		"files of others":     {`output: {type: "kustomize", properties: path: "../../../globex"}`, "DA1227"},
		"patch of a pod":      {`output: {type: "worker", properties: image: "ghcr.io/acme/a:1", traits: pod: hostNetwork: true}`, "DA1101"},
	} {
		t.Run(name, func(t *testing.T) {
			definition := overlay("tenants/acme/definitions.cue", `package fleet

tenant: definitions: components: evil: {
	#Parameter: version!: string
	parameter: #Parameter
	example: version: "0"
	`+c.stands+`
}
`)
			kinds := overlay("fleet.cue", strings.Replace(baseFile(t, "fleet.cue"), `["ConfigMap", "Service"]`, `["ConfigMap", "Service", "Pod", "Secret"]`, 1))
			f := New().Fleet("1", unpack(archive(t, "base.txtar"), kinds, definition, user("acme", "evil")), nil)
			require.NotNil(t, f.Platform)
			require.Empty(t, f.UnusableTenants)
			require.Equal(t, "shop", byName(t, f, "shop").ID.Name, "others go on")
			if len(f.Unusable) > 0 {
				require.Contains(t, report(f), c.code+" ")
				require.Contains(t, report(f), "\n  tenants/acme/definitions.cue:", "the place in the definition")
				return
			}
			app := byName(t, f, "evil")
			inst := model.Instance{App: app.ID, Number: 1, Phase: model.PhaseScheduled, Spec: app,
				Components: []model.ComponentState{{Grant: model.Grant{Component: "c", Replicas: 1, Pool: "general"}, Run: 1}}}
			_, err := render.Application(render.Input{Fleet: "example", Instance: &inst, Tenant: &f.Tenants[0], Pools: f.Platform.Pools})
			require.ErrorContains(t, err, c.code+" ")
		})
	}
}

// baseFile is a file of the base fleet.
func baseFile(t *testing.T, name string) string {
	for _, f := range archive(t, "base.txtar").Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	require.Fail(t, "there is no file "+name)
	return ""
}
