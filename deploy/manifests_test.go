// Package deploy tests the manifests: that they build, that the API knows every field in them, that
// the programs know every flag, and that the rights are those that are used.
package deploy

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/d-aros/d-aros/pkg/nodeagent/nri"
	adapter "github.com/d-aros/d-aros/pkg/runtime/kubernetes"
)

// overlay is a deployment as its README describes it, over ssh.
const overlay = `
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [deploy]
components: [deploy/ssh, deploy/fleet, deploy/sops]
images: [{name: ghcr.io/d-aros/reconciler, newTag: v1.2.3}]
configMapGenerator:
  - {name: fleet, namespace: daros-system, behavior: merge, literals: ["repo=ssh://git@git.example.com/fleet.git", "name=production"]}
`

// build runs kustomize on a copy of this directory, for its files alone, and decodes what comes out. Fields that the
// API does not know are errors.
func build(t testing.TB, dir string) []runtime.Object {
	t.Helper()
	return kustomized(t, manifests(t), dir)
}

// manifests returns a copy of this directory.
func manifests(t testing.TB) filesys.FileSystem {
	t.Helper()
	files := filesys.MakeFsInMemory()
	for _, pattern := range []string{"*.yaml", "*/*.yaml", "*/*/*.yaml"} {
		names, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, names)
		for _, name := range names {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			require.NoError(t, files.WriteFile("/deploy/"+name, text))
		}
	}
	require.NoError(t, files.WriteFile("/kustomization.yaml", []byte(overlay)))
	return files
}

func kustomized(t testing.TB, files filesys.FileSystem, dir string) []runtime.Object {
	t.Helper()
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, dir)
	require.NoError(t, err)

	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	var objects []runtime.Object
	for _, r := range built.Resources() {
		text, err := r.AsYAML()
		require.NoError(t, err)
		object, _, err := decoder.Decode(text, nil, nil)
		require.NoError(t, err, "%s", text)
		objects = append(objects, object)
	}
	return objects
}

// find returns the only object of a type, or the only one that match likes.
func find[T runtime.Object](t *testing.T, objects []runtime.Object, match func(T) bool) T {
	t.Helper()
	var found []T
	for _, o := range objects {
		if typed, ok := o.(T); ok && (match == nil || match(typed)) {
			found = append(found, typed)
		}
	}
	require.Len(t, found, 1)
	return found[0]
}

func TestManifestsBuild(t *testing.T) {
	for _, dir := range []string{"/deploy", "/deploy/reconciler", "/deploy/nodeagent", "/deploy/ui", "/"} {
		require.NotEmpty(t, build(t, dir), dir)
	}
}

func TestOverlay(t *testing.T) {
	objects := build(t, "/")
	d := find[*appsv1.Deployment](t, objects, nil)
	c := d.Spec.Template.Spec.Containers[0]
	require.Equal(t, "ghcr.io/d-aros/reconciler:v1.2.3", c.Image)
	require.Contains(t, c.Args, "--ssh-key=/etc/d-aros/git/ssh-key")
	require.Contains(t, c.Args, "--known-hosts=/etc/d-aros/git/known_hosts")
	require.NotContains(t, strings.Join(c.Args, " "), "--token-file")
	require.Contains(t, c.Args, "--sops-age-keys=/etc/d-aros/age")
	require.Contains(t, c.VolumeMounts, corev1.VolumeMount{Name: "age-keys", MountPath: "/etc/d-aros/age", ReadOnly: true})

	fleet := find(t, objects, func(m *corev1.ConfigMap) bool { return strings.HasPrefix(m.Name, "fleet-") })
	require.Equal(t, "ssh://git@git.example.com/fleet.git", fleet.Data["repo"])
	named := 0
	for _, o := range objects {
		if p, ok := o.(*admissionv1.ValidatingAdmissionPolicy); ok {
			require.Contains(t, p.Spec.Variables, admissionv1.Variable{Name: "fleet", Expression: "'" + fleet.Data["name"] + "'"}, p.Name)
			named++
		}
	}
	require.Equal(t, 4, named, "policies")
	for _, e := range c.Env {
		if e.ValueFrom != nil && e.ValueFrom.ConfigMapKeyRef != nil {
			require.Equal(t, fleet.Name, e.ValueFrom.ConfigMapKeyRef.Name, "%s: a change has to restart the reconciler", e.Name)
			require.Contains(t, fleet.Data, e.ValueFrom.ConfigMapKeyRef.Key)
		}
	}
}

