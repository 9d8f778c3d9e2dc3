package apply_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/test/clustertest"
)

// patience is how long a test waits for a shared cluster under load.
const patience = 2 * time.Minute

// fixture is one tenant of a fleet of its own on the cluster.
type fixture struct {
	*clustertest.Cluster
	t       testing.TB
	fleet   string // also the tenant and its namespace
	dynamic dynamic.Interface
}

func setup(t testing.TB) *fixture {
	cl := clustertest.Start(t)
	dc, err := dynamic.NewForConfig(cl.Config)
	require.NoError(t, err)
	return &fixture{Cluster: cl, t: t, fleet: cl.Prefix(t), dynamic: dc}
}

// applier starts a new one, as after a restart.
func (f *fixture) applier() *apply.Applier {
	return f.applierFor(f.Config)
}

func (f *fixture) applierFor(cfg *rest.Config) *apply.Applier {
	return f.applierWith(cfg, apply.Options{Fleet: f.fleet, Patience: patience})
}

func (f *fixture) applierWith(cfg *rest.Config, opts apply.Options) *apply.Applier {
	a, err := apply.New(cfg, opts)
	require.NoError(f.t, err)
	f.t.Cleanup(a.Close)
	return a
}

// apply applies sets and demands that all went well.
func (f *fixture) apply(a *apply.Applier, sets ...render.Set) apply.Report {
	f.t.Helper()
	r := a.Apply(f.t.Context(), sets)
	require.NoError(f.t, r.Err)
	for i := range r.Sets {
		for _, res := range r.Sets[i].Results {
			require.NotEqual(f.t, apply.Failed, res.Action, "%s: %s", res.Ref, res.Message)
		}
		require.True(f.t, r.Sets[i].OK(), "%+v", r.Sets[i])
	}
	return r
}

// tenant is the set of the tenant: its namespace.
func (f *fixture) tenant() render.Set {
	return f.set("", "{apiVersion: v1, kind: Namespace, metadata: {name: "+f.fleet+"}}")
}

// set makes a set of manifests; the labels and the digest that rendering gives
// are added.
func (f *fixture) set(app string, manifests ...string) render.Set {
	s := render.Set{App: model.AppID{Tenant: f.fleet, Name: app}, Namespace: f.fleet}
	for _, m := range manifests {
		s.Objects = append(s.Objects, f.object(app, m))
	}
	return s.Compact() // as a Runtime gives them
}

func (f *fixture) object(app, manifest string) render.Object {
	u := &unstructured.Unstructured{}
	b, err := yaml.YAMLToJSON([]byte(manifest))
	require.NoError(f.t, err, manifest)
	require.NoError(f.t, u.UnmarshalJSON(b), manifest)
	stage := render.StageScope
	if k := u.GetKind(); k != "Namespace" && k != "CustomResourceDefinition" {
		stage = render.StageWorkload
		u.SetNamespace(f.fleet)
	}
	f.label(u, app)
	return seal(f.t, render.Object{Component: u.GetName(), Object: u, Stage: stage})
}

func (f *fixture) label(u *unstructured.Unstructured, app string) {
	labels := map[string]string{render.LabelFleet: f.fleet, render.LabelTenant: f.fleet, render.LabelComponent: u.GetName()}
	if app != "" {
		labels[render.LabelApplication] = app
	}
	for k, v := range u.GetLabels() {
		labels[k] = v
	}
	u.SetLabels(labels)
	template, ok, _ := unstructured.NestedMap(u.Object, "spec", "template", "metadata")
	if ok {
		all, _, _ := unstructured.NestedStringMap(template, "labels")
		for k, v := range labels {
			all[k] = v
		}
		require.NoError(f.t, unstructured.SetNestedStringMap(u.Object, all, "spec", "template", "metadata", "labels"))
	}
}

