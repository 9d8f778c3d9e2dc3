package render

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
	"github.com/d-aros/d-aros/pkg/render/manifest"
	"github.com/d-aros/d-aros/test/clustertest"
)

// restrictedInputs are the inputs of the golden cases for a restricted, locked tenant,
// without those that bring manifests.
func restrictedInputs(t *testing.T) map[string]Input {
	all := map[string]Input{}
	for name, input := range goldens(t) {
		in := input()
		if slices.ContainsFunc(in.Instance.Spec.Components, func(c model.Component) bool { return c.Type == "raw" || c.Type == "kustomize" || c.Type == "helm" }) || in.Tenant.Policy.HostProcess {
			continue
		}
		in.Tenant.PodSecurity, in.Tenant.Isolation = model.PodSecurityRestricted, model.IsolationLocked
		all[name] = in
	}
	require.Greater(t, len(all), 10)
	return all
}

// TestRestrictedPods: the pods of every type of component follow the restricted standard,
// by the rules of the API server, and do not without it.
func TestRestrictedPods(t *testing.T) {
	a := manifest.Admission{Standard: model.PodSecurityRestricted}
	pods := 0
	for name, in := range restrictedInputs(t) {
		set, err := Application(in)
		require.NoError(t, err, name)
		for _, o := range set.Objects {
			if s, runs := manifest.Workloads[o.Object.GroupVersionKind().GroupKind().String()]; runs && !o.Keep {
				pods++
				require.NoError(t, a.AdmitStandard(manifest.Identity(o.Object), metav1.ObjectMeta{}, manifest.PodSpec(o.Object, s)), name)
			}
		}
	}
	require.Greater(t, pods, 10)

	in := goldens(t)["webservice.txtar"]()
	set, err := Application(in)
	require.NoError(t, err)
	for _, o := range set.Objects {
		if s, runs := manifest.Workloads[o.Object.GroupVersionKind().GroupKind().String()]; runs {
			require.ErrorContains(t, a.AdmitStandard("x", metav1.ObjectMeta{}, manifest.PodSpec(o.Object, s)), "runAsNonRoot != true")
		}
	}
}

// TestStandardOfTraits: rights that the standard of a restricted tenant refuses are an error of
// the trait, and none where the standard is the baseline.
func TestStandardOfTraits(t *testing.T) {
	for name, c := range map[string]struct{ trait, want string }{
		"root":         {`{"security": {"user": 0}}`, "runAsUser"},
		"a capability": {`{"security": {"capabilities": ["CHOWN"]}}`, "unrestricted capabilities"},
		"fine":         {`{"security": {"user": 1, "capabilities": ["NET_BIND_SERVICE"]}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			in := goldens(t)["webservice.txtar"]()
			web, _ := in.Instance.Spec.Component("web")
			web.Traits = []byte(c.trait)
			_, err := Application(in)
			require.NoError(t, err)
			in.Tenant.PodSecurity = model.PodSecurityRestricted
			_, err = Application(in)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, declared.CodeStandard+" application.components.web.traits.security: has pods that the restricted Pod Security Standard")
			require.ErrorContains(t, err, c.want)
		})
	}
}

// TestStandardOfManifests: an error names the fields that manifests lack.
func TestStandardOfManifests(t *testing.T) {
	s := scenario{Tenant: "acme", App: "shop", Kinds: []string{"Deployment"}, Registries: []string{"example.com"}, MaxReplicas: 1}
	container := map[string]any{"name": "a", "image": "example.com/a:1", "resources": map[string]any{"requests": map[string]any{"cpu": "1m", "memory": "1Mi"}}}
	s.Components = []scenarioComponent{{Name: "site", Type: "raw", Requests: map[string]string{"cpu": "1", "memory": "1Gi"}, Properties: map[string]any{"objects": []any{map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "site"}, "spec": map[string]any{
			"selector": map[string]any{"matchLabels": map[string]any{"a": "b"}},
			"template": map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": "b"}}, "spec": map[string]any{"containers": []any{container}}},
		},
	}}}}}
	in := s.input(t, nil)
	_, err := Application(in)
	require.NoError(t, err, "the baseline standard takes it")
	in.Tenant.PodSecurity = model.PodSecurityRestricted
	_, err = Application(in)
	require.ErrorContains(t, err, "DA1717 application.components.site.properties.objects.0: has pods that the restricted Pod Security Standard")
	require.ErrorContains(t, err, `container "a" must set securityContext.allowPrivilegeEscalation=false`)

	container["securityContext"] = map[string]any{"allowPrivilegeEscalation": false, "runAsNonRoot": true,
		"capabilities": map[string]any{"drop": []any{"ALL"}}, "seccompProfile": map[string]any{"type": "RuntimeDefault"}}
	in = s.input(t, nil)
	in.Tenant.PodSecurity = model.PodSecurityRestricted
	_, err = Application(in)
	require.NoError(t, err)
}

// TestClusterTakesLockedNamespaces: the API server takes what a locked tenant has, and the
// pods of its components, as restricted as they are and with the limits that it adds.
func TestClusterTakesLockedNamespaces(t *testing.T) {
	inputs := restrictedInputs(t)
	cluster := clustertest.Start(t)
	take := taker(t, cluster)
	prefix := cluster.Prefix(t) + "-"
	tenant := &model.Tenant{Name: "acme", Quota: &model.Resources{CPU: 64000, Memory: 256 << 30}, Isolation: model.IsolationLocked, PodSecurity: model.PodSecurityRestricted}
	tenant.Policy.Exits = []string{"0.0.0.0/0:443", "2001:db8::/32", "203.0.113.53/32:53/UDP"}
	for _, o := range Tenant("render", prefix, tenant, model.Occupancy{}).Objects {
		require.NoError(t, take(o, metav1.PatchOptions{}), manifest.Identity(o.Object))
	}
	pods, policies := cluster.Clientset.CoreV1().Pods(prefix+"acme"), 0
	for name, in := range inputs {
		in.Prefix = prefix
		in.Network = model.Network{Links: [][2]string{{"acme", "globex"}}, Ingress: []model.Origin{{CIDR: "10.0.0.0/16"}}}
		in.Instance.Spec.Components[0].Connects = []string{"other/web", "globex/api/server"}
		set, err := Application(in)
		require.NoError(t, err, name)
		for _, o := range set.Objects {
			if o.Keep || o.Object.GetNamespace() != prefix+"acme" {
				continue
			}
			if o.Object.GetKind() == "NetworkPolicy" {
				policies++
				require.NoError(t, take(o, metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}}), name)
			}
			s, runs := manifest.Workloads[o.Object.GroupVersionKind().GroupKind().String()]
			if !runs {
				continue
			}
			podLabels, _, _ := unstructured.NestedStringMap(o.Object.Object, append(append([]string{}, s.Pod...), "metadata", "labels")...)
			spec := manifest.PodSpec(o.Object, s)
			for _, list := range [][]corev1.Container{spec.InitContainers, spec.Containers} { // claims are not there
				for i := range list {
					list[i].VolumeMounts = nil
				}
			}
			spec.Volumes = nil
			made, err := pods.Create(t.Context(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "taken-", Labels: podLabels}, Spec: *spec},
				metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			require.NoError(t, err, "%s: %s", name, manifest.Identity(o.Object))
			require.False(t, made.Spec.Containers[0].Resources.Limits.Memory().IsZero(), "the LimitRange adds a limit")
		}
	}
	require.Greater(t, policies, 3)
	root := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "root"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "a", Image: "a"}}}}
	_, err := pods.Create(t.Context(), root, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	require.ErrorContains(t, err, "restricted")
}
