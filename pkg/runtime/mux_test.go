package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/runtime/carrier"
	"github.com/d-aros/d-aros/test/runtimetest"
)

var (
	containers = carrier.Carrier{Name: "containers", Carried: []carrier.Kind{{Runtime: "container", OS: "linux"}}}
	processes  = carrier.Carrier{Name: "processes", Carried: []carrier.Kind{{Runtime: "process", OS: "linux"}}}
	size       = model.Resources{CPU: 8000, Memory: 32 << 30}
	shop       = model.AppID{Tenant: "acme", Name: "shop"}
	platform   = &model.Platform{Pools: []model.PoolSpec{{Name: "east"}, {Name: "hosts"}, {Name: "west"}}}
)

// worker is a component in a pool.
func worker(name, of, pool string, run int) runtime.Component {
	c := model.Component{Name: name, Type: "worker", Runtime: of, OS: "linux", Replicas: run}
	g := model.Grant{Component: name, Replicas: run, Pool: pool}
	return runtime.Component{Component: &c, Want: runtime.Running, State: model.ComponentState{Grant: g, Run: run}}
}

func digestOf(c runtime.Component) model.Digest {
	return model.WorkloadDigest(c.Component, c.State.Grant, c.State.Run)
}

func assign(app model.AppID, parts ...runtime.Component) runtime.Assignment {
	return runtime.Assignment{App: app, Components: parts, Platform: platform}
}

// world is three machines behind a Mux: two clusters and a host.
type world struct {
	*runtime.Mux
	east, west, hosts *runtimetest.Machine
}

func newWorld(t *testing.T) *world {
	w := &world{east: runtimetest.NewMachine(size), west: runtimetest.NewMachine(size), hosts: runtimetest.NewMachine(size)}
	west := containers
	west.Name = "containers of west"
	w.Mux = runtime.NewMux(
		runtimetest.NewMemory(containers, "east", w.east), runtimetest.NewMemory(west, "west", w.west), runtimetest.NewMemory(processes, "hosts", w.hosts))
	t.Cleanup(w.Close)
	return w
}

// TestMuxRoutes: a component goes to the first adapter that carries its runtime in its pool,
// and what moved to another one goes from where it was.
func TestMuxRoutes(t *testing.T) {
	w := newWorld(t)
	parts := []runtime.Component{worker("agent", "process", "hosts", 1), worker("db", "container", "west", 1), worker("web", "container", "east", 2)}
	r := w.Act(t.Context(), []runtime.Assignment{assign(shop, parts...)})
	require.NoError(t, r.Err)
	require.True(t, r.Outcomes[0].OK())
	require.Equal(t, 3, r.Count(runtime.Created))
	require.Equal(t, [][]string{{"web"}, {"db"}, {"agent"}}, [][]string{w.east.Programs(shop), w.west.Programs(shop), w.hosts.Programs(shop)})

	seen, err := w.Inspect(t.Context(), platform)
	require.NoError(t, err)
	require.Len(t, seen.Pools, 3)
	for i, name := range []string{"agent", "db", "web"} {
		require.Equal(t, size, seen.Pools[i].Capacity)
		require.Equal(t, name, seen.Workloads[i].Component, "in order")
	}

	parts[1].State.Grant.Pool = "east"
	r = w.Act(t.Context(), []runtime.Assignment{assign(shop, parts...)})
	require.Equal(t, [][]string{{"db", "web"}, {"db"}}, [][]string{w.east.Programs(shop), w.west.Programs(shop)}, "it is never gone")
	require.Equal(t, []int{1, 0}, []int{r.Count(runtime.Created), r.Count(runtime.Pruned)})
	require.True(t, r.Outcomes[0].UnderWay)

	seen, err = w.Inspect(t.Context(), platform)
	require.NoError(t, err)
	require.Len(t, seen.Workloads, 3, "each counts once")
	require.Equal(t, digestOf(parts[1]), seen.Workloads[1].Digest, "where it goes to")
	r = w.Act(t.Context(), []runtime.Assignment{assign(shop, parts...)})
	require.True(t, r.Outcomes[0].OK())
	require.Equal(t, [][]string{{"db", "web"}, {}}, [][]string{w.east.Programs(shop), append([]string{}, w.west.Programs(shop)...)})
	require.Equal(t, []int{0, 1}, []int{r.Count(runtime.Created), r.Count(runtime.Pruned)})

	w.hosts.Interfere(shop, "agent")
	<-w.Changed()
	require.Equal(t, []model.AppID{shop}, w.Drifted())
	r = w.Act(t.Context(), []runtime.Assignment{assign(shop)})
	require.Equal(t, 3, r.Count(runtime.Pruned))
}

