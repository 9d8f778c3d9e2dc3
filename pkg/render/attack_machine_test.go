package render

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// oneComponent renders an application of one component with pools, one of which it was granted.
func oneComponent(t testing.TB, component string) (Set, error) {
	return Application(readScenario(t, []byte(`
pools: [{name: metal, selector: {pool: metal}}]
components: [{name: a, pool: metal, requests: {cpu: "1", memory: 1Gi}, `+component+`}]`)).input(t, fstest.MapFS{}))
}

// TestAttack17Machines: a machine reaches nothing of its node, and no tenant brings objects of KubeVirt of its own.
func TestAttack17Machines(t *testing.T) {
	for name, c := range map[string]struct{ code, properties string }{
		"disk of the node":  {declared.CodeUnreadable, `{image: ghcr.io/acme/a, disks: [{name: d, type: hostDisk}]}`},
		"path of the node":  {declared.CodeUnreadable, `{image: ghcr.io/acme/a, disks: [{name: d, type: persistent, size: 1Gi, hostDisk: {path: /etc/shadow}}]}`},
		"raw domain":        {declared.CodeUnreadable, `{image: ghcr.io/acme/a, domain: {devices: {hostDevices: [{name: d, deviceName: d}]}}}`},
		"selector of nodes": {declared.CodeUnreadable, `{image: ghcr.io/acme/a, nodeSelector: {pool: other}}`},
		"network of others": {declared.CodeUnreadable, `{image: ghcr.io/acme/a, networks: [{name: n, multus: {networkName: other}}]}`},
		"more memory":       {declared.CodeUndeclared, `{image: ghcr.io/acme/a, memory: 2Gi}`},
		"label of ours":     {declared.CodeReserved, `{image: ghcr.io/acme/a, labels: {d-aros.dev/tenant: globex}}`},
		"no such secret":    {declared.CodeReference, `{image: ghcr.io/acme/a, cloudInit: {secret: other}}`},
		"much user data":    {declared.CodeSize, `{image: ghcr.io/acme/a, cloudInit: {userData: {a: "` + string(slices.Repeat([]byte("x"), 2048)) + `"}}}`},
		"two starts":        {declared.CodeConflict, `{image: ghcr.io/acme/a, boot: d, disks: [{name: d, type: existing, claim: c}]}`},
		"nothing to start":  {declared.CodeConflict, `{}`},
		"no such disk":      {declared.CodeReference, `{boot: d}`},
		"two of one name":   {declared.CodeConflict, `{image: ghcr.io/acme/a, disks: [{name: image, type: ephemeral, size: 1Gi}]}`},
	} {
		_, err := oneComponent(t, `type: vm, runtime: virtual-machine, properties: `+c.properties)
		require.ErrorContains(t, err, c.code, name)
	}
	for _, kind := range []string{"VirtualMachine", "VirtualMachineInstance", "VirtualMachineInstanceReplicaSet"} {
		_, err := rawObject(t, `{apiVersion: kubevirt.io/v1, kind: `+kind+`, metadata: {name: a}}`)
		require.ErrorContains(t, err, "which no tenant brings: machines are components of type vm")
	}
	_, err := oneComponent(t, `type: vm, runtime: virtual-machine, properties: {image: ghcr.io/acme/a}, traits: {init: [{name: i, image: ghcr.io/acme/a}]}`)
	require.ErrorContains(t, err, "traits.init: is not for a vm, which can have affinity, gateway, ingress, service, tolerations")
	_, err = oneComponent(t, `type: vm, runtime: virtual-machine, replicas: 2, properties: {boot: d, disks: [{name: d, type: existing, claim: c}]}`)
	require.ErrorContains(t, err, "is one disk for several machines")
}

// TestAttack17NodesOfMachines: affinity keeps a machine on nodes of the pool that it was granted.
func TestAttack17NodesOfMachines(t *testing.T) {
	set, err := oneComponent(t, `type: vm, runtime: virtual-machine, os: windows, properties: {image: ghcr.io/acme/a}, traits: {affinity: {nodes: [{label: pool, values: [other]}]}}`)
	require.NoError(t, err)
	require.Contains(t, string(set.Objects[0].JSON), `"nodeSelector":{"kubernetes.io/os":"linux","pool":"metal"}`)
}

// TestAttack17Windows: a Windows container has nothing of its node, and what only Linux has is refused by name.
func TestAttack17Windows(t *testing.T) {
	for name, c := range map[string]struct{ says, component string }{
		"host process":  {"DA1736 application.components.a.properties.hostProcess: is a process of its Windows node, and policy does not allow those (hostProcess)", `type: windows-service, properties: {image: ghcr.io/acme/a, service: s, hostProcess: system}`},
		"its network":   {"unknown field", `type: windows-service, properties: {image: ghcr.io/acme/a, service: s, hostNetwork: true}`},
		"runtime class": {"DA1735 application.components.a.properties.runtimeClass: names runtime class other, and policy allows none (runtimeClasses)", `type: windows-service, properties: {image: ghcr.io/acme/a, service: s, runtimeClass: other}`},
		"its field":     {"unknown field", `type: windows-service, properties: {image: ghcr.io/acme/a, service: s, runtimeClassName: other}`},
		"rights":        {"is for containers of linux", `type: windows-service, properties: {image: ghcr.io/acme/a, service: s}, traits: {security: {user: 1000}}`},
		"memory":        {"has a directory in memory (d), which only containers of Linux have: leave it out, or run the component on linux", `type: worker, properties: {image: ghcr.io/acme/a}, traits: {storage: [{name: d, type: ephemeral, mountPath: /d, size: 1Mi, memory: true}]}`},
		"hosts":         {"has names in /etc/hosts, which only", `type: worker, properties: {image: ghcr.io/acme/a}, traits: {hostAliases: [{ip: 10.0.0.1, names: [a]}]}`},
		"shell":         {"asks with a shell of Unix (sh), which only", `type: worker, properties: {image: ghcr.io/acme/a}, traits: {probes: {liveness: {exec: {command: [sh, -c, a]}}}}`},
		"hook":          {"runs a shell of Unix (/bin/sh), which only", `type: worker, properties: {image: ghcr.io/acme/a}, traits: {lifecycle: {preStop: {exec: {command: [/bin/sh, -c, a]}}}}`},
	} {
		_, err := oneComponent(t, `os: windows, `+c.component)
		require.ErrorContains(t, err, c.says, name)
	}
	in := readScenario(t, []byte(`components: [{name: a, type: windows-service, os: windows, properties: {image: ghcr.io/acme/a, service: s, user: ContainerAdministrator}}]`)).input(t, fstest.MapFS{})
	in.Tenant.PodSecurity = model.PodSecurityRestricted
	_, err := Application(in)
	require.ErrorContains(t, err, "is ContainerAdministrator, and the Pod Security Standard of the tenant is restricted")
}
