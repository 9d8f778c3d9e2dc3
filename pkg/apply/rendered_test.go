package apply_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/test/clustertest"
)

// TestRenderedObjectsSettle applies what the renderer makes of every type of
// component: the second pass, and the first after a restart, send nothing.
func TestRenderedObjectsSettle(t *testing.T) {
	f := setup(t)
	type component struct{ name, kind, properties, traits string }
	app := model.Application{ID: model.AppID{Tenant: f.fleet, Name: "shop"}, Commit: "1111111111111111111111111111111111111111",
		Policy: &model.Policy{Namespace: "tenant", StartDeadline: 10 * time.Minute}}
	pool := model.PoolSpec{Name: clustertest.SharedPool, Selector: map[string]string{clustertest.PoolLabel: clustertest.SharedPool}}
	var states []model.ComponentState
	for _, c := range []component{
		{"batch", "job", `{"image": "b:1", "backoffLimit": 1, "completions": 2}`, ""},
		{"daemon", "daemon", `{"image": "d:1"}`, ""},
		{"db", "store", `{"image": "db:1", "ports": [{"port": 5432}]}`,
			`{"storage": [{"name": "data", "type": "persistent", "mountPath": "/data", "size": "1.5Gi"}]}`},
		{"key", "secret", `{"data": {"password": "hunter2"}}`, ""},
		{"nightly", "cron", `{"image": "c:1", "schedule": "0 3 * * *", "timeZone": "Europe/Berlin"}`, ""},
		{"settings", "config", `{"data": {"limits": "1.0"}}`, ""},
		{"web", "webservice", `{"image": "w:1", "args": ["-v"], "ports": [{"port": 80, "targetPort": 8080}],
			"env": {"A": "b", "POD": {"field": "metadata.name"}, "P": {"secret": {"name": "key", "key": "password"}}}}`,
			`{"ingress": [{"host": "shop.example.com", "port": 80}], "envFrom": [{"config": "settings"}],
			  "probes": {"readiness": {"http": {"path": "/", "port": 8080}, "period": "5s"}},
			  "storage": [{"name": "tmp", "type": "ephemeral", "mountPath": "/tmp", "size": "1024Mi"}]}`},
		{"worker", "worker", `{"image": "w:1"}`, `{"autoscale": {"min": 1, "max": 3, "cpu": 80}}`},
	} {
		mc := model.Component{Name: c.name, Type: c.kind, Runtime: "container", OS: "linux", Replicas: 3, QoS: model.Burstable,
			Requests: model.Resources{CPU: 1500, Memory: 3 << 29}, Limits: model.Resources{Memory: 1 << 31}, Properties: json.RawMessage(c.properties)}
		if c.traits != "" {
			mc.Traits = json.RawMessage(c.traits)
		}
		app.Components = append(app.Components, mc)
		states = append(states, model.ComponentState{Run: 3, State: model.StateStarting,
			Grant: model.Grant{Component: c.name, Replicas: 3, Requests: mc.Requests, QoS: mc.QoS, Pool: pool.Name}})
	}
	app = app.Seal()
	quota := model.Resources{CPU: 64000, Memory: 256 << 30}
	tenant := &model.Tenant{Name: f.fleet, Policy: *app.Policy, Quota: &quota}
	shop, err := render.Application(render.Input{Fleet: f.fleet, Tenant: tenant, Pools: []model.PoolSpec{pool},
		Instance: &model.Instance{App: app.ID, Number: 1, Spec: &app, Components: states}})
	require.NoError(t, err)
	sets := []render.Set{render.Tenant(f.fleet, "", tenant, model.Occupancy{Apps: []model.AppID{app.ID}}), shop}

	a := f.applier()
	f.apply(a, sets...)
	again := f.apply(a, sets...)
	require.Equal(t, apply.Requests{}, again.Requests, "%+v", again)
	restarted := f.apply(f.applier(), sets...)
	require.Equal(t, apply.Requests{}, restarted.Requests, "%+v", restarted)

	// Somebody else's labels and scaling do not matter.
	_, err = f.dynamic.Resource(deployments).Namespace(f.fleet).Patch(t.Context(), "shop-worker", types.MergePatchType,
		[]byte(`{"metadata": {"labels": {"mine": "yes"}}, "spec": {"replicas": 2}}`), metav1.PatchOptions{FieldManager: "autoscaler"})
	require.NoError(t, err)
	restarted = f.apply(f.applier(), sets...)
	require.Equal(t, apply.Requests{}, restarted.Requests, "%+v", restarted)
}
