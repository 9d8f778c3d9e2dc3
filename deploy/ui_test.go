package deploy

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"sigs.k8s.io/yaml"

	adapter "github.com/d-aros/d-aros/pkg/runtime/kubernetes"
	"github.com/d-aros/d-aros/test/clustertest"
)

// overlayUI is the dashboard of a fleet, with what the cluster has.
const overlayUI = `
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [../deploy/ui]
components: [../deploy/ui/live]
configMapGenerator:
  - {name: ui, namespace: daros-ui, behavior: merge, literals: ["host=fleet.acme.example", "repo=https://git.acme.example/fleet.git"]}
`

// dashboards returns the objects of the dashboard as they lie here, and of an overlay that shows the cluster.
func dashboards(t *testing.T) (plain, live []runtime.Object) {
	files := manifests(t)
	require.NoError(t, files.WriteFile("/ours/kustomization.yaml", []byte(overlayUI)))
	return build(t, "/deploy/ui"), kustomized(t, files, "/ours")
}

// TestDashboardHasRightsForLiveOnly: without the component it has no rights and no token; with it, it may impersonate, and no more.
func TestDashboardHasRightsForLiveOnly(t *testing.T) {
	plain, live := dashboards(t)
	for _, o := range plain {
		require.NotEqual(t, rbacv1.SchemeGroupVersion.Group, o.GetObjectKind().GroupVersionKind().Group)
	}
	pod := find[*appsv1.Deployment](t, plain, nil).Spec.Template.Spec
	require.False(t, *pod.AutomountServiceAccountToken)
	require.NotContains(t, pod.Containers[0].Args, "--live")
	require.False(t, *find[*corev1.ServiceAccount](t, plain, nil).AutomountServiceAccountToken)

	pod = find[*appsv1.Deployment](t, live, nil).Spec.Template.Spec
	require.True(t, *pod.AutomountServiceAccountToken)
	require.Contains(t, pod.Containers[0].Args, "--live")
	role, binding := find[*rbacv1.ClusterRole](t, live, nil), find[*rbacv1.ClusterRoleBinding](t, live, nil)
	require.Equal(t, []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"users", "groups"}, Verbs: []string{"impersonate"}}}, role.Rules)
	require.Equal(t, role.Name, binding.RoleRef.Name)
	require.Equal(t, []rbacv1.Subject{{Kind: "ServiceAccount", Name: pod.ServiceAccountName, Namespace: "daros-ui"}}, binding.Subjects)
}

// TestDashboardHasMemory: it asks for what 10,000 applications take and is bounded to what reading them takes, as it has no clone whose workers would
// need more. The page says how much.
func TestDashboardHasMemory(t *testing.T) {
	plain, _ := dashboards(t)
	c := find[*appsv1.Deployment](t, plain, nil).Spec.Template.Spec.Containers[0]
	require.Contains(t, c.Args, "--repo=$(REPO)")
	require.True(t, strings.HasPrefix(find[*corev1.ConfigMap](t, plain, nil).Data["repo"], "https://"), "a URL, of which there are no what-ifs")
	require.NotContains(t, strings.Join(c.Args, " "), "--propose")
	page, err := os.ReadFile("../docs/performance.md")
	require.NoError(t, err)
	row := regexp.MustCompile(`(?m)^\| resident memory of the server with eight moments of the past; at most, while it reads them \| (\d+); (\d+) MiB \|`)
	figures := row.FindStringSubmatch(string(page))
	require.Len(t, figures, 3, "the page gives both figures")
	resident, most := resource.MustParse(figures[1]+"Mi"), resource.MustParse(figures[2]+"Mi")
	require.GreaterOrEqual(t, c.Resources.Requests.Memory().Value(), resident.Value())
	require.Greater(t, c.Resources.Limits.Memory().Value(), most.Value()*5/4, "room for a fleet that is somewhat larger")
	page, err = os.ReadFile("README.md")
	require.NoError(t, err)
	require.Contains(t, string(page), "set `limits.memory` to 5Gi")
}

