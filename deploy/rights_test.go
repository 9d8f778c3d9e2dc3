package deploy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	adapter "github.com/d-aros/d-aros/pkg/runtime/kubernetes"
	"github.com/d-aros/d-aros/test/clustertest"
)

// patience is how long a shared cluster may take under load.
const patience = 2 * time.Minute

// kinds are those that policy allows where nobody says anything else, and those that follow from tenants.
var kinds = []string{
	"ConfigMap", "CronJob", "DaemonSet", "Deployment", "HorizontalPodAutoscaler", "Ingress", "Job",
	"ExternalSecret", "PersistentVolumeClaim", "PodDisruptionBudget", "Secret", "Service", "ServiceAccount", "StatefulSet",
	"VirtualMachine", "HTTPRoute", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding",
	"Namespace", "LimitRange", "NetworkPolicy", "ResourceQuota",
}

// components bring every kind of the first sort.
var components = []model.Component{
	{Name: "web", Type: "webservice", Properties: []byte(`{"image": "example.com/web:1", "ports": [{"port": 80}]}`),
		Traits: []byte(`{"ingress": [{"host": "rights.example.com", "port": 80}], "autoscale": {"min": 1, "max": 1, "cpu": 80},
			"gateway": {"name": "infra/public", "hosts": ["rights.example.com"], "routes": [{"port": 80, "path": "/more"}]},
			"rights": [{"verbs": ["get"], "resources": ["configmaps"]}, {"verbs": ["list"], "resources": ["nodes"], "cluster": true}]}`)},
	{Name: "db", Type: "store", Properties: []byte(`{"image": "example.com/db:1", "ports": [{"port": 5432}]}`),
		Traits: []byte(`{"storage": [{"name": "data", "type": "persistent", "mountPath": "/data", "size": "1Gi"}]}`)},
	{Name: "log", Type: "daemon", Properties: []byte(`{"image": "example.com/log:1"}`)},
	{Name: "once", Type: "job", Properties: []byte(`{"image": "example.com/once:1"}`)},
	{Name: "nightly", Type: "cron", Properties: []byte(`{"image": "example.com/nightly:1", "schedule": "0 3 * * *"}`)},
	{Name: "settings", Type: "config", Properties: []byte(`{"data": {"key": "value"}}`)},
	{Name: "password", Type: "secret", Properties: []byte(`{"data": {"key": "value"}}`)},
	{Name: "external", Type: "external-secret", Properties: []byte(`{"store": {"name": "vault", "kind": "ClusterSecretStore"}, "dataFrom": [{"key": "all"}]}`)},
	{Name: "machine", Type: "vm", Runtime: "virtual-machine", Properties: []byte(`{"image": "example.com/machine:1"}`)},
	{Name: "more", Type: "raw", Properties: []byte(`{"objects": [
		{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "more"}},
		{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "more"},
		 "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}},
		{"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "more"},
		 "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "more"}}}}]}`)},
}

// sets are the objects of a tenant and its application. The cluster knows the kinds of all of them from now on.
func (in *installation) sets(t *testing.T) []render.Set {
	t.Helper()
	in.DefineExternalSecrets(t)
	in.DefineKubeVirt(t)
	in.DefineRoutes(t)
	fleet := in.fleet
	tenant := &model.Tenant{Name: fleet, Isolation: model.IsolationLocked, PodSecurity: model.PodSecurityRestricted, Quota: &model.Resources{CPU: 64_000, Memory: 64 << 30}}
	tenant.Policy = model.Policy{Namespace: "tenant", Kinds: kinds, Registries: []string{"example.com"}, Deletion: render.DeletionData}
	tenant.Policy.Rights, tenant.Policy.Existing.Gateways = []string{"get configmaps"}, []string{"infra/public"}
	tenant.Policy.Reading = []string{"list nodes"}
	app := &model.Application{ID: model.AppID{Tenant: fleet, Name: "all"}, Policy: &tenant.Policy, Commit: strings.Repeat("0", 40)}
	app.Lifecycle.Deletion = render.DeletionData
	inst := &model.Instance{App: app.ID, Number: 1, Phase: model.PhaseRunning, Spec: app}
	pool := model.PoolSpec{Name: clustertest.SharedPool, Selector: map[string]string{clustertest.PoolLabel: clustertest.SharedPool}}
	for _, c := range components {
		c.Runtime, c.OS, c.Critical = cmp.Or(c.Runtime, "container"), "linux", true
		if c.Runs() {
			c.Replicas, c.Requests = 1, model.Resources{CPU: 10, Memory: 16 << 20}
		}
		app.Components = append(app.Components, c)
		inst.Components = append(inst.Components, model.ComponentState{
			Grant: model.Grant{Component: c.Name, Replicas: c.Replicas, Requests: c.Requests, Pool: pool.Name}, Run: c.Replicas,
		})
	}
	rendered, err := render.Application(render.Input{Fleet: fleet, Instance: inst, Tenant: tenant, Pools: []model.PoolSpec{pool}})
	require.NoError(t, err)
	tenant.Access = &model.Access{Principals: []model.Principal{{Name: "bob"}}, Admins: []string{"bob"}}
	whole := render.Tenant(fleet, "", tenant, model.Occupancy{Apps: []model.AppID{app.ID}, Reads: inst.Reads()})
	whole.Readers = render.Readers("", nil, tenant, nil)
	all := []render.Set{whole, rendered}

	there := map[string]bool{}
	for _, s := range all {
		for _, o := range s.Objects {
			there[o.Object.GetKind()] = true
		}
	}
	for _, kind := range kinds {
		require.True(t, there[kind], "no component of the test brings a %s", kind)
	}
	return all
}