// seal computes what follows from the content of an object.
func seal(t testing.TB, o render.Object) render.Object {
	annotations := o.Object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	delete(annotations, render.AnnotationApplied)
	o.Object.SetAnnotations(annotations)
	annotations[render.AnnotationApplied] = string(model.DigestOf(o.Object.Object))
	o.Object.SetAnnotations(annotations)
	var err error
	o.JSON, err = json.Marshal(o.Object.Object)
	require.NoError(t, err)
	o.Digest = model.DigestOf(json.RawMessage(o.JSON))
	return o
}

func configMap(name, value string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s}, data: {key: %q}}", name, value)
}

func deployment(name, image, more string) string {
	return fmt.Sprintf(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: %[1]s}
spec:
  %[3]s
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata: {labels: {app: %[1]s}}
    spec:
      nodeSelector: {d-aros.dev/pool: general}
      containers:
      - name: web
        image: %[2]s
        ports: [{containerPort: 8080}]
        env: [{name: A, value: b}, {name: POD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]
        resources: {requests: {cpu: 1000m, memory: 64Mi}, limits: {memory: 0.5Gi}}
        volumeMounts: [{name: tmp, mountPath: /tmp}]
      volumes: [{name: tmp, emptyDir: {}}]
`, name, image, more)
}

var (
	configMaps   = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	secrets      = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	claims       = schema.GroupVersionResource{Version: "v1", Resource: "persistentvolumeclaims"}
	crds         = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	deployments  = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	statefulSets = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "statefulsets"}
)

func (f *fixture) get(r schema.GroupVersionResource, name string) *unstructured.Unstructured {
	f.t.Helper()
	u, err := f.dynamic.Resource(r).Namespace(f.fleet).Get(f.t.Context(), name, metav1.GetOptions{})
	require.NoError(f.t, err)
	return u
}

// versions are the resource versions of everything in the namespace that was
// applied, by kind and name; the generations of what a controller gives a status.
func (f *fixture) versions() map[string]string {
	f.t.Helper()
	all := map[string]string{}
	for _, r := range []schema.GroupVersionResource{configMaps, secrets, claims, deployments} {
		list, err := f.dynamic.Resource(r).Namespace(f.fleet).List(f.t.Context(), metav1.ListOptions{LabelSelector: render.LabelFleet})
		require.NoError(f.t, err)
		for _, u := range list.Items {
			all[r.Resource+"/"+u.GetName()] = u.GetResourceVersion()
			if n := u.GetGeneration(); n > 0 {
				all[r.Resource+"/"+u.GetName()] = fmt.Sprint("generation ", n)
			}
		}
	}
	return all
}

// eventually waits for a condition.
func (f *fixture) eventually(condition func() bool, what string) {
	f.t.Helper()
	require.Eventually(f.t, condition, patience, 20*time.Millisecond, what)
}

// settles waits for a pass that asks the cluster for nothing: until the watch has
// told what is gone, a pass may look for it.
func (f *fixture) settles(a *apply.Applier, sets ...render.Set) {
	f.t.Helper()
	f.eventually(func() bool {
		r := a.Apply(f.t.Context(), sets)
		failed := func(s apply.SetReport) bool { return !s.OK() }
		return r.Err == nil && r.Requests == apply.Requests{} && !slices.ContainsFunc(r.Sets, failed)
	}, "a pass without requests")
}

// drifts waits until the watch tells that the application drifted.
func (f *fixture) drifts(a *apply.Applier, app string) {
	f.t.Helper()
	f.eventually(func() bool {
		return slices.Contains(a.Live().Drifted(), model.AppID{Tenant: f.fleet, Name: app})
	}, "drift of "+app)
}

func actions(r apply.Report, app string) map[string]apply.Action {
	found := map[string]apply.Action{}
	for _, s := range r.Sets {
		if s.App.Name == app {
			for _, o := range s.Results {
				found[o.Kind+"/"+o.Name] = o.Action
			}
		}
	}
	return found
}

// count returns how many objects had the action.
func count(r apply.Report, a apply.Action) (n int) {
	for i := range r.Sets {
		for j := range r.Sets[i].Results {
			if r.Sets[i].Results[j].Action == a {
				n++
			}
		}
	}
	return n
}
