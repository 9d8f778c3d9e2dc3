package apply

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
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
	encoded := func(v map[string]any) gjson.Result { return gjson.ParseBytes(encode(v)) }
	require.Equal(t, string(encode(want)), string(heldPart(encoded(live), encoded(held))))
	require.Equal(t, string(encode(live)), string(heldPart(encoded(live), gjson.Result{})), "all of it")
}

// TestEqualPartsHaveEqualEncodings: whatever order the API server tells fields in, and however it writes texts.
func TestEqualPartsHaveEqualEncodings(t *testing.T) {
	held := gjson.Parse(`{"f:spec":{"f:a":{},"f:list":{"k:{\"name\":\"w<\",\"port\":80}":{".":{},"f:x":{}},"i:0":{"f:y":{}}},"f:gone":{},"f:half":{".":{}}}}`)
	want := `{"spec":{"a":{"b":[1,0.5,null,true],"c":"\u003c\""},"half":{},"list":[{"y":1},{"x":"é"}]}}`
	for _, live := range []string{
		`{"spec":{"a":{"b":[1,0.5,null,true],"c":"<\""},"half":{"z":1},"list":[{"y":1,"z":2},{"name":"w<","port":80,"x":"é"},{"name":"w<","port":81,"x":1}]},"other":1}`,
		`{"other":1, "spec": {"list":[{"z":2,"y":1},{"x":"\u00e9","port":80,"name":"w\u003c"}],"half":{},"a":{"c":"\u003c\"","b":[1,0.5,null,true]}}}`,
	} {
		require.Equal(t, want, string(heldPart(gjson.Parse(live), held)))
	}
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
		inv := readInventory(map[string]string{key: ""}, "")
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
		again := readInventory(texts(gjson.GetBytes(encode(body), "data")), "")
		require.True(t, again.same(written), "%+v", again)
	})
}