// TestMuxNamesWhatNobodyCarries: a record may have what no adapter carries any more.
func TestMuxNamesWhatNobodyCarries(t *testing.T) {
	w := newWorld(t)
	r := w.Act(t.Context(), []runtime.Assignment{assign(shop, worker("vm", "virtual-machine", "east", 1), worker("web", "container", "east", 1))})
	require.True(t, r.Outcomes[0].OK())
	require.Len(t, r.Outcomes[0].Notices, 1)
	require.Contains(t, r.Outcomes[0].Notices[0], "component vm does not run: containers carries container on linux")
	require.Equal(t, []string{"web"}, w.east.Programs(shop))
}

// TestOneThatDoesNotAnswerDelaysNobody: while one adapter hangs, what the others carry is
// carried out, what it last showed counts, and only what it has a part of fails. What it was
// to lose meanwhile is due when it answers again.
func TestOneThatDoesNotAnswerDelaysNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		blog, site := model.AppID{Tenant: "acme", Name: "blog"}, model.AppID{Tenant: "acme", Name: "site"}
		list := []runtime.Assignment{assign(blog, worker("web", "container", "west", 1)), assign(shop, worker("web", "container", "east", 1))}
		require.NoError(t, w.Act(t.Context(), list).Err)
		_, err := w.Inspect(t.Context(), platform)
		require.NoError(t, err)

		open := w.west.Shut()
		list[0].Components[0].State.Grant.Pool = "east" // it is to go from where nobody answers
		list[1].Components[0].State.Run = 2
		list = append(list, assign(site, worker("web", "container", "west", 1)))
		for busy := range 2 {
			r := w.Act(t.Context(), list)
			require.NoError(t, r.Err)
			require.True(t, r.Outcomes[1].OK())
			require.Equal(t, []bool{busy == 0, busy != 0}, []bool{r.Outcomes[0].UnderWay, r.Outcomes[0].OK()}, "it is seen to run where it goes to")
			require.EqualError(t, r.Outcomes[2].Err, "containers of west: has not answered yet")
			seen, err := w.Inspect(t.Context(), platform)
			require.NoError(t, err)
			require.Equal(t, size, seen.Pools[2].Capacity, "as it was seen last")
			require.Len(t, seen.Workloads, 2, "each counts once")
			require.Empty(t, w.Drifted())
		}
		require.Equal(t, 1, w.west.Calls(), "the call that hangs is the only one")

		open()
		synctest.Wait()
		require.Equal(t, 2, w.west.Calls())
		_, err = w.Inspect(t.Context(), platform)
		require.NoError(t, err)
		require.Equal(t, []model.AppID{blog, shop}, w.Drifted(), "it may have something of these")
		require.True(t, w.Act(t.Context(), list).Outcomes[2].OK())
		require.Empty(t, w.west.Programs(blog))
		require.Equal(t, []string{"web"}, w.west.Programs(site))
	})
}

