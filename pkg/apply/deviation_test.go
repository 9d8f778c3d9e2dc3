package apply_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// TestDeviations: a field and an object that are not wanted any more deviate, and so does what
// is being deleted. What is as wanted does not, and nothing is changed.
func TestDeviations(t *testing.T) {
	f := setup(t)
	a := f.applier()
	before := f.set("shop",
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {a: '1', b: '2'}}", configMap("old", "1"), configMap("same", "1"),
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: held, finalizers: [example.com/wait]}, data: {key: '1'}}")
	f.apply(a, f.tenant(), before)
	found, err := a.Deviations(t.Context(), []render.Set{before})
	require.NoError(t, err)
	require.Empty(t, found)

	f.delete(configMaps, "held")
	defer f.patch(configMaps, "held", `{"metadata":{"finalizers":null}}`)
	after := f.set("shop", "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {a: '1'}}", configMap("same", "1"),
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: held, finalizers: [example.com/wait]}, data: {key: '1'}}", configMap("new", "1"))
	found, err = a.Deviations(t.Context(), []render.Set{after})
	require.NoError(t, err)
	app := model.AppID{Tenant: f.fleet, Name: "shop"}
	require.Equal(t, []model.Deviation{
		{App: app, Kind: "ConfigMap", Namespace: f.fleet, Name: "settings", State: model.DeviationDiffers,
			Fields: []model.Deviating{{Path: "data.b", Live: "2", Manager: apply.FieldManager}}},
		{App: app, Kind: "ConfigMap", Namespace: f.fleet, Name: "held", State: model.DeviationLeaving},
		{App: app, Kind: "ConfigMap", Namespace: f.fleet, Name: "new", State: model.DeviationMissing},
		{App: app, Kind: "ConfigMap", Namespace: f.fleet, Name: "old", State: model.DeviationUnwanted},
	}, found)
	now := f.get(configMaps, "settings")
	require.Equal(t, map[string]any{"a": "1", "b": "2"}, now.Object["data"])
}