// TestDashboardReachesTheReconciler: the network policies of both let it ask for the last pass, and the overlay names the rest.
func TestDashboardReachesTheReconciler(t *testing.T) {
	plain, live := dashboards(t)
	system := build(t, "/deploy/reconciler")
	namespace := find[*corev1.Namespace](t, plain, nil)
	let := find[*networkingv1.NetworkPolicy](t, system, nil).Spec.Ingress[0]
	for name, value := range let.From[0].NamespaceSelector.MatchLabels {
		require.Equal(t, value, namespace.Labels[name], name)
	}
	service := find[*corev1.Service](t, system, nil)
	c := find[*appsv1.Deployment](t, live, nil).Spec.Template.Spec.Containers[0]
	require.Contains(t, c.Args, "--reconciler=http://"+service.Name+"."+service.Namespace+":8080")
	require.EqualValues(t, 8080, service.Spec.Ports[0].Port)
	values := find[*corev1.ConfigMap](t, live, nil)
	require.Equal(t, "fleet.acme.example", values.Data["host"])
	for _, e := range c.Env {
		require.Equal(t, values.Name, e.ValueFrom.ConfigMapKeyRef.Name, "%s: a change has to restart the dashboard", e.Name)
		require.Contains(t, values.Data, e.ValueFrom.ConfigMapKeyRef.Key)
	}
}

// TestDashboardIsAccepted: an API server takes all of it, in a namespace that enforces Pod Security, and with its rights the dashboard may show
// the cluster.
func TestDashboardIsAccepted(t *testing.T) {
	cluster := clustertest.Start(t)
	name := cluster.Prefix(t)
	_, objects := dashboards(t)
	dc, err := dynamic.NewForConfig(cluster.Config)
	require.NoError(t, err)
	groups, err := restmapper.GetAPIGroupResources(cluster.Clientset.Discovery())
	require.NoError(t, err)
	mapper := restmapper.NewDiscoveryRESTMapper(groups)
	for _, object := range objects {
		text, err := yaml.Marshal(object)
		require.NoError(t, err)
		u := &unstructured.Unstructured{}
		require.NoError(t, yaml.Unmarshal([]byte(strings.NewReplacer("daros-ui", name, "d-aros-ui", name).Replace(string(text))), &u.Object))
		kind := u.GroupVersionKind()
		mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
		require.NoError(t, err)
		dry := []string{metav1.DryRunAll}
		switch kind.Kind {
		case "Namespace", "ServiceAccount", "ClusterRole", "ClusterRoleBinding":
			dry = nil
		}
		client := dc.Resource(mapping.Resource)
		_, err = client.Namespace(u.GetNamespace()).Create(t.Context(), u, metav1.CreateOptions{DryRun: dry, FieldValidation: metav1.FieldValidationStrict})
		require.NoError(t, err, "%s", text)
		if strings.HasPrefix(kind.Kind, "ClusterRole") {
			t.Cleanup(func() {
				require.NoError(t, client.Delete(context.WithoutCancel(t.Context()), u.GetName(), metav1.DeleteOptions{}))
			})
		}
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "ui"}, Spec: find[*appsv1.Deployment](t, objects, nil).Spec.Template.Spec}
	_, err = cluster.Clientset.CoreV1().Pods(name).Create(t.Context(), pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	require.NoError(t, err)
	answer, err := cluster.Clientset.CoreV1().ServiceAccounts(name).CreateToken(t.Context(), "ui", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	require.NoError(t, err)
	config := rest.AnonymousClientConfig(cluster.Config)
	config.BearerToken = answer.Status.Token
	require.Eventually(t, func() bool { // the API server learns of rules by a watch
		_, err := adapter.NewLive(t.Context(), config, adapter.LiveOptions{Impersonate: true})
		return err == nil
	}, patience, 20*time.Millisecond)
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	_, err = client.CoreV1().Pods(name).List(t.Context(), metav1.ListOptions{})
	require.ErrorContains(t, err, "forbidden", "as itself it reads nothing")
}
