package render

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// TestAttack15PatchOfAPod: a patch of a pod gives no right, takes no protection away, and asks
// for nothing that is not counted. What the schema refuses first is refused here, too: a
// ledger may have it.
func TestAttack15PatchOfAPod(t *testing.T) {
	for name, c := range map[string]struct{ patch, code string }{
		"network of the host":    {"{hostNetwork: true}", "DA1716"},
		"processes of the host":  {"{hostPID: true}", "DA1716"},
		"users of the host":      {"{hostUsers: true}", "DA1716"},
		"a certain node":         {"{nodeName: a}", "DA1716"},
		"no pool":                {"{nodeSelector: null}", "DA1703"},
		"another pool":           {"{nodeSelector: {pool: x}}", "DA1716"},
		"an account":             {"{serviceAccountName: admin}", "DA1716"},
		"a token":                {"{automountServiceAccountToken: true}", "DA1716"},
		"a priority":             {"{priorityClassName: system-node-critical}", "DA1716"},
		"a path of the host":     {"{volumes: [{name: a, hostPath: {path: /}}]}", "DA1716"},
		"a secret":               {"{volumes: [{name: a, secret: {secretName: other}}]}", "DA1716"},
		"rights of the pod":      {"{securityContext: {runAsUser: 0}}", "DA1716"},
		"no rights of the pod":   {"{securityContext: null}", "DA1703"},
		"another image":          {"{containers: [{name: web, image: evil}]}", "DA1716"},
		"more than granted":      {"{containers: [{name: web, resources: {limits: {cpu: 9}}}]}", "DA1716"},
		"a port of the host":     {"{containers: [{name: web, ports: [{containerPort: 1, hostPort: 1}]}]}", "DA1716"},
		"privileges":             {"{containers: [{name: web, securityContext: {privileged: true}}]}", "DA1716"},
		"no protection":          {"{containers: [{name: web, securityContext: null}]}", "DA1703"},
		"a further container":    {"{containers: [{name: evil, tty: true}]}", "DA1702"},
		"a container of a debug": {"{ephemeralContainers: [{name: evil}]}", "DA1716"},
		"no containers":          {"{containers: null}", "DA1703"},
		"a directive":            {"{containers: [{name: web, $patch: delete}]}", "DA1716"},
		"a directive of a list":  {"{$setElementOrder/containers: [{name: web}]}", "DA1716"},
		"a directive below":      {"{dnsConfig: {$patch: replace}}", "DA1701"},
		"a form":                 {"{hostname: [a]}", "DA1701"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := patched(t, c.patch)
			require.ErrorContains(t, err, c.code+" application.components.web.traits.pod")
		})
	}
}

// patched renders a component with a patch of its pod.
func patched(t *testing.T, patch string) (Set, error) {
	return Application(readScenario(t, fmt.Appendf(nil, `
components: [{name: web, type: worker, requests: {cpu: 100m, memory: 64Mi}, properties: {image: ghcr.io/acme/shop:1}, traits: {
  sidecars: [{name: beside, image: ghcr.io/acme/b:1, resources: {requests: {cpu: 1m, memory: 1Mi}}}], pod: %s}}]`, patch)).input(t, nil))
}

// A patch adds its fields to the containers that it names, and leaves everything else as it is.
func TestPatchOfAPod(t *testing.T) {
	spec := func(patch string) (s corev1.PodSpec) {
		set, err := patched(t, patch)
		require.NoError(t, err)
		for _, o := range set.Objects {
			if o.Object.GetKind() == "Deployment" {
				template := o.Object.Object["spec"].(map[string]any)["template"].(map[string]any)
				require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(template["spec"].(map[string]any), &s))
			}
		}
		return s
	}
	want := spec("{}")
	require.Len(t, append(want.Containers, want.InitContainers...), 2)
	want.Hostname, want.DNSConfig = "a", &corev1.PodDNSConfig{Searches: []string{"example.com"}}
	for i := range want.Containers {
		if want.Containers[i].Name == "web" {
			want.Containers[i].WorkingDir, want.Containers[i].TTY = "/srv", true
		}
	}
	require.Equal(t, want, spec("{hostname: a, dnsConfig: {searches: [example.com]}, containers: [{name: web, workingDir: /srv, tty: true}]}"))
}
