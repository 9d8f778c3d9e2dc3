package render

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// ofNodes renders a component under a policy that allows some runtime classes and processes of Windows nodes.
func ofNodes(t *testing.T, standard model.PodSecurity, component string) (Set, error) {
	in := readScenario(t, []byte(`
kinds: [DaemonSet, Deployment]
registries: [ghcr.io/acme]
runtimeClasses: [gvisor]
hostProcess: true
components: [{name: a, replicas: 1, requests: {cpu: 100m, memory: 64Mi}, `+component+`}]`)).input(t, fstest.MapFS{})
	in.Tenant.PodSecurity = standard
	return Application(in)
}

// TestAttack17NodesOfWindows: policy lets a component be a process of its node, and gives nothing with it to others.
func TestAttack17NodesOfWindows(t *testing.T) {
	for name, c := range map[string]struct{ says, component string }{
		"another class":       {declared.CodeClass, `type: worker, properties: {image: ghcr.io/acme/a, runtimeClass: gvisor-2}`},
		"an account of Linux": {declared.CodeConflict, `type: worker, properties: {image: ghcr.io/acme/a, hostProcess: system}`},
		"another account":     {declared.CodeUnreadable, `type: worker, os: windows, properties: {image: ghcr.io/acme/a, hostProcess: "BUILTIN\\Administrators"}`},
		"two accounts":        {declared.CodeConflict, `type: windows-service, os: windows, properties: {image: ghcr.io/acme/a, service: s, user: ContainerUser, hostProcess: system}`},
		"a patch of it":       {"traits.patches.0: ", `type: worker, os: windows, properties: {image: ghcr.io/acme/a}, traits: {patches: [{kind: Deployment, merge: {spec: {template: {spec: {securityContext: {windowsOptions: {hostProcess: true}}}}}}}]}`},
		"a patch of network":  {"traits.patches.0: ", `type: worker, properties: {image: ghcr.io/acme/a}, traits: {patches: [{kind: Deployment, merge: {spec: {template: {spec: {hostNetwork: true}}}}}]}`},
		"a patch of class":    {"traits.patches.0: ", `type: worker, properties: {image: ghcr.io/acme/a, runtimeClass: gvisor}, traits: {patches: [{kind: Deployment, merge: {spec: {template: {spec: {runtimeClassName: other}}}}}]}`},
		"a patch of a label":  {declared.CodeOwned, `type: worker, properties: {image: ghcr.io/acme/a}, traits: {patches: [{kind: Deployment, merge: {spec: {template: {metadata: {labels: {d-aros.dev/host-process: "true"}}}}}}]}`},
		"paths of the node":   {"traits.patches.0: ", `type: worker, os: windows, properties: {image: ghcr.io/acme/a, hostProcess: system}, traits: {patches: [{kind: Deployment, merge: {spec: {template: {spec: {volumes: [{name: v, hostPath: {path: /}}]}}}}}]}`},
		"a raw process":       {declared.CodePrivilege, `type: raw, properties: {objects: [{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d}, spec: {template: {spec: {hostNetwork: true, securityContext: {windowsOptions: {hostProcess: true}}}}}}]}`},
		"a raw class":         {declared.CodePrivilege, `type: raw, properties: {objects: [{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d}, spec: {template: {spec: {runtimeClassName: gvisor}}}}]}`},
	} {
		set, err := ofNodes(t, model.PodSecurityBaseline, c.component)
		require.ErrorContains(t, err, c.says, name)
		require.Empty(t, set.Objects)
	}
	_, err := ofNodes(t, model.PodSecurityRestricted, `type: worker, os: windows, properties: {image: ghcr.io/acme/a, hostProcess: system}`)
	require.ErrorContains(t, err, declared.CodeStandard)
	set, err := ofNodes(t, model.PodSecurityRestricted, `type: worker, properties: {image: ghcr.io/acme/a, runtimeClass: gvisor}`)
	require.NoError(t, err)
	require.Contains(t, string(set.Objects[0].JSON), `"runtimeClassName":"gvisor"`)
}

// TestStandardOfNamespaces: the API server enforces a standard in every namespace, but where policy allows processes of
// the node and the allotment of the tenant says baseline.
func TestStandardOfNamespaces(t *testing.T) {
	for want, tenant := range map[string]model.Tenant{
		"restricted": {PodSecurity: model.PodSecurityRestricted, Policy: model.Policy{HostProcess: true}},
		"baseline":   {},
		"privileged": {Policy: model.Policy{HostProcess: true}},
	} {
		require.Equal(t, want, standard(&tenant))
	}
}
