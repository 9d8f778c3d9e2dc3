package runtime_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/test/runtimetest"
)

// restart is another process over the same machines, which has looked at them.
func (w *world) restart(t *testing.T) {
	w.Close()
	west := containers
	west.Name = "containers of west"
	w.Mux = runtime.NewMux(runtimetest.NewMemory(containers, "east", w.east), runtimetest.NewMemory(west, "west", w.west), runtimetest.NewMemory(processes, "hosts", w.hosts))
	t.Cleanup(w.Close)
}

func (w *world) carryOut(t *testing.T, list ...runtime.Assignment) runtime.Report {
	_, err := w.Inspect(t.Context(), platform)
	require.NoError(t, err)
	r := w.Act(t.Context(), list)
	require.NoError(t, r.Err)
	return r
}

// TestMoveWaitsForTheNewOne: what moves stays where it was while it does not run where it goes to,
// also after a restart, and however often it is asked for.
func TestMoveWaitsForTheNewOne(t *testing.T) {
	w := newWorld(t)
	web := worker("web", "container", "west", 1)
	require.True(t, w.carryOut(t, assign(shop, web)).Outcomes[0].OK())

	web.State.Grant.Pool = "east"
	web.Properties = json.RawMessage(`{"exit":3}`)
	for range 3 {
		r := w.carryOut(t, assign(shop, web))
		require.True(t, r.Outcomes[0].UnderWay)
		require.Zero(t, r.Count(runtime.Pruned))
		require.Equal(t, []string{"web"}, w.west.Programs(shop))
		seen, err := w.Inspect(t.Context(), platform)
		require.NoError(t, err)
		require.Len(t, seen.Workloads, 1)
		require.NotNil(t, seen.Workloads[0].Failure, "where it goes to, it fails")
		w.restart(t)
	}
	web.Properties = nil
	require.True(t, w.carryOut(t, assign(shop, web)).Outcomes[0].UnderWay)
	require.Equal(t, 1, w.carryOut(t, assign(shop, web)).Count(runtime.Pruned))
	require.Empty(t, w.west.Programs(shop))
	require.Equal(t, []string{"web"}, w.east.Programs(shop))
}

// TestMoveToOneThatIsAway: what moves to a runtime that does not answer stays, and what is to go
// from there goes when it answers again.
func TestMoveToOneThatIsAway(t *testing.T) {
	w := newWorld(t)
	web := worker("web", "container", "west", 1)
	require.True(t, w.carryOut(t, assign(shop, web)).Outcomes[0].OK())
	down := errors.New("the network is down")
	w.east.Fail(down)
	web.State.Grant.Pool = "east"
	r := w.carryOut(t, assign(shop, web))
	require.ErrorIs(t, r.Outcomes[0].Err, down)
	require.Equal(t, []string{"web"}, w.west.Programs(shop))
	w.east.Fail(nil)
	w.west.Fail(down)
	require.True(t, w.carryOut(t, assign(shop, web)).Outcomes[0].UnderWay)
	require.True(t, w.carryOut(t, assign(shop, web)).Outcomes[0].OK(), "the rest is due when west answers")
	require.Equal(t, []string{"web"}, w.west.Programs(shop))
	w.west.Fail(nil)
	_, err := w.Inspect(t.Context(), platform)
	require.NoError(t, err)
	require.Equal(t, []model.AppID{shop}, w.Drifted())
	w.carryOut(t, assign(shop, web))
	require.Empty(t, w.west.Programs(shop))
}

// TestNobodyForWhatRuns: what runs and is to be where no adapter is stays as it is.
func TestNobodyForWhatRuns(t *testing.T) {
	w := newWorld(t)
	web := worker("web", "container", "west", 1)
	w.carryOut(t, assign(shop, web))
	web.State.Grant.Pool = "north"
	north := assign(shop, web)
	north.Platform = &model.Platform{Pools: append([]model.PoolSpec{{Name: "north"}}, platform.Pools...)}
	for range 2 {
		r := w.carryOut(t, north)
		require.True(t, r.Outcomes[0].OK())
		require.Len(t, r.Outcomes[0].Notices, 1)
		require.Equal(t, []string{"web"}, w.west.Programs(shop))
	}
}

// TestDataDoesNotMove: a component with volumes stays where they are, and the outcome says so. It
// is not begun elsewhere, where they are missing.
func TestDataDoesNotMove(t *testing.T) {
	w := newWorld(t)
	db := worker("db", "container", "west", 1)
	db.Traits = json.RawMessage(`{"storage":[{"name":"data","type":"persistent"}]}`)
	w.carryOut(t, assign(shop, db))
	db.State.Grant.Pool = "east"
	for _, run := range []int{1, 0} {
		db.State.Run = run
		r := w.carryOut(t, assign(shop, db))
		require.False(t, r.Outcomes[0].OK())
		require.Equal(t, "component db stays in containers of west, where its volumes are, and does not move to containers", r.Outcomes[0].Results[0].Message)
		require.Equal(t, model.OutcomeImmutable, r.Outcomes[0].Results[0].Reason)
		require.Empty(t, w.east.Programs(shop))
		require.Equal(t, []string{"db"}, w.west.Programs(shop))
	}
}

// TestJobsDoNotMove: a job that was begun is not begun elsewhere.
func TestJobsDoNotMove(t *testing.T) {
	w := newWorld(t)
	load := worker("load", "container", "west", 1)
	load.Type = "job"
	step := worker("migrate", "container", "west", 0)
	step.Type, step.Want = "job", runtime.Stopped
	a := assign(shop, load, step)
	a.Jobs = []runtime.Job{{Key: "/run/1", Component: "migrate"}}
	w.carryOut(t, a)
	require.Equal(t, []string{"load", "migrate", "migrate/run/1"}, w.west.Programs(shop))
	for i := range a.Components {
		c := &a.Components[i]
		c.State.Workload, c.State.Grant.Pool = digestOf(*c), "east" // the same release, in a pool that moved
	}
	for range 2 {
		require.Zero(t, w.carryOut(t, a).Count(runtime.Created))
		require.Empty(t, w.east.Programs(shop))
	}
}

// TestConfigurationFollows: configuration is wherever a component of the application runs.
func TestConfigurationFollows(t *testing.T) {
	w := newWorld(t)
	settings := worker("settings", "", "", 0)
	settings.Type = "config"
	web, db := worker("web", "container", "east", 1), worker("db", "container", "west", 1)
	w.carryOut(t, assign(shop, db, settings, web))
	require.Equal(t, []string{"settings", "web"}, w.east.Programs(shop))
	require.Equal(t, []string{"db", "settings"}, w.west.Programs(shop))
	db.State.Grant.Pool = "east"
	w.carryOut(t, assign(shop, db, settings, web))
	require.Equal(t, []string{"db", "settings"}, w.west.Programs(shop), "what runs may read it")
	w.carryOut(t, assign(shop, db, settings, web))
	require.Equal(t, []string{"db", "settings", "web"}, w.east.Programs(shop))
	require.Empty(t, w.west.Programs(shop))
}
