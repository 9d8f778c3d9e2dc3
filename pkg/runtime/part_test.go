package runtime

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestParts: a part is of the spec that has it as it runs, has the grant that its objects are told, and keeps as it is what is not
// known; the job of a step runs in a pool of the runtime.
func TestParts(t *testing.T) {
	app := model.AppID{Tenant: "acme", Name: "shop"}
	spec := func(image string) *model.Application {
		s := model.Application{ID: app, Components: []model.Component{
			{Name: "load", Type: "job", Runtime: "wasm", Replicas: 1},
			{Name: "web", Type: "worker", Runtime: "wasm", Replicas: 2, Properties: []byte(`{"module":"` + image + `"}`)},
		}}.Seal()
		return &s
	}
	was, is := spec("old.wasm"), spec("new.wasm")
	old, _ := was.Component("web")
	newer, _ := is.Component("web")
	told := model.Resources{CPU: 100}
	a := Assignment{
		App: app, Platform: &model.Platform{Pools: []model.PoolSpec{{Name: "general", Runtimes: []string{"container"}}, {Name: "modules", Runtimes: []string{"wasm"}}}},
		Instance: &model.Instance{App: app, Phase: model.PhaseRunning, Spec: is, Previous: was},
		Components: []Component{{Component: old, Want: Running, State: model.ComponentState{
			Run: 2, Spec: old.Content(app), Workload: "w", Grant: model.Grant{Component: "web", Requests: model.Resources{CPU: 300}, Told: &told},
			Beside: &model.Beside{Spec: newer.Content(app), Workload: "x", Run: 1},
		}}},
		Jobs: []Job{{Key: "run/load", Component: "load", Spec: is.Release}, {Key: "run/gone", Component: "load", Spec: "unknown"}},
	}
	parts := a.Parts("wasm")
	require.Len(t, parts, 4)
	web, beside, load, gone := parts[0], parts[1], parts[2], parts[3]
	require.Equal(t, was.Release, web.Spec.Release)
	require.Equal(t, told, web.Grant.Requests)
	require.Equal(t, 2, web.Replicas)
	require.Equal(t, model.PartKey{App: app, Component: "web", Beside: true}, beside.PartKey)
	require.Equal(t, is.Release, beside.Spec.Release)
	require.False(t, beside.Keep)
	require.Equal(t, "modules", load.Grant.Pool)
	require.Equal(t, 1, load.Replicas)
	require.True(t, gone.Keep)
	require.Nil(t, gone.Spec)
}
