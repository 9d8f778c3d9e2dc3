package traits

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
	"sigs.k8s.io/yaml"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/test/clustertest"
	"github.com/d-aros/d-aros/test/inprocess"
)

// files are a fleet: that of the examples of docs/errors.md, with an example of a trait.
type files struct{ fstest.MapFS }

// Digest identifies what the tree has at name and below.
func (f files) Digest(name string) (string, error) {
	below := map[string][]byte{}
	for at, file := range f.MapFS {
		if at == name || name == "." || strings.HasPrefix(at, name+"/") {
			below[at] = file.Data
		}
	}
	return string(model.DigestOf(below)), nil
}

// allowed is what the examples need of policy.
const allowed = `package fleet

platform: policy: {
	existing: {configs: ["shop-*"], claims: ["media"], gateways: ["infra/public"]}
	rights: ["read pods", "get configmaps", "update configmaps"]
	clusterRights: ["list nodes"]
}
`

// rendered evaluates the example of a trait and renders it, as granted.
func (f fragment) rendered(t *testing.T, prefix string) render.Set {
	base, err := txtar.ParseFile("../../pkg/evaluate/testdata/base.txtar")
	require.NoError(t, err)
	tree := files{fstest.MapFS{}}
	for _, file := range append(base.Files, txtar.File{Name: "allowed.cue", Data: []byte(allowed)}, txtar.File{
		Name: "tenants/acme/apps/shop/" + strings.ToLower(f.Name) + ".cue", Data: []byte("package fleet\n\n" + f.example),
	}) {
		tree.MapFS[file.Name] = &fstest.MapFile{Data: file.Data, Mode: fs.FileMode(0o644)}
	}
	fleet := evaluate.Through(inprocess.By[evaluate.Worker]()).Fleet("1111111111111111111111111111111111111111", tree, nil)
	require.Empty(t, fleet.Problems, "the example is accepted")
	app := fleet.Applications[0]
	require.Contains(t, string(allTraits(app)), `"`+f.Name+`"`, "the example has the trait")
	instance := &model.Instance{App: app.ID, Number: 1, Spec: app, Phase: model.PhaseRunning}
	for i := range app.Components {
		c := &app.Components[i]
		instance.Components = append(instance.Components, model.ComponentState{
			Grant: model.Grant{Component: c.Name, Replicas: c.Replicas, Requests: c.Requests, QoS: c.QoS},
			Run:   c.Replicas, Spec: c.Content(app.ID),
		})
	}
	tenant := &fleet.Tenants[0]
	require.Equal(t, "acme", tenant.Name)
	set, err := render.Application(render.Input{Fleet: "example", Prefix: prefix, Instance: instance, Tenant: tenant})
	require.NoError(t, err)
	return set
}

func allTraits(app *model.Application) (all []byte) {
	for _, c := range app.Components {
		all = append(all, c.Traits...)
	}
	return all
}

// objects are those that the example renders to, as text, without what all objects have.
func (f fragment) objects(t *testing.T) (text string) {
	for _, o := range f.rendered(t, "").Objects {
		if o.Object.GetKind() == "NetworkPolicy" {
			continue // of the tenant's isolation
		}
		object := o.Object.DeepCopy().Object
		withoutSystem(object)
		y, err := yaml.Marshal(object)
		require.NoError(t, err)
		text += "---\n" + string(y)
	}
	return strings.TrimPrefix(text, "---\n")
}

// withoutSystem removes the labels and annotations of D-AROS, and selectors by them.
func withoutSystem(v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			if strings.HasPrefix(key, render.Domain) || strings.HasPrefix(key, "app.kubernetes.io/") {
				delete(v, key)
				continue
			}
			withoutSystem(inner)
			if m, ok := inner.(map[string]any); ok && len(m) == 0 {
				delete(v, key)
			}
		}
	case []any:
		for _, inner := range v {
			withoutSystem(inner)
		}
	}
}

// TestClusterTakesExamples: the API server takes what the example of each trait renders to, and knows every field of it.
func TestClusterTakesExamples(t *testing.T) {
	cluster := clustertest.Start(t)
	cluster.DefineRoutes(t)
	prefix := cluster.Prefix(t) + "-"
	client, err := dynamic.NewForConfig(cluster.Config)
	require.NoError(t, err)
	groups, err := restmapper.GetAPIGroupResources(cluster.Clientset.Discovery())
	require.NoError(t, err)
	mapper := restmapper.NewDiscoveryRESTMapper(groups)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: prefix + "acme-shop"}}
	_, err = cluster.Clientset.CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{})
	require.NoError(t, err)
	options := metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}, FieldManager: "traits-test", FieldValidation: metav1.FieldValidationStrict}
	for _, f := range fragments(t) {
		t.Run(f.Name, func(t *testing.T) {
			for _, o := range f.rendered(t, prefix).Objects {
				gvk := o.Object.GroupVersionKind()
				m, err := mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
				require.NoError(t, err)
				_, err = client.Resource(m.Resource).Namespace(namespace.Name).Patch(t.Context(), o.Object.GetName(), types.ApplyPatchType, o.JSON, options)
				require.NoError(t, err, "%s %s", gvk.Kind, o.Object.GetName())
			}
		})
	}
}
