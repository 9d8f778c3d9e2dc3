package deploy

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/render/component"
	adapter "github.com/d-aros/d-aros/pkg/runtime/kubernetes"
)

// inside returns an installation that has carried out a tenant with all components, in the namespace named as its fleet.
func inside(t *testing.T) *installation {
	t.Helper()
	in := install(t)
	carrier, err := adapter.New(in.config, adapter.Options{Fleet: in.fleet, Patience: patience, TenantRole: in.role})
	require.NoError(t, err)
	defer carrier.Close()
	report := carrier.Apply(t.Context(), in.sets(t))
	require.NoError(t, report.Err)
	for _, s := range report.Sets {
		for _, r := range s.Results {
			require.NotEqual(t, apply.Failed, r.Action, "%s: %s", r.Ref, r.Message)
		}
		require.True(t, s.OK(), "%+v", s)
	}
	return in
}

// send sends an object as somebody: an apply, which creates what is not there.
func (in *installation) send(t *testing.T, as *rest.Config, namespace, manifest string) error {
	t.Helper()
	u := &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal([]byte(manifest), &u.Object))
	body, err := u.MarshalJSON()
	require.NoError(t, err)
	client, err := dynamic.NewForConfig(as)
	require.NoError(t, err)
	resource := client.Resource(in.resource(t, u))
	force := true
	opts := metav1.PatchOptions{FieldManager: "test", Force: &force}
	if namespace == "" {
		_, err = resource.Patch(t.Context(), u.GetName(), types.ApplyYAMLPatchType, body, opts)
	} else {
		_, err = resource.Namespace(namespace).Patch(t.Context(), u.GetName(), types.ApplyYAMLPatchType, body, opts)
	}
	return err
}

// account returns the config that impersonates the account of a namespace with the reconciler's token.
func (in *installation) account(namespace string) *rest.Config {
	config := rest.CopyConfig(in.config)
	config.Impersonate.UserName = "system:serviceaccount:" + namespace + ":" + render.Account
	return config
}