// programs are those of pods whose name is another one.
var programs = map[string]string{"ui": "reconciler"}

// templates returns the pods that are deployed, by name.
func templates(t *testing.T) map[string]corev1.PodSpec {
	objects := build(t, "/deploy")
	return map[string]corev1.PodSpec{
		"ui":         find[*appsv1.Deployment](t, build(t, "/deploy/ui"), nil).Spec.Template.Spec,
		"reconciler": find[*appsv1.Deployment](t, objects, nil).Spec.Template.Spec,
		"nodeagent":  find[*appsv1.DaemonSet](t, objects, nil).Spec.Template.Spec,
	}
}

// TestArgumentsAreKnown looks for every flag, command and variable of the manifests in the sources of the programs.
func TestArgumentsAreKnown(t *testing.T) {
	variable := regexp.MustCompile(`\$\(([A-Z_]+)\)`)
	for name, pod := range templates(t) {
		program := cmp.Or(programs[name], name)
		sources, err := filepath.Glob("../cmd/" + program + "/*.go")
		require.NoError(t, err)
		require.NotEmpty(t, sources)
		var code bytes.Buffer
		for _, name := range sources {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			code.Write(text)
		}
		env := map[string]bool{}
		var args []string
		for _, c := range pod.Containers {
			args = append(args, c.Args...)
			for _, e := range c.Env {
				env[e.Name] = true
			}
		}
		for _, arg := range args {
			name, value, _ := strings.Cut(arg, "=")
			if flag, isFlag := strings.CutPrefix(name, "--"); isFlag {
				require.Regexp(t, `Var\(&[\w.]+, "`+flag+`"`, code.String(), "%s has no flag %s", program, arg)
			} else {
				require.Regexp(t, `Use: +"`+arg+`[ "]`, code.String(), "%s has no command %s", program, arg)
			}
			for _, m := range variable.FindAllStringSubmatch(value, -1) {
				require.True(t, env[m[1]], "%s: %s is not set", program, arg)
			}
		}
	}
}

func TestPodsAreConfined(t *testing.T) {
	for program, pod := range templates(t) {
		t.Run(program, func(t *testing.T) {
			require.False(t, pod.HostNetwork || pod.HostPID || pod.HostIPC)
			require.Equal(t, corev1.SeccompProfileTypeRuntimeDefault, pod.SecurityContext.SeccompProfile.Type)
			require.NotNil(t, pod.Containers[0].LivenessProbe)
			for _, c := range pod.Containers {
				require.False(t, *c.SecurityContext.AllowPrivilegeEscalation)
				require.True(t, *c.SecurityContext.ReadOnlyRootFilesystem)
				require.Equal(t, []corev1.Capability{"ALL"}, c.SecurityContext.Capabilities.Drop)
				require.Empty(t, c.SecurityContext.Capabilities.Add)
				require.Nil(t, c.SecurityContext.Privileged)
				require.NotZero(t, c.Resources.Requests.Cpu())
				require.NotZero(t, c.Resources.Limits.Memory())
			}
			var host []string
			for _, v := range pod.Volumes {
				if v.HostPath != nil {
					host = append(host, v.HostPath.Path)
				}
			}
			if program != "nodeagent" {
				require.Len(t, pod.Containers, 1)
				require.True(t, *pod.SecurityContext.RunAsNonRoot)
				require.Empty(t, host)
				return
			}
			require.False(t, *pod.AutomountServiceAccountToken)
			require.Len(t, pod.Containers, 2)
			require.NotContains(t, mounts(&pod.Containers[0]), "token", "the agent has no token")
			require.Equal(t, []string{"state", "token"}, mounts(&pod.Containers[1]), "and what has one sees the report alone")
			require.True(t, pod.Containers[1].VolumeMounts[0].ReadOnly)
			require.Equal(t, []string{"/sys/fs/cgroup", "/var/log/containers", "/var/lib/d-aros/nodeagent"}, host)
		})
	}
}

