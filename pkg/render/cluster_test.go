package render

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/manifest"
	"github.com/d-aros/d-aros/test/clustertest"
)

// taker returns how to apply an object to a cluster.
func taker(t *testing.T, cluster *clustertest.Cluster) func(Object, metav1.PatchOptions) error {
	client, err := dynamic.NewForConfig(cluster.Config)
	require.NoError(t, err)
	disco, err := discovery.NewDiscoveryClientForConfig(cluster.Config)
	require.NoError(t, err)
	groups, err := restmapper.GetAPIGroupResources(disco)
	require.NoError(t, err)
	mapper := restmapper.NewDiscoveryRESTMapper(groups)

	return func(o Object, options metav1.PatchOptions) error {
		gvk := o.Object.GroupVersionKind()
		m, err := mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
		if meta.IsNoMatchError(err) {
			return nil // of a controller that the cluster does not have
		}
		require.NoError(t, err)
		var resource dynamic.ResourceInterface = client.Resource(m.Resource)
		if m.Scope.Name() == meta.RESTScopeNameNamespace {
			resource = client.Resource(m.Resource).Namespace(o.Object.GetNamespace())
		}
		options.FieldManager, options.FieldValidation = "render-test", metav1.FieldValidationStrict
		_, err = resource.Patch(t.Context(), o.Object.GetName(), types.ApplyPatchType, o.JSON, options)
		return err
	}
}

// TestClusterTakes: the API server takes every object of every golden case as it
// is, and knows every field of it.
func TestClusterTakes(t *testing.T) {
	inputs := goldens(t)
	cluster := clustertest.Start(t)
	cluster.DefineKubeVirt(t)
	cluster.DefineRoutes(t)
	apply := taker(t, cluster)
	prefix := cluster.Prefix(t) + "-"
	tenant := &model.Tenant{Name: "acme", Quota: &model.Resources{CPU: 64000, Memory: 256 << 30}, Policy: model.Policy{Namespace: "application"}}
	for _, o := range Tenant("render", prefix, tenant, model.Occupancy{Apps: []model.AppID{{Tenant: "acme", Name: "shop"}}}).Objects {
		require.NoError(t, apply(o, metav1.PatchOptions{}), manifest.Identity(o.Object))
	}
	for name, input := range inputs {
		t.Run(name, func(t *testing.T) {
			in := input()
			in.Prefix, in.Instance.Spec.Policy.Namespace = prefix, "application"
			set, err := Application(in)
			require.NoError(t, err)
			for _, o := range set.Objects {
				if !o.Keep {
					require.NoError(t, apply(o, metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}}), manifest.Identity(o.Object))
				}
			}
		})
	}
}
