package kubernetes

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
)

// TestWhatDefinitionsSee: what is reported of the objects of a component that a definition judges, by kind and name, in
// bounds; nothing of its spec, where secrets may stand, and nothing of other components.
func TestWhatDefinitionsSee(t *testing.T) {
	object := func(name, annotations, status string) *apply.Object {
		var u unstructured.Unstructured
		require.NoError(t, yaml.Unmarshal([]byte("apiVersion: example.com/v1\nkind: Cluster\nmetadata: {name: "+name+", generation: 2, annotations: {"+annotations+"}}\nspec: {password: hunter2}\nstatus: "+status), &u.Object))
		return &apply.Object{Ref: apply.Ref{Group: "example.com", Kind: "Cluster", Namespace: "acme", Name: name}, Component: "db", Workload: "d.2",
			Summary: summarize(numbers(t, &u))}
	}
	const judged = "d-aros.dev/judged-by: database"
	app := model.AppID{Tenant: "acme", Name: "shop"}
	list := workloads(app, []*apply.Object{object("b", judged, "{phase: Healthy}"), object("a", judged, "{observedGeneration: 1}")})
	require.Len(t, list, 1)
	require.JSONEq(t, `{"replicas": 1, "ready": 0, "current": false, "Cluster": [
		{"name": "a", "generation": 2, "current": false, "status": {"observedGeneration": 1}},
		{"name": "b", "generation": 2, "current": true, "status": {"phase": "Healthy"}}]}`, string(list[0].Live))

	require.Nil(t, workloads(app, []*apply.Object{object("a", "a: b", "{phase: Healthy}")})[0].Live)

	large := "{phase: " + strings.Repeat("x", maxReported) + "}"
	require.JSONEq(t, `{"replicas": 1, "ready": 0, "current": false, "Cluster": [{"name": "a", "generation": 2, "current": true, "status": {}}]}`,
		string(workloads(app, []*apply.Object{object("a", judged, large)})[0].Live))

	var many []*apply.Object
	for range 100 {
		many = append(many, object("a", judged, large[:maxReported/2]+"}"))
	}
	require.Less(t, len(workloads(app, many)[0].Live), maxLive+1000)
}