func mounts(c *corev1.Container) (names []string) {
	for _, m := range c.VolumeMounts {
		names = append(names, m.Name)
	}
	return names
}

// TestAgentsMountThePlanOfTheirPool: of the pool that the nodes have, and what the reconciler writes.
func TestAgentsMountThePlanOfTheirPool(t *testing.T) {
	pod := templates(t)["nodeagent"]
	pool := pod.NodeSelector["d-aros.dev/pool"]
	plan := pod.Volumes[slices.IndexFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Name == "plan" })]
	require.Equal(t, adapter.PlanName("fleet", pool), plan.ConfigMap.Name)
	require.True(t, *plan.ConfigMap.Optional, "an agent that comes first keeps its last plan")
	require.Contains(t, pod.Containers[1].Args, "--config-map="+adapter.ReportName("fleet", pool))
	role := find(t, build(t, "/deploy"), func(r *rbacv1.Role) bool { return r.Name == "report" })
	require.Equal(t, []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, ResourceNames: []string{adapter.ReportName("fleet", pool)}, Verbs: []string{"patch"}}}, role.Rules)
}

// TestAgentsOfAnotherPool builds the overlay of the page.
func TestAgentsOfAnotherPool(t *testing.T) {
	page, err := os.ReadFile("../docs/nodeagent.md")
	require.NoError(t, err)
	_, text, _ := strings.Cut(string(page), "```yaml\n")
	text, _, _ = strings.Cut(text, "```")
	files := manifests(t)
	text = strings.Replace(text, "https://github.com/d-aros/d-aros//deploy/nodeagent/pool?ref=<tag>", "../deploy/nodeagent/pool", 1)
	require.NoError(t, files.WriteFile("/gpu/kustomization.yaml", []byte(text)))
	objects := kustomized(t, files, "/gpu")
	d := find[*appsv1.DaemonSet](t, objects, nil)
	require.Equal(t, "nodeagent-gpu", d.Name)
	require.Equal(t, "gpu", d.Spec.Selector.MatchLabels["pool"])
	require.Equal(t, "gpu", d.Spec.Template.Spec.NodeSelector["d-aros.dev/pool"])
	require.Equal(t, adapter.PlanName("production", "gpu"), d.Spec.Template.Spec.Volumes[3].ConfigMap.Name)
	require.Contains(t, d.Spec.Template.Spec.Containers[1].Args, "--config-map="+adapter.ReportName("production", "gpu"))
	role, binding := find[*rbacv1.Role](t, objects, nil), find[*rbacv1.RoleBinding](t, objects, nil)
	require.Equal(t, []string{adapter.ReportName("production", "gpu")}, role.Rules[0].ResourceNames)
	require.Equal(t, role.Name, binding.RoleRef.Name)
	require.Equal(t, "daros-nodes", binding.Subjects[0].Namespace)
	require.Equal(t, d.Spec.Template.Spec.ServiceAccountName, binding.Subjects[0].Name)
}

