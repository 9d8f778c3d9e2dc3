package reconcile

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestOthersAreHeardDuringAFirstStart: while many applications start for the first time,
// somebody approves a release, another application is removed and a third one fails. The
// pass after the present one acts on all three before it goes on with the first starts,
// within five seconds, and the loop is alive all the time.
func TestOthersAreHeardDuringAFirstStart(t *testing.T) {
	const apps = 120
	k, runtime := newCarrying(t, 100*time.Millisecond)
	const agree = `workflow: steps: [
		{name: "agree", type: "approval", properties: roles: ["application-owner"]},
		{name: "release", type: "deploy", components: ["web"], dependsOn: ["agree"]},
	]`
	app := func(name string) model.AppID { return model.AppID{Tenant: "acme", Name: name} }
	saved := func(name string) *model.Instance {
		inst, ok := k.loop.saved.Find(app(name))
		require.True(t, ok, name)
		return inst
	}
	approve := func() {
		run := saved("shop").Run.ID[:12]
		k.Write("approvals/acme/shop/go.cue", fmt.Sprintf("package fleet\n\napproval: go: {run: %q, step: \"agree\"}\n", run))
		k.by("bob")
	}
	k.worker("shop", "1", agree)
	k.worker("docs", "1", "")
	k.worker("api", "1", "")
	k.by("ann")
	k.settle()
	approve()
	k.settle()
	for _, name := range []string{"shop", "docs", "api"} {
		require.Equal(t, model.PhaseRunning, saved(name).Phase, name)
	}

	k.loop.o.Slice = Slice
	k.loop.pulse.start(k.now)
	for i := range apps {
		k.worker(fmt.Sprint("app", i), "1", "")
	}
	k.worker("shop", "2", agree)
	k.by("ann")
	_, err := k.loop.Pass(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, saved("shop").Run.Number)

	var happened time.Time
	runtime.meets = func() {
		require.NoError(t, k.loop.Alive())
		if happened.IsZero() { // the present pass has just begun to act
			happened = k.now
			k.Git("rm", "-q", "-r", "tenants/acme/apps/docs")
			k.by("ann")
			approve()
			runtime.broken[app("api")] = true
		}
	}
	r, err := k.loop.turn(t.Context())
	require.NoError(t, err)
	require.Positive(t, r.Left)
	require.False(t, happened.IsZero())

	k.loop.declared.polled = time.Time{} // somebody tells of the commits
	began := k.now
	r, err = k.loop.turn(t.Context())
	require.NoError(t, err)
	require.Positive(t, r.Left, "the first start goes on")
	require.Equal(t, model.PhaseDegraded, saved("api").Phase)
	require.LessOrEqual(t, began.Sub(happened), 5*time.Second, "the failure is saved")
	for _, name := range []string{"shop", "docs"} {
		require.True(t, runtime.acted[app(name)].After(began), name)
		require.LessOrEqual(t, runtime.acted[app(name)].Sub(began), atOnce*runtime.takes, "%s goes before the first starts", name)
		require.LessOrEqual(t, runtime.acted[app(name)].Sub(happened), 5*time.Second, name)
	}
	require.Empty(t, runtime.running[app("docs")])
	require.Equal(t, model.StepActive, saved("shop").Run.Steps[1].Phase)
}

// TestACommitIsNotMissedBetweenSlices: where the next pass is due at once, a change of
// the fleet repo that is known counts for it.
func TestACommitIsNotMissedBetweenSlices(t *testing.T) {
	changed := make(chan struct{}, 1)
	k, _ := newCarrying(t, 0)
	k.start(func(o *Options) { o.SourceChanged = changed })
	for range 50 {
		k.loop.declared.polled = k.now
		changed <- struct{}{}
		require.True(t, k.loop.wait(t.Context(), 0, true))
		require.Zero(t, k.loop.declared.polled, "the next pass polls")
	}
}