// TestAllAway: the call has failed only if no adapter answers, and an adapter that was never
// seen is an error, because nobody knows what it carries.
func TestAllAway(t *testing.T) {
	w := newWorld(t)
	down := errors.New("the network is down")
	w.west.Fail(down)
	_, err := w.Inspect(t.Context(), platform)
	require.EqualError(t, err, "containers of west: the network is down")
	w.east.Fail(down)
	require.NoError(t, w.Act(t.Context(), []runtime.Assignment{assign(shop)}).Err)
	w.hosts.Fail(down)
	r := w.Act(t.Context(), []runtime.Assignment{assign(shop, worker("web", "container", "east", 1))})
	require.ErrorIs(t, r.Err, down)
	require.False(t, r.Outcomes[0].OK())
	require.Contains(t, r.Err.Error(), fmt.Sprintf("processes: %v", down))
}

// reporting is an adapter whose nodes report.
type reporting struct {
	runtime.Adapter
	short []model.Shortfall
}

func (r reporting) Inspect(ctx context.Context, p *model.Platform) (model.Observation, error) {
	seen, err := r.Adapter.Inspect(ctx, p)
	seen.Shortfalls = r.short
	return seen, err
}

// TestReportsOfAllRuntimes: what the nodes of all runtimes report is seen, in order.
func TestReportsOfAllRuntimes(t *testing.T) {
	short := func(app, node string) model.Shortfall {
		return model.Shortfall{App: model.AppID{Tenant: "acme", Name: app}, Component: "web", Node: node, Resource: "cpu", Promised: 1}
	}
	m := runtime.NewMux(
		reporting{runtimetest.NewMemory(containers, "east", runtimetest.NewMachine(size)), []model.Shortfall{short("a", "e1"), short("b", "e1")}},
		reporting{runtimetest.NewMemory(processes, "hosts", runtimetest.NewMachine(size)), []model.Shortfall{short("a", "h1"), short("c", "h1")}})
	t.Cleanup(m.Close)
	seen, err := m.Inspect(t.Context(), platform)
	require.NoError(t, err)
	require.Equal(t, []model.Shortfall{short("a", "e1"), short("a", "h1"), short("b", "e1"), short("c", "h1")}, seen.Shortfalls)
}

// TestBeside: an adapter beside the others has its share at once, and they have the rest: a
// runtime that is slow is not taken for one that is away because the one beside it answers.
func TestBeside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		east, aside := runtimetest.NewMachine(size), runtimetest.NewMachine(model.Resources{})
		m := runtime.NewMux(runtimetest.NewMemory(containers, "east", east)).Beside(runtimetest.NewMemory(carrier.External, "", aside))
		t.Cleanup(m.Close)
		mail := runtime.Component{Component: &model.Component{Name: "mail", Type: "external"}, Want: runtime.Running, State: model.ComponentState{Run: 1}}
		list := []runtime.Assignment{assign(shop, mail, worker("web", "container", "east", 1))}
		r := m.Act(t.Context(), list)
		require.NoError(t, r.Err)
		require.Equal(t, 2, r.Count(runtime.Created))
		require.Empty(t, r.Outcomes[0].Notices)
		require.Equal(t, [][]string{{"web"}, {"mail"}}, [][]string{east.Programs(shop), aside.Programs(shop)})
		require.Len(t, list[0].Components, 2, "the list stays as it is")

		open := east.Shut()
		time.AfterFunc(2*runtime.Patience, open)
		seen, err := m.Inspect(t.Context(), platform)
		require.NoError(t, err)
		require.Equal(t, []string{"mail", "web"}, []string{seen.Workloads[0].Component, seen.Workloads[1].Component})
		require.Len(t, seen.Pools, 3, "those of the others")
		east.Fail(errors.New("the network is down"))
		_, err = m.Inspect(t.Context(), platform)
		require.EqualError(t, err, "the network is down", "as without the one beside it")
		require.EqualError(t, m.Act(t.Context(), list).Err, "the network is down")
		aside.Interfere(shop, "mail")
		<-m.Changed()
		require.Equal(t, []string{"mail"}, aside.Programs(shop))
		m.Act(t.Context(), []runtime.Assignment{assign(shop)})
		require.Empty(t, aside.Programs(shop))
	})
}