// TestStolenToken makes what a client with the token of the reconciler would try.
func TestStolenToken(t *testing.T) {
	in := inside(t)
	thief, err := kubernetes.NewForConfig(in.config)
	require.NoError(t, err)
	tenant, err := kubernetes.NewForConfig(in.account(in.fleet))
	require.NoError(t, err)
	outside := in.fleet + "-outside"
	require.NoError(t, in.send(t, in.Config, "", namespaceOf(outside, "")))
	ctx := t.Context()

	_, err = thief.CoreV1().Secrets("kube-system").List(ctx, metav1.ListOptions{})
	require.ErrorContains(t, err, "cannot list")
	_, err = thief.CoreV1().Secrets(in.fleet).List(ctx, metav1.ListOptions{})
	require.ErrorContains(t, err, "cannot list", "not even of a tenant, but as its account")
	_, err = tenant.CoreV1().Secrets(in.fleet).List(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	for _, namespace := range []string{"kube-system", outside} {
		_, err = tenant.CoreV1().Secrets(namespace).List(ctx, metav1.ListOptions{})
		require.ErrorContains(t, err, "cannot list")
		for name, manifest := range map[string]string{
			"binding": bindingOf(render.Account, "ClusterRole", in.role, in.home, "reconciler"),
			"account": `{apiVersion: v1, kind: ServiceAccount, metadata: {name: d-aros}}`,
			"policy":  `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: d-aros}, spec: {podSelector: {}}}`,
			"quota":   `{apiVersion: v1, kind: ResourceQuota, metadata: {name: d-aros}, spec: {hard: {pods: "0"}}}`,
		} {
			require.ErrorContains(t, in.send(t, in.config, namespace, manifest), "writes only in namespaces of its fleet", "%s in %s", name, namespace)
		}
		require.ErrorContains(t, in.send(t, in.config, "", namespaceOf(namespace, in.fleet)), "only namespaces of its fleet", "taking over a namespace")
	}
	for what, manifest := range map[string]string{
		"role":    bindingOf(render.Account, "ClusterRole", "cluster-admin", in.home, "reconciler"),
		"name":    bindingOf("thief", "ClusterRole", in.role, in.home, "reconciler"),
		"secret":  `{apiVersion: v1, kind: Secret, metadata: {name: d-aros}}`,
		"cluster": `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: ` + in.role + `}, rules: []}`,
	} {
		namespace := in.fleet
		if what == "cluster" {
			namespace = ""
		}
		require.ErrorContains(t, in.send(t, in.config, namespace, manifest), "forbidden", what)
	}
	reading := func(name, rules string) string {
		return `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: "` + name + `", labels: {` + render.LabelFleet + `: ` + in.fleet + `}}, rules: [` + rules + `]}`
	}
	own := "d-aros:" + in.fleet + ":t:a:c"
	for what, manifest := range map[string]string{
		"name":     reading("thief", `{apiGroups: [""], resources: [nodes], verbs: [list]}`),
		"fleet":    reading("d-aros:other:t:a:c", `{apiGroups: [""], resources: [nodes], verbs: [list]}`),
		"secrets":  reading(own, `{apiGroups: [""], resources: [secrets], verbs: [list]}`),
		"all":      reading(own, `{apiGroups: [""], resources: ["*"], verbs: [list]}`),
		"write":    reading(own, `{apiGroups: [""], resources: [pods], verbs: [delete]}`),
		"shell":    reading(own, `{apiGroups: [""], resources: [nodes/proxy], verbs: [get]}`),
		"escalate": reading(own, `{apiGroups: [rbac.authorization.k8s.io], resources: [clusterroles], verbs: [get]}`),
	} {
		require.ErrorContains(t, in.send(t, in.config, "", manifest), "forbidden", what)
	}
	require.NoError(t, in.send(t, in.config, "", reading(own, `{apiGroups: [""], resources: [nodes], verbs: [list]}`)), "what it may itself")
	binding := func(name, role, account string) string {
		return `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: "` + name + `", labels: {` + render.LabelFleet + `: ` + in.fleet + `}},
			roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: "` + role + `"}, subjects: [{kind: ServiceAccount, name: ` + account + `, namespace: ` + in.fleet + `}]}`
	}
	require.ErrorContains(t, in.send(t, in.config, "", binding(own, own, render.Account)), "no Secrets or roles", "the account of the namespace")
	require.ErrorContains(t, in.send(t, in.config, "", binding(own, in.role, "web")), "forbidden", "another role")
	require.NoError(t, in.send(t, in.config, "", binding(own, own, "web")))
	require.ErrorContains(t, in.send(t, in.config, "", reading(own, `{apiGroups: [storage.k8s.io], resources: [storageclasses], verbs: [list]}`)), "not currently held", "what it may not")
	require.ErrorContains(t, thief.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings().Delete(ctx, in.fleet+"-writes", metav1.DeleteOptions{}), "cannot delete")
	for _, name := range []string{"kube-" + in.fleet, "daros-" + in.fleet} {
		require.ErrorContains(t, in.send(t, in.config, "", namespaceOf(name, in.fleet)), "are reserved")
	}

	// Its own records, and nothing else beside them.
	require.NoError(t, in.send(t, in.config, in.home, `{apiVersion: v1, kind: ConfigMap, metadata: {name: daros-`+in.fleet+`}}`))
	require.ErrorContains(t, in.send(t, in.config, in.home, `{apiVersion: v1, kind: ConfigMap, metadata: {name: daros-other}}`), "only in namespaces of its fleet")
	require.NoError(t, in.send(t, in.config, "", namespaceOf(in.fleet+"-more", in.fleet)), "a new tenant")
	require.ErrorContains(t, thief.CoreV1().Namespaces().Delete(ctx, in.fleet+"-more", metav1.DeleteOptions{}), "forbidden")
}

// TestReadersOfATenant reads as an admin of the tenant, who has no other rights.
func TestReadersOfATenant(t *testing.T) {
	in := inside(t)
	config := rest.CopyConfig(in.Config)
	config.Impersonate.UserName = "bob"
	bob, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	require.Eventually(t, func() bool { // the API server learns of the binding by a watch
		_, err := bob.CoreV1().Pods(in.fleet).List(t.Context(), metav1.ListOptions{})
		return err == nil
	}, patience, 20*time.Millisecond)
	_, err = bob.AppsV1().Deployments(in.fleet).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	_, err = bob.CoreV1().Secrets(in.fleet).List(t.Context(), metav1.ListOptions{})
	require.ErrorContains(t, err, "cannot list")
	_, err = bob.CoreV1().Pods("kube-system").List(t.Context(), metav1.ListOptions{})
	require.ErrorContains(t, err, "cannot list")
	require.ErrorContains(t, bob.CoreV1().ConfigMaps(in.fleet).Delete(t.Context(), "d-aros.tenant", metav1.DeleteOptions{}), "cannot delete")
}

// TestLabelsOfTheFleet holds who may set labels of D-AROS.
func TestLabelsOfTheFleet(t *testing.T) {
	in := inside(t)
	labelled := func(fleet string) string {
		return `{apiVersion: v1, kind: ConfigMap, metadata: {name: copy, labels: {` + render.LabelFleet + `: ` + fleet + `, ` + render.LabelApplication + `: all}}}`
	}
	require.NoError(t, in.send(t, in.account(in.fleet), in.fleet, labelled(in.fleet)), "its account")
	require.NoError(t, in.Clientset.CoreV1().ConfigMaps(in.fleet).Delete(t.Context(), "copy", metav1.DeleteOptions{}))

	require.ErrorContains(t, in.send(t, in.Config, in.fleet, labelled(in.fleet)), "set by D-AROS alone", "an administrator")
	require.ErrorContains(t, in.send(t, in.Config, in.fleet, labelled("other")), "set by D-AROS alone", "the name of another fleet")
	require.NoError(t, in.send(t, in.Config, in.fleet, `{apiVersion: v1, kind: ConfigMap, metadata: {name: copy, labels: {app: web}}}`), "other labels")
	require.NoError(t, in.send(t, in.Config, "", namespaceOf(in.fleet+"-outside", "")))
	require.ErrorContains(t, in.send(t, in.Config, in.fleet+"-outside", labelled(in.fleet)), "set by D-AROS alone", "elsewhere with the name of the fleet")
	require.NoError(t, in.send(t, in.Config, in.fleet+"-outside", labelled("other")), "another fleet")

	// Controllers make pods with the labels of their workloads, and people change the rest of them.
	var pods *corev1.PodList
	require.Eventually(t, func() bool {
		var err error
		pods, err = in.Clientset.CoreV1().Pods(in.fleet).List(t.Context(), metav1.ListOptions{LabelSelector: render.LabelComponent + "=web"})
		return err == nil && len(pods.Items) > 0
	}, patience, 20*time.Millisecond)
	patch := func(what string) error {
		_, err := in.Clientset.CoreV1().Pods(in.fleet).Patch(t.Context(), pods.Items[0].Name, types.MergePatchType, []byte(what), metav1.PatchOptions{})
		return err
	}
	require.NoError(t, patch(`{"metadata": {"labels": {"debug": "yes"}}}`))
	require.ErrorContains(t, patch(`{"metadata": {"labels": {"`+render.LabelTenant+`": "globex"}}}`), "set by D-AROS alone")
	require.ErrorContains(t, patch(`{"metadata": {"labels": {"`+render.LabelTenant+`": null}}}`), "set by D-AROS alone")
}

// TestPodsOfTenants sends pods that rendering would refuse, as the account of the tenant.
func TestPodsOfTenants(t *testing.T) {
	in := inside(t)
	pod := func(change func(p map[string]any)) string {
		p := map[string]any{}
		require.NoError(t, yaml.Unmarshal([]byte(`
apiVersion: v1
kind: Pod
metadata: {name: p, labels: {d-aros.dev/fleet: `+in.fleet+`, d-aros.dev/application: all}}
spec:
  automountServiceAccountToken: false
  nodeSelector: {d-aros.dev/pool: general}
  securityContext: {runAsNonRoot: true, runAsUser: 1000, seccompProfile: {type: RuntimeDefault}}
  containers:
    - name: c
      image: example.com/c:1
      resources: {requests: {cpu: 10m, memory: 16Mi}}
      securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
      readinessProbe: {httpGet: {path: /, port: 80}}
`), &p))
		change(p)
		text, err := yaml.Marshal(p)
		require.NoError(t, err)
		return string(text)
	}
	set := func(value any, path ...string) func(map[string]any) {
		return func(p map[string]any) { require.NoError(t, unstructured.SetNestedField(p, value, path...)) }
	}
	container := func(name string, value any) func(map[string]any) {
		return func(p map[string]any) {
			p["spec"].(map[string]any)["containers"].([]any)[0].(map[string]any)[name] = value
		}
	}
	term := func(more map[string]any) any {
		more["topologyKey"] = "kubernetes.io/hostname"
		return []any{more}
	}
	// The role of accounts has no pods: controllers make them. So the test gives this account the right.
	more := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "pods"}, Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get", "create", "patch"}}}}
	_, err := in.Clientset.RbacV1().Roles(in.fleet).Create(t.Context(), more, metav1.CreateOptions{})
	require.NoError(t, err)
	require.NoError(t, in.send(t, in.Config, in.fleet, bindingOf("pods", "Role", "pods", in.fleet, render.Account)))
	class := &nodev1.RuntimeClass{ObjectMeta: metav1.ObjectMeta{Name: in.fleet}, Handler: "runc"}
	_, err = in.Clientset.NodeV1().RuntimeClasses().Create(t.Context(), class, metav1.CreateOptions{})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, in.Clientset.NodeV1().RuntimeClasses().Delete(context.WithoutCancel(t.Context()), class.Name, metav1.DeleteOptions{}))
	})
	account := in.account(in.fleet)
	// The standard of the namespace refuses some of them, too: it is not what is tested.
	require.NoError(t, in.send(t, in.Config, "", `{apiVersion: v1, kind: Namespace, metadata: {name: `+in.fleet+`, labels: {pod-security.kubernetes.io/enforce: privileged}}}`))
	tenant, err := kubernetes.NewForConfig(account)
	require.NoError(t, err)
	require.Eventually(t, func() bool { // the API server learns of the right and of the policy by watches; nothing is made before
		var probe corev1.Pod
		require.NoError(t, yaml.Unmarshal([]byte(pod(set("d-aros", "spec", "serviceAccountName"))), &probe))
		_, err := tenant.CoreV1().Pods(in.fleet).Create(t.Context(), &probe, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err != nil && strings.Contains(err.Error(), "as the account d-aros")
	}, patience, 20*time.Millisecond)
	for why, change := range map[string]func(map[string]any){
		"as the account d-aros":                set("d-aros", "spec", "serviceAccountName"),
		"no business with the API server":      set(true, "spec", "automountServiceAccountToken"),
		"placed by the scheduler":              set("node-0", "spec", "nodeName"),
		"placed by the scheduler of":           set("mine", "spec", "schedulerName"),
		"kept free for reasons":                set([]any{map[string]any{"operator": "Exists"}}, "spec", "tolerations"),
		"no finalizers":                        set([]any{"example.com/stay"}, "metadata", "finalizers"),
		"none of its business":                 set(term(map[string]any{"namespaceSelector": map[string]any{}}), "spec", "affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution"),
		"pods of other namespaces are none of": set(term(map[string]any{"namespaces": []any{"kube-system"}}), "spec", "affinity", "podAffinity", "requiredDuringSchedulingIgnoredDuringExecution"),
		"a probe or a hook":                    container("livenessProbe", map[string]any{"httpGet": map[string]any{"host": "169.254.169.254", "port": int64(80)}}),
		"the pod itself":                       container("lifecycle", map[string]any{"preStop": map[string]any{"tcpSocket": map[string]any{"host": "10.0.0.1", "port": int64(80)}}}),
		"ports of nodes":                       container("ports", []any{map[string]any{"containerPort": int64(80), "hostPort": int64(80)}}),
		"policy allows runtime classes":        set(class.Name, "spec", "runtimeClassName"),
		"no part of their node":                set(true, "spec", "hostNetwork"),
		"of their node (hostNetwork, hostPID":  set(true, "spec", "hostPID"),
		"containers have no privileges":        container("securityContext", map[string]any{"privileged": true}),
		"have no privileges (privileged":       container("securityContext", map[string]any{"capabilities": map[string]any{"add": []any{"SYS_ADMIN"}}}),
		"the kernel holds containers":          set("Unconfined", "spec", "securityContext", "seccompProfile", "type"),
		"holds containers (sysctls":            container("securityContext", map[string]any{"seccompProfile": map[string]any{"type": "Unconfined"}}),
		"volumes are of the application":       set([]any{map[string]any{"name": "v", "hostPath": map[string]any{"path": "/"}}}, "spec", "volumes"),
	} {
		require.ErrorContains(t, in.send(t, account, in.fleet, pod(change)), why)
	}
	require.NoError(t, in.send(t, account, in.fleet, pod(func(p map[string]any) {
		set(term(map[string]any{"namespaces": []any{in.fleet}}), "spec", "affinity", "podAffinity", "requiredDuringSchedulingIgnoredDuringExecution")(p)
		set([]any{map[string]any{"key": "gpu", "operator": "Exists"}}, "spec", "tolerations")(p)
	})))
	require.NoError(t, in.send(t, account, in.fleet, `{apiVersion: v1, kind: ServiceAccount, metadata: {name: web}, automountServiceAccountToken: false}`))
	require.NoError(t, in.send(t, account, in.fleet, pod(func(p map[string]any) {
		set("own", "metadata", "name")(p)
		set("web", "spec", "serviceAccountName")(p)
	})), "the account of a component")
	token := func(account, rights string) string {
		return pod(func(p map[string]any) {
			set("rights", "metadata", "name")(p)
			set(rights, "metadata", "labels", component.LabelRights)(p)
			set(account, "spec", "serviceAccountName")(p)
			set(true, "spec", "automountServiceAccountToken")(p)
		})
	}
	require.ErrorContains(t, in.send(t, account, in.fleet, token("web", "")), "no business with the API server")
	require.ErrorContains(t, in.send(t, account, in.fleet, token("default", "true")), "no business with the API server")
	require.NoError(t, in.send(t, account, in.fleet, token("web", "true")), "rights that policy allows")
	// Who is a process of a Windows node has its label, which D-AROS alone sets, and nothing else of the node.
	process := func(name, label, system string, more ...func(map[string]any)) string {
		return pod(func(p map[string]any) {
			set(name, "metadata", "name")(p)
			set(label, "metadata", "labels", component.LabelHostProcess)(p)
			set(system, "spec", "os", "name")(p)
			set(true, "spec", "hostNetwork")(p)
			set(map[string]any{"windowsOptions": map[string]any{"hostProcess": true, "runAsUserName": `NT AUTHORITY\SYSTEM`}}, "spec", "securityContext")(p)
			container("securityContext", map[string]any{})(p)
			for _, change := range more {
				change(p)
			}
		})
	}
	require.NoError(t, in.send(t, account, in.fleet, process("process", "true", "windows")))
	require.ErrorContains(t, in.send(t, account, in.fleet, process("other", "", "windows")), "no part of their node")
	require.ErrorContains(t, in.send(t, account, in.fleet, process("other", "true", "windows", set([]any{map[string]any{"name": "v", "hostPath": map[string]any{"path": "/"}}}, "spec", "volumes"))), "volumes are of the application")
	require.ErrorContains(t, in.send(t, account, in.fleet, pod(func(p map[string]any) {
		set("linux", "metadata", "name")(p)
		set("true", "metadata", "labels", component.LabelHostProcess)(p)
		set(true, "spec", "hostNetwork")(p)
	})), "no part of their node", "a pod of Linux")
	require.NoError(t, in.send(t, account, in.fleet, pod(func(p map[string]any) {
		set("class", "metadata", "name")(p)
		set(class.Name, "metadata", "labels", component.LabelRuntimeClass)(p)
		set(class.Name, "spec", "runtimeClassName")(p)
	})))
	require.NoError(t, in.send(t, in.Config, in.fleet, `{apiVersion: v1, kind: ServiceAccount, metadata: {name: operator}}`))
	require.NoError(t, in.send(t, in.Config, in.fleet, pod(func(p map[string]any) {
		set("q", "metadata", "name")(p)
		set(map[string]any{}, "metadata", "labels")(p)
		set("operator", "spec", "serviceAccountName")(p)
	})), "a pod of an operator")
}

func namespaceOf(name, fleet string) string {
	if fleet == "" {
		return `{apiVersion: v1, kind: Namespace, metadata: {name: ` + name + `}}`
	}
	return `{apiVersion: v1, kind: Namespace, metadata: {name: ` + name + `, labels: {` + render.LabelFleet + `: ` + fleet + `}}}`
}

func bindingOf(name, kind, role, namespace, account string) string {
	return `{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: ` + name + `},
		roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ` + kind + `, name: ` + role + `},
		subjects: [{kind: ServiceAccount, name: ` + account + `, namespace: ` + namespace + `}]}`
}
