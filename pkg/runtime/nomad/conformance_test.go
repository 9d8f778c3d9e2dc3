package nomad

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/test/nomadtest"
	"github.com/d-aros/d-aros/test/runtimetest"
)

var platform = &model.Platform{Pools: []model.PoolSpec{{Name: "nomads", Runtimes: []string{"nomad"}, OS: []string{"linux"}}}}

// open opens an adapter over a server.
func open(t testing.TB, address string) *Runtime {
	r, err := New(Options{Address: address, Fleet: "fleet", Pause: 10 * time.Millisecond})
	require.NoError(t, err)
	t.Cleanup(r.Close)
	return r
}

// TestConformance holds the adapter to the contract of all runtimes, over a server that does as the API
// of Nomad is documented.
func TestConformance(t *testing.T) {
	s := nomadtest.New()
	address := s.Start(t)
	runtimetest.Run(t, runtimetest.Subject{
		Open: func(t testing.TB) runtime.Adapter { return open(t, address) },
		Behind: func(t testing.TB) (runtime.Adapter, func(bool)) {
			var away atomic.Bool
			behind := nomadtest.New()
			behind.Before = func(*http.Request) bool { return !away.Load() }
			return open(t, behind.Start(t)), away.Store
		},
		Tenant: model.Tenant{Name: "acme"}, Platform: platform,
		Registries: []string{"ghcr.io/acme"},
		Program:    component("ghcr.io/acme/shop:1"),
		Crashing:   []byte(`{"image":"ghcr.io/acme/shop:1","command":["exit"],"args":["3"]}`), ExitCode: 3,
		Interfere: func(t testing.TB, app model.AppID, component string) {
			s.Lock()
			defer s.Unlock()
			j := s.Jobs[app.Tenant+"/"+app.Name+"."+component]
			require.NotNil(t, j)
			j["TaskGroups"].([]any)[0].(map[string]any)["Count"] = float64(7)
			s.Change()
			j["JobModifyIndex"] = float64(s.Index)
		},
	})
}

// component is one whose image policy allows.
func component(image string) model.Component {
	return model.Component{
		Name: "web", Type: "worker", Runtime: "nomad", OS: "linux", Replicas: 1, Requests: model.Resources{CPU: 10, Memory: 16 << 20}, QoS: model.Burstable,
		Properties: fmt.Appendf(nil, `{"image":%q}`, image),
	}
}

var shop = model.AppID{Tenant: "acme", Name: "shop"}

// assign wants replicas of some components.
func assign(app model.AppID, replicas int, names ...string) runtime.Assignment {
	spec := &model.Application{ID: app, Policy: &model.Policy{Registries: []string{"ghcr.io/acme"}}}
	for _, name := range names {
		c := component("ghcr.io/acme/shop:1")
		c.Name = name
		spec.Components = append(spec.Components, c)
	}
	a := runtime.Assignment{App: app, Instance: &model.Instance{App: app, Phase: model.PhaseScheduled, Spec: spec}, Platform: platform}
	for i := range spec.Components {
		c := &spec.Components[i]
		state := model.ComponentState{Run: replicas, Workload: model.Digest(c.Name), Grant: model.Grant{Component: c.Name, Replicas: replicas, Pool: "nomads", Requests: c.Requests}}
		a.Instance.Components = append(a.Instance.Components, state)
		a.Components = append(a.Components, runtime.Component{Component: c, Want: runtime.Running, State: state})
	}
	return a
}

