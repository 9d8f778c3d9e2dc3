package runtime_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
)

// recalled is what a ledger says of components: that all of them run.
func recalled(app model.AppID, parts ...runtime.Component) (r model.Recalled) {
	for _, name := range []string{"east", "west"} {
		r.Pools = append(r.Pools, model.Pool{Name: name, Nodes: 1, Capacity: size, Largest: size})
	}
	for _, c := range parts {
		w := model.Workload{App: app, Component: c.Name, Digest: digestOf(c), Replicas: c.State.Run, Ready: c.State.Run, Current: true}
		r.Workloads = append(r.Workloads, model.RecalledWorkload{Workload: w, Spec: c.Component, Pool: c.State.Grant.Pool})
	}
	return r
}

// TestStartWhileOneIsAway: a process that starts while a runtime is away goes on with the others.
// What is there counts as it was recorded, nothing of it begins elsewhere, and it is carried out
// as soon as the runtime answers.
func TestStartWhileOneIsAway(t *testing.T) {
	w := newWorld(t)
	db, web := worker("db", "container", "west", 1), worker("web", "container", "east", 1)
	require.True(t, w.carryOut(t, assign(shop, db, web)).Outcomes[0].OK())

	down := errors.New("the network is down")
	w.restart(t)
	w.west.Fail(down)
	_, err := w.Inspect(t.Context(), platform)
	require.ErrorIs(t, err, down, "nobody knows what it has")
	w.Recall(recalled(shop, db, web))
	for range 2 {
		seen, err := w.Inspect(t.Context(), platform)
		require.NoError(t, err)
		require.Equal(t, []model.Resources{size, size, size}, []model.Resources{seen.Pools[0].Capacity, seen.Pools[1].Capacity, seen.Pools[2].Capacity})
		require.Len(t, seen.Workloads, 2)
		require.Equal(t, []any{"db", digestOf(db), 1, true}, []any{seen.Workloads[0].Component, seen.Workloads[0].Digest, seen.Workloads[0].Ready, seen.Workloads[0].Current})
	}
	require.True(t, w.Views()[1].At.IsZero())
	require.False(t, w.Views()[0].At.IsZero())

	web.State.Run = 3
	r := w.Act(t.Context(), []runtime.Assignment{assign(shop, db, web)})
	require.ErrorIs(t, r.Outcomes[0].Err, runtime.ErrUnseen)
	seen, err := w.Inspect(t.Context(), platform)
	require.NoError(t, err)
	require.Equal(t, 3, seen.Workloads[1].Replicas, "the others go on")
	require.Equal(t, [][]string{{"web"}, {"db"}}, [][]string{w.east.Programs(shop), w.west.Programs(shop)})

	w.west.Fail(nil)
	require.True(t, w.carryOut(t, assign(shop, db, web)).Outcomes[0].OK())
	require.False(t, w.Views()[1].At.IsZero())
}

// TestMoveFromOneThatIsAway: what was about to move from a runtime that has been away since the
// process began stays there if it has volumes or is a job, although the record has its new place.
func TestMoveFromOneThatIsAway(t *testing.T) {
	w := newWorld(t)
	db := worker("db", "container", "west", 1)
	db.Traits = []byte(`{"storage":[{"name":"data","type":"persistent"}]}`)
	require.True(t, w.carryOut(t, assign(shop, db)).Outcomes[0].OK())
	db.State.Grant.Pool = "east"
	w.restart(t)
	w.west.Fail(errors.New("the network is down"))
	w.Recall(recalled(shop, db))
	w.carryOut(t, assign(shop, db))
	require.Empty(t, w.east.Programs(shop))
	w.west.Fail(nil)
	r := w.carryOut(t, assign(shop, db))
	require.Contains(t, r.Outcomes[0].Results[0].Message, "where its volumes are")
	require.Equal(t, []string{"db"}, w.west.Programs(shop))
}
