package apply

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/d-aros/d-aros/pkg/model"
)

func parse(t *testing.T, s string) map[string]any {
	t.Helper()
	b, err := yaml.YAMLToJSON([]byte(s))
	require.NoError(t, err)
	m := map[string]any{}
	require.NoError(t, utiljson.Unmarshal(b, &m))
	return m
}

func TestProjectionIsWhatWeHold(t *testing.T) {
	live := parse(t, `
spec:
  replicas: 3
  containers:
  - {name: injected, image: sidecar}
  - {name: web, image: shop, env: [{name: A, value: b}, {name: OTHER, value: c}]}
  finalizers: [mine, theirs]
  empty: {}
`)
	held := parse(t, `
"f:spec":
  "f:containers":
    'k:{"name":"web"}': {".": {}, "f:name": {}, "f:image": {}, "f:env": {'k:{"name":"A"}': {".": {}, "f:name": {}, "f:value": {}}}}
  "f:finalizers": {'v:"mine"': {}}
  "f:empty": {}
  "f:gone": {}
`)
	want := parse(t, `{spec: {containers: [{name: web, image: shop, env: [{name: A, value: b}]}], finalizers: [mine], empty: {}}}`)
	require.Equal(t, want, project(live, held))
}

func TestComparisonIsTheAPIs(t *testing.T) {
	for _, c := range []struct{ name, want, live, differs string }{
		{"same", "{spec: {a: 1}}", "{spec: {a: 1, b: 2}}", ""},
		{"quantities", "{spec: {requests: {cpu: 1000m, memory: 0.5Gi}}}", "{spec: {requests: {cpu: '1', memory: 512Mi}}}", ""},
		{"quantities differ", "{spec: {requests: {cpu: 1001m}}}", "{spec: {requests: {cpu: '1'}}}", "spec.requests.cpu"},
		{"data is no quantity", "{data: {limit: '1.0'}}", "{data: {limit: '1'}}", "data.limit"},
		{"absent is zero", "{spec: {a: 0, b: false, c: '', d: {}, e: []}}", "{spec: {}}", ""},
		{"absent is not one", "{spec: {a: 1}}", "{spec: {}}", "spec.a"},
		{"list items by key", "{spec: {env: [{name: A, value: x}, {name: B, value: y}]}}",
			"{spec: {env: [{name: B, value: y}, {name: A, value: z}]}}", "spec.env[name=A].value"},
		{"list shorter", "{spec: {args: [a, b]}}", "{spec: {args: [a]}}", "spec.args"},
		{"list longer", "{spec: {args: [a]}}", "{spec: {args: [a, b]}}", "spec.args"},
		{"labels", "{metadata: {name: x, labels: {a: b}}}", "{metadata: {name: y, labels: {a: c}}}", "metadata.labels.a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := comparison{exact: true}
			got.object(parse(t, c.want), parse(t, c.live), nil)
			var paths []string
			for _, d := range got.found {
				paths = append(paths, d.Path)
			}
			require.Equal(t, c.differs, strings.Join(paths, ","))
		})
	}
}

// FuzzInventory reads inventories that anybody may have written: whatever is
// read can be written again as the same.
func FuzzInventory(f *testing.F) {
	f.Add("ns_name_apps_Deployment")
	f.Add("_name__Namespace")
	f.Add("ns_a__b_rbac.authorization.k8s.io_Role")
	f.Fuzz(func(t *testing.T, key string) {
		inv := readInventory(&unstructured.Unstructured{Object: map[string]any{"data": map[string]any{key: ""}}})
		if inv.corrupt {
			require.Empty(t, inv.refs)
			return
		}
		require.Len(t, inv.refs, 1)
		written := &inventory{refs: inv.refs, uids: []string{"uid"}, adopted: map[Ref]string{inv.refs[0]: "keep"}}
		body, err := written.object("f", model.AppID{Tenant: "t", Name: "a"}, Ref{Namespace: "ns", Name: "i"})
		if err != nil {
			return
		}
		again := readInventory(&unstructured.Unstructured{Object: body})
		require.True(t, again.same(written), "%+v", again)
	})
}
