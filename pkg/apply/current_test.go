package apply_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// sliced makes the tenant, and an applier whose calls return soon and whose requests may take
// long.
func (f *fixture) sliced() *apply.Applier {
	f.apply(f.applier(), f.tenant())
	return f.applierWith(f.Config, apply.Options{Fleet: f.fleet, Patience: patience, Slice: 10 * time.Millisecond})
}

// revised gives a set a revision.
func revised(s render.Set, revision string) render.Set {
	s.Revision = revision
	return s
}

// follow applies sets until none is under way, and returns the last report of each.
func (f *fixture) follow(a *apply.Applier, sets ...render.Set) apply.Report {
	f.t.Helper()
	var r apply.Report
	f.eventually(func() bool {
		r = a.Apply(f.t.Context(), sets)
		require.NoError(f.t, r.Err)
		return !slices.ContainsFunc(r.Sets, func(s apply.SetReport) bool { return s.UnderWay })
	}, "all have ended")
	return r
}

// TestWorkOutlivesItsCall: a call does not wait for what takes long, the work goes on, there is
// no second one for its application, and others are carried out. A later call with the same
// revision tells what it came to.
func TestWorkOutlivesItsCall(t *testing.T) {
	f := setup(t)
	a := f.sliced()
	h := f.slowWebhook()
	slow := revised(f.set("slow", f.slow("slow"), configMap("fine", "1")), "1")
	r := a.Apply(t.Context(), []render.Set{slow})
	require.True(t, r.Sets[0].UnderWay)
	f.eventually(func() bool { return h.waiting.Load() == 1 }, "the webhook is asked")
	require.False(t, room(a, slow.App))
	require.True(t, f.follow(a, f.set("fast", configMap("fast", "1"))).Sets[0].OK())
	r = a.Apply(t.Context(), []render.Set{slow})
	require.True(t, r.Sets[0].UnderWay)
	require.Zero(t, r.Requests.Apply)

	f.eventually(func() bool { return f.exists(configMaps, "fine") }, "the rest of the set")
	drain(a.Live().Changed())
	h.answer <- true
	f.eventually(func() bool {
		select {
		case <-a.Live().Changed():
			return room(a, slow.App)
		default:
			return false
		}
	}, "the end wakes the loop")
	r = f.follow(a, slow)
	require.Equal(t, map[string]apply.Action{"ConfigMap/slow": apply.Created, "ConfigMap/fine": apply.Created}, actions(r, "slow"), "it is told once")
	require.EqualValues(t, 1, h.most.Load())
	require.Zero(t, count(f.follow(a, slow), apply.Created))
}

func room(a *apply.Applier, app model.AppID) bool { return a.Room([]model.AppID{app})[0] }

// TestRoom: what waits for the API server is bounded, and a tenant whose applications make no progress holds back nobody.
func TestRoom(t *testing.T) {
	f := setup(t)
	a := f.applierWith(f.Config, apply.Options{Fleet: f.fleet, Patience: patience, Slice: 10 * time.Millisecond, Workers: 1})
	f.slowWebhook()
	var sets []render.Set
	for i := range 63 {
		name := fmt.Sprint("slow-", i)
		sets = append(sets, f.set(name, f.slow(name)))
	}
	r := a.Apply(t.Context(), sets)
	require.True(t, r.Sets[0].UnderWay)
	apps := func(tenant string) []model.AppID {
		return []model.AppID{{Tenant: tenant, Name: "one"}, {Tenant: tenant, Name: "two"}}
	}
	require.Equal(t, []bool{false}, a.Room([]model.AppID{sets[0].App}), "it is under way")
	require.Equal(t, []bool{true, false}, a.Room(apps(f.fleet)), "one more makes 64 for the worker")
	require.Equal(t, []bool{true, false, true, false}, a.Room(append(apps(f.fleet), apps("other")...)), "each tenant has room for one")
	require.Equal(t, []bool{true, false, true}, a.Room(append(apps(f.fleet), model.AppID{Tenant: f.fleet})), "what applications share comes before them")
}

func drain(c <-chan struct{}) {
	select {
	case <-c:
	default:
	}
}

// TestNewerSetFollows: a set that is different from the one under way is carried out after it,
// and what the earlier one did is told with it.
func TestNewerSetFollows(t *testing.T) {
	f := setup(t)
	a := f.sliced()
	h := f.slowWebhook()
	require.True(t, a.Apply(t.Context(), []render.Set{revised(f.set("slow", f.slow("slow")), "1")}).Sets[0].UnderWay)
	newer := revised(f.set("slow", configMap("newer", "1")), "2")
	f.eventually(func() bool { return h.waiting.Load() == 1 }, "the webhook is asked")
	require.True(t, a.Apply(t.Context(), []render.Set{newer}).Sets[0].UnderWay)
	require.False(t, f.exists(configMaps, "newer"))
	h.answer <- true
	r := f.follow(a, newer)
	require.Equal(t, 2, count(r, apply.Created))
	require.Equal(t, apply.Created, actions(r, "slow")["ConfigMap/newer"])
	f.settles(a, f.set("slow", configMap("newer", "1")))
	require.False(t, f.exists(configMaps, "slow"), "what the earlier set had and the newer lacks is pruned")
}

// TestDriftDuringWork: what others change while the work goes on is put back after it.
func TestDriftDuringWork(t *testing.T) {
	f := setup(t)
	a := f.sliced()
	h := f.slowWebhook()
	set := revised(f.set("slow", f.slow("slow"), configMap("fine", "1")), "1")
	require.True(t, a.Apply(t.Context(), []render.Set{set}).Sets[0].UnderWay)
	f.eventually(func() bool { return h.waiting.Load() == 1 && f.exists(configMaps, "fine") }, "the work stands still")
	f.patch(configMaps, "fine", `{"data": {"key": "other"}}`)
	f.eventually(func() bool { return slices.Contains(a.Drifted(), set.App) }, "the drift is seen")
	h.answer <- true
	require.Positive(t, count(f.follow(a, set), apply.Corrected))
	require.Equal(t, "1", f.get(configMaps, "fine").Object["data"].(map[string]any)["key"])
}

// TestWorkEndsWithItsContext: nothing goes on for a loop that has ended, and for an applier that
// is closed.
func TestWorkEndsWithItsContext(t *testing.T) {
	for name, end := range map[string]func(cancel func(), a *apply.Applier){
		"cancelled": func(cancel func(), _ *apply.Applier) { cancel() },
		"closed":    func(_ func(), a *apply.Applier) { a.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			f := setup(t)
			a := f.sliced()
			h := f.slowWebhook()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			app := model.AppID{Tenant: f.fleet, Name: "slow"}
			require.True(t, a.Apply(ctx, []render.Set{f.set("slow", f.slow("slow"))}).Sets[0].UnderWay)
			f.eventually(func() bool { return h.waiting.Load() == 1 }, "the webhook is asked")
			began := time.Now()
			end(cancel, a)
			f.eventually(func() bool { return room(a, app) }, "the work has ended")
			t.Logf("ended %s after that", time.Since(began).Round(time.Millisecond))
		})
	}
}