// TestAgentsThatShape builds the overlay of the page whose agents shape what pods send: they have two rights more, and
// nothing else that others have not.
func TestAgentsThatShape(t *testing.T) {
	page, err := os.ReadFile("../docs/nodeagent.md")
	require.NoError(t, err)
	_, text, _ := strings.Cut(string(page), "components: [https://github.com/d-aros/d-aros//deploy/nodeagent/network")
	text, _, _ = strings.Cut("resources: [../deploy/nodeagent/pool]\ncomponents: [https://github.com/d-aros/d-aros//deploy/nodeagent/network"+text, "```")
	text = strings.Replace(text, "https://github.com/d-aros/d-aros//deploy/nodeagent/network?ref=<tag>", "../deploy/nodeagent/network", 1)
	files := manifests(t)
	require.NoError(t, files.WriteFile("/shaped/kustomization.yaml", []byte(text)))
	shaped := find[*appsv1.DaemonSet](t, kustomized(t, files, "/shaped"), nil).Spec.Template.Spec
	plain := templates(t)["nodeagent"]
	require.Contains(t, shaped.Containers[0].Args, "--network=ens5")
	require.Contains(t, shaped.Containers[0].Args, "--network-pods=cali")
	require.Equal(t, []corev1.Capability{"NET_ADMIN", "BPF"}, shaped.Containers[0].SecurityContext.Capabilities.Add)
	require.Contains(t, shaped.Containers[0].Args, "--listen=127.0.0.1:9465", "no policy of the cluster guards the network of a node")
	require.Equal(t, "127.0.0.1", shaped.Containers[0].LivenessProbe.HTTPGet.Host)

	shaped.HostNetwork = false
	shaped.Containers[0].SecurityContext.Capabilities.Add = nil
	shaped.Containers[0].LivenessProbe.HTTPGet.Host = ""
	shaped.Containers[0].Args = plain.Containers[0].Args
	for i := range shaped.Containers[0].Ports { // those of the network of a node are the same as those of the pod
		shaped.Containers[0].Ports[i].HostPort = 0
	}
	require.Equal(t, plain, shaped)
}

// TestAgentsThatAreAsked builds an overlay with the component of the page by which the runtime asks the agents: they have its socket, and
// nothing else that others have not.
func TestAgentsThatAreAsked(t *testing.T) {
	page, err := os.ReadFile("../docs/nodeagent.md")
	require.NoError(t, err)
	require.Contains(t, string(page), "components: [https://github.com/d-aros/d-aros//deploy/nodeagent/nri?ref=<tag>]")
	files := manifests(t)
	text := "resources: [../deploy/nodeagent/pool]\ncomponents: [../deploy/nodeagent/network, ../deploy/nodeagent/nri]\n"
	require.NoError(t, files.WriteFile("/both/kustomization.yaml", []byte(text)))
	require.Contains(t, find[*appsv1.DaemonSet](t, kustomized(t, files, "/both"), nil).Spec.Template.Spec.Containers[0].Args, "--nri=/host/nri/nri.sock")
	require.NoError(t, files.WriteFile("/asked/kustomization.yaml", []byte(strings.Replace(text, "../deploy/nodeagent/network, ", "", 1))))
	asked := find[*appsv1.DaemonSet](t, kustomized(t, files, "/asked"), nil).Spec.Template.Spec
	agent, plain := &asked.Containers[0], templates(t)["nodeagent"]
	last := len(agent.VolumeMounts) - 1
	require.Equal(t, corev1.VolumeMount{Name: "nri", MountPath: filepath.Dir(strings.TrimPrefix(agent.Args[len(agent.Args)-1], "--nri=")), ReadOnly: true}, agent.VolumeMounts[last])
	volume := asked.Volumes[len(asked.Volumes)-1]
	require.Equal(t, "nri", volume.Name)
	require.Equal(t, filepath.Dir(nri.Socket), volume.HostPath.Path)

	agent.Args, agent.VolumeMounts, asked.Volumes = agent.Args[:len(agent.Args)-1], agent.VolumeMounts[:last], asked.Volumes[:len(asked.Volumes)-1]
	require.Equal(t, plain, asked)
}

// TestNoManifestNamesAVersion: only a release names the version and the digest of an image, and nothing runs "latest".
func TestNoManifestNamesAVersion(t *testing.T) {
	for name, pod := range templates(t) {
		for _, c := range pod.Containers {
			require.Equal(t, "ghcr.io/d-aros/"+cmp.Or(programs[name], name)+":unreleased", c.Image)
		}
	}
}