// TestRights runs the adapter under exactly the rights of the manifests, on every kind of object that it is for, and
// compares what it asked for with what it may.
func TestRights(t *testing.T) {
	in := install(t)
	asked := &requests{}
	config := rest.CopyConfig(in.config)
	config.Wrap(asked.Wrap)

	carrier, err := adapter.New(config, adapter.Options{Fleet: in.fleet, Patience: patience, TenantRole: in.role})
	require.NoError(t, err)
	defer carrier.Close()
	_, err = carrier.Inspect(t.Context(), &model.Platform{})
	require.NoError(t, err)
	wanted := in.sets(t)
	act := func(sets []render.Set) {
		report := carrier.Apply(t.Context(), sets)
		require.NoError(t, report.Err)
		for _, s := range report.Sets {
			require.True(t, s.OK(), "%+v", s)
		}
	}
	act(wanted)
	_, err = carrier.Inspect(t.Context(), &model.Platform{}) // of what its machines come to as well
	require.NoError(t, err)
	applier, err := apply.New(config, apply.Options{Fleet: in.fleet, Account: render.Account})
	require.NoError(t, err)
	defer applier.Close()
	require.NoError(t, applier.Again(t.Context(), &apply.Object{Ref: apply.Ref{Group: "kubevirt.io", Kind: "VirtualMachineInstance", Namespace: in.fleet, Name: "none"}}))

	// Somebody else changes everything: the adapter looks before it corrects.
	drift(t, in.Cluster, wanted)
	disturbed := map[model.AppID]bool{}
	require.Eventually(t, func() bool {
		for _, app := range carrier.Drifted() {
			disturbed[app] = true
		}
		return len(disturbed) == len(wanted)
	}, patience, 20*time.Millisecond)
	act(wanted)

	// The inventory of the tenant is hidden, so that the adapter looks whose it is.
	hide := []byte(`{"metadata": {"labels": {"` + render.LabelFleet + `": "hidden"}}}`)
	_, err = in.Clientset.CoreV1().ConfigMaps(in.fleet).Patch(t.Context(), "d-aros.tenant", types.MergePatchType, hide, metav1.PatchOptions{})
	require.ErrorContains(t, err, "set by D-AROS alone")
	require.NoError(t, in.Clientset.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings().Delete(t.Context(), in.fleet+"-labels", metav1.DeleteOptions{}))
	require.Eventually(t, func() bool {
		_, err := in.Clientset.CoreV1().ConfigMaps(in.fleet).Patch(t.Context(), "d-aros.tenant", types.MergePatchType, hide, metav1.PatchOptions{})
		return err == nil
	}, patience, 20*time.Millisecond)
	require.Eventually(t, func() bool {
		act(wanted)
		return asked.has(right{"", "configmaps", "get"})
	}, patience, 20*time.Millisecond)

	carrier.Event(t.Context(), &model.Instance{App: model.AppID{Tenant: in.fleet}, Spec: &model.Application{Policy: &model.Policy{}}}, announce.Event{Key: "l/acme/shop/1-1", Reason: "Ready", Text: "all is running"})
	require.Eventually(t, func() bool { return asked.has(right{"", "events", "create"}) }, patience, 20*time.Millisecond)

	// All of it goes, also the data of an application that ended for good: its owner wanted it so.
	for i := range wanted {
		wanted[i].Objects, wanted[i].DeleteData = nil, wanted[i].App.Name != ""
	}
	slices.Reverse(wanted)
	act(wanted)

	used := asked.uses()
	require.Empty(t, used.refused, "refused")
	compareWith(t, "d-aros-reconciler", in.reconciler, used.needed)
	compareWith(t, "d-aros-tenant", in.tenant, used.impersonated)
}

// compareWith compares the rights that a role gives with those that were needed.
func compareWith(t *testing.T, role string, rules []rbacv1.PolicyRule, needed map[right]bool) {
	t.Helper()
	may := granted(rules)
	for _, r := range slices.SortedFunc(maps.Keys(may), compareRights) {
		// A watch begins with a list where the API server does not stream what there is.
		listed := r.verb == "list" && needed[right{r.group, r.resource, "watch"}]
		if !needed[r] && !listed {
			t.Errorf("%s: %v is granted and not used", role, r)
		}
	}
	for _, r := range slices.SortedFunc(maps.Keys(needed), compareRights) {
		if !may[r] {
			t.Errorf("%s: %v is used and not granted: how did it pass?", role, r)
		}
	}
}

func compareRights(a, b right) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }

// drift changes a label of every object, which is how people disturb what is managed.
func drift(t *testing.T, cluster *clustertest.Cluster, sets []render.Set) {
	t.Helper()
	client, err := dynamic.NewForConfig(cluster.Config)
	require.NoError(t, err)
	groups, err := restmapper.GetAPIGroupResources(cluster.Clientset.Discovery())
	require.NoError(t, err)
	mapper := restmapper.NewDiscoveryRESTMapper(groups)
	change := []byte(`{"metadata": {"labels": {"` + render.LabelManagedBy + `": "somebody-else"}}}`)
	for _, s := range sets {
		for _, o := range s.Objects {
			kind := o.Object.GroupVersionKind()
			mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
			require.NoError(t, err)
			_, err = client.Resource(mapping.Resource).Namespace(o.Object.GetNamespace()).
				Patch(t.Context(), o.Object.GetName(), types.MergePatchType, change, metav1.PatchOptions{})
			require.NoError(t, err)
		}
	}
}