// TestCrashAnywhere: a process that ends after any number of its requests, before or after the server
// took the last one in, is followed by one that makes all of it whole, once.
func TestCrashAnywhere(t *testing.T) {
	whole := nomadtest.New()
	open(t, whole.Start(t)).Act(t.Context(), []runtime.Assignment{assign(shop, 2, "a", "b", "c")})
	want := len(whole.Jobs)
	require.Equal(t, 3, want)
	for last := range 9 {
		for _, taken := range []bool{false, true} {
			s := nomadtest.New()
			ctx, kill := context.WithCancel(t.Context())
			var n atomic.Int32
			s.Before = func(r *http.Request) bool {
				if r.URL.Query().Has("wait") || ctx.Err() != nil && !taken {
					return ctx.Err() == nil
				}
				if int(n.Add(1)) == last+1 {
					kill()
					return taken
				}
				return true
			}
			dead := open(t, s.Start(t))
			dead.Act(ctx, []runtime.Assignment{assign(shop, 2, "a", "b", "c")})
			kill()
			dead.Close()
			s.Lock()
			s.Before = nil
			s.Unlock()
			next := open(t, s.Start(t))
			report := next.Act(t.Context(), []runtime.Assignment{assign(shop, 2, "a", "b", "c")})
			require.NoError(t, report.Err)
			require.True(t, report.Outcomes[0].OK(), "%+v", report)
			for name, j := range s.Jobs {
				require.Zero(t, j["Version"], "%s was registered twice", name)
			}
			require.Len(t, s.Jobs, want)
			require.Empty(t, next.Act(t.Context(), []runtime.Assignment{assign(shop, 2, "a", "b", "c")}).Outcomes[0].Results)
		}
	}
}

// TestTouchesNothingOfOthers: jobs and namespaces without the meta of the fleet stay, and so do
// those of another fleet.
func TestTouchesNothingOfOthers(t *testing.T) {
	s := nomadtest.New()
	s.Namespaces["acme"] = map[string]any{"Name": "acme", "Meta": map[string]any{}}
	s.Jobs["acme/shop.web"] = map[string]any{"ID": "shop.web", "Namespace": "acme", "Type": "service", "JobModifyIndex": 1.0, "Version": 0.0, "TaskGroups": []any{map[string]any{"Count": 1.0, "Tasks": []any{map[string]any{"Config": map[string]any{}}}}}}
	r := open(t, s.Start(t))
	o := r.Act(t.Context(), []runtime.Assignment{assign(shop, 1, "web")}).Outcomes[0]
	require.ErrorContains(t, o.Err, "namespace acme is not of fleet fleet")
	s.Namespaces["acme"]["Meta"] = map[string]any{metaFleet: "fleet"}
	o = r.Act(t.Context(), []runtime.Assignment{assign(shop, 1, "web")}).Outcomes[0]
	require.ErrorContains(t, o.Err, "Enforcing job modify index 0")
	gone := assign(shop, 1)
	gone.Instance.Phase = model.PhaseTerminated
	require.Empty(t, r.Act(t.Context(), []runtime.Assignment{gone}).Outcomes[0].Results)
	require.Len(t, s.Jobs, 1)
	seen, err := r.Inspect(t.Context(), platform)
	require.NoError(t, err)
	require.Empty(t, seen.Workloads)
	require.Equal(t, model.Pool{Name: "nomads", Nodes: 1, Capacity: model.Resources{CPU: 3500, Memory: 8000 << 20}, Largest: model.Resources{CPU: 3500, Memory: 8000 << 20}}, seen.Pools[0])
}

// TestAttackImageOfNomad: an image that policy does not allow is not registered.
func TestAttackImageOfNomad(t *testing.T) {
	s := nomadtest.New()
	a := assign(shop, 1, "web")
	a.Components[0].Properties = []byte(`{"image":"docker.io/evil/miner:1"}`)
	o := open(t, s.Start(t)).Act(t.Context(), []runtime.Assignment{a}).Outcomes[0]
	require.Equal(t, runtime.Failed, o.Results[0].Action)
	require.Contains(t, o.Results[0].Message, "images.registries")
	require.Empty(t, s.Jobs)
}

// TestTokens: the token is read anew for each request, and goes over no network in clear.
func TestTokens(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(file, []byte("old\n"), 0o600))
	s := nomadtest.New()
	s.Token = "new"
	r, err := New(Options{Address: s.Start(t), TokenFile: file, Fleet: "fleet"})
	require.NoError(t, err)
	t.Cleanup(r.Close)
	_, err = r.Inspect(t.Context(), platform)
	require.ErrorContains(t, err, "Nomad answers 403")
	require.NotContains(t, err.Error(), "old")
	require.NoError(t, os.WriteFile(file, []byte("new\n"), 0o600))
	_, err = r.Inspect(t.Context(), platform)
	require.NoError(t, err)

	_, err = New(Options{Address: "http://nomad.example.com:4646", TokenFile: file})
	require.ErrorContains(t, err, "in clear")
}
