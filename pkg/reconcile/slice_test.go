package reconcile

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
)

// TestOrderOfASlice: what ends goes first, then higher bands, what was carried out
// before, and the tenants in turn.
func TestOrderOfASlice(t *testing.T) {
	platform := &model.Platform{Bands: []model.Band{{Name: "production", Min: 500}, {Name: "standard", Min: 100}}}
	of := func(tenant, name string, phase model.Phase, priority int, begins bool) task {
		inst := &model.Instance{App: model.AppID{Tenant: tenant, Name: name}, Phase: phase, Spec: &model.Application{Priority: priority}}
		return task{Assignment: runtime.Assignment{App: inst.App, Instance: inst}, rank: rankOf(inst, platform, begins)}
	}
	shared := func(tenant string) task {
		return task{Assignment: runtime.Assignment{App: model.AppID{Tenant: tenant}}, rank: rank{band: len(platform.Bands), begins: true}}
	}
	tasks := []task{
		shared("acme"), shared("bank"), shared("corp"), shared("idle"),
		of("acme", "a1", model.PhaseScheduled, 100, true),
		of("acme", "a2", model.PhaseScheduled, 100, true),
		of("acme", "a3", model.PhaseRunning, 100, false),
		of("bank", "b1", model.PhaseScheduled, 100, true),
		of("bank", "b2", model.PhaseScheduled, 500, true),
		of("bank", "b3", model.PhaseScheduled, 1, true),
		of("corp", "c1", model.PhaseScheduled, 100, true),
		of("corp", "c2", model.PhaseTerminated, 1, false),
		of("corp", "c3", model.PhaseDegraded, 1, false),
	}
	names := func(tasks []task) (names []string) {
		for i := range tasks {
			names = append(names, tasks[i].App.String())
		}
		return names
	}
	inOrder(tasks, "")
	require.Equal(t, []string{
		"corp/c2",
		"corp/", "corp/c3",
		"bank/", "bank/b2",
		"acme/", "acme/a3",
		"acme/a1", "bank/b1", "corp/c1", "acme/a2",
		"bank/b3",
		"idle/",
	}, names(tasks))
	inOrder(tasks, "acme")
	require.Equal(t, []string{"bank/b1", "corp/c1", "acme/a1", "acme/a2"}, names(tasks)[7:11], "the tenant that had the last turn is last")
}

// TestOrderOfASliceIsFair, whatever the tasks: nothing is lost, ranks stand in order
// and, within one, no tenant gets a second turn before all have had one.
func TestOrderOfASliceIsFair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tasks []task
		for i := range rapid.IntRange(0, 40).Draw(t, "tasks") {
			tenant := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "tenant")
			inst := &model.Instance{App: model.AppID{Tenant: tenant, Name: fmt.Sprint("app", i)}, Phase: rapid.SampledFrom(model.Phases).Draw(t, "phase")}
			tasks = append(tasks, task{Assignment: runtime.Assignment{App: inst.App, Instance: inst}, rank: rank{
				urgent: !inst.Phase.Active(), band: rapid.IntRange(0, 2).Draw(t, "band"), begins: rapid.Bool().Draw(t, "begins")}})
		}
		same := slices.Clone(tasks)
		if len(tasks) > 0 {
			same = rapid.Permutation(tasks).Draw(t, "permutation")
		}
		last := rapid.SampledFrom([]string{"", "a", "b", "d"}).Draw(t, "last")
		inOrder(tasks, last)
		inOrder(same, last)
		require.Equal(t, tasks, same, "the order does not depend on the order before")
		left := map[string]int{}
		turns := map[string]int{}
		for i := range tasks {
			if i > 0 && tasks[i].rank != tasks[i-1].rank {
				require.Negative(t, tasks[i-1].rank.compare(tasks[i].rank))
				clear(turns)
				clear(left)
			}
			if len(left) == 0 {
				for j := i; j < len(tasks) && tasks[j].rank == tasks[i].rank; j++ {
					left[tasks[j].App.Tenant]++
				}
			}
			tenant := tasks[i].App.Tenant
			for other, n := range left {
				if n > 0 {
					require.LessOrEqual(t, turns[tenant], turns[other], "%s waits for %s", other, tenant)
				}
			}
			turns[tenant]++
			left[tenant]--
		}
	})
}

// slow is a runtime that takes its time for each set, and may be told to do something
// meanwhile.
type slow struct {
	enteredRuntime
	k     *keeper
	takes time.Duration
	order []model.AppID
	meets func()
}

func (s *slow) Act(ctx context.Context, list []runtime.Assignment) runtime.Report {
	for i := range list {
		s.k.now = s.k.now.Add(s.takes)
		s.order = append(s.order, list[i].App)
	}
	if s.meets != nil {
		s.meets()
	}
	return s.enteredRuntime.Act(ctx, list)
}

// newSlow returns a keeper of a fleet of that many applications.
func newSlow(t *testing.T, apps int, takes time.Duration) (*keeper, *slow) {
	k, _ := newEntered(t)
	runtime := &slow{enteredRuntime: enteredRuntime{&entries{}}, k: k, takes: takes}
	for i := range apps {
		k.Write(fmt.Sprintf("tenants/acme/apps/app%d/app.cue", i), fmt.Sprintf(
			"package fleet\n\napplication: {name: \"app%d\", components: web: {type: \"worker\", properties: image: \"registry.example.com/web:1\", resources: requests: cpu: \"10m\"}}\n", i))
	}
	k.by("ann")
	restart := k.restart
	k.restart = func(o *Options) {
		restart(o)
		o.Runtime, o.Slice, o.Metrics = runtime, Slice, NewMetrics(prometheus.NewRegistry(), false)
	}
	k.start()
	return k, runtime
}

// TestAStopIsActedOnDuringAFirstStart: one pass acts for a slice, and the next one
// looks at the world again: an application that was removed stops while most have not
// begun. What is left of a pass is due at once, and nothing is saved for it.
func TestAStopIsActedOnDuringAFirstStart(t *testing.T) {
	const apps = 100
	k, runtime := newSlow(t, apps, 100*time.Millisecond)
	began := k.now
	r, err := k.loop.turn(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2*atOnce, len(r.Applied.Outcomes), "a slice of 2 s ends between the sets that are applied at once")
	require.Equal(t, apps+2-len(r.Applied.Outcomes), r.Left, "with shop and what the tenant's applications share")
	require.ErrorContains(t, k.loop.Ready(), "starting: 70 applications and tenants are not carried out yet")
	require.Equal(t, model.AppID{Tenant: "acme"}, runtime.order[0])
	require.LessOrEqual(t, k.now.Sub(began), Slice+atOnce*runtime.takes)

	gone := runtime.order[1]
	k.Git("rm", "-q", "-r", "tenants/acme/apps/"+gone.Name)
	k.by("ann")
	runtime.order, k.loop.declared.polled = nil, time.Time{}
	r, err = k.loop.turn(t.Context())
	require.NoError(t, err)
	require.Equal(t, gone, runtime.order[0], "what was removed stops before anything else starts")
	require.Positive(t, r.Left)

	saved := k.loop.saved.Revision
	for r.Left > 0 {
		r, err = k.loop.turn(t.Context())
		require.NoError(t, err)
	}
	require.Equal(t, saved, k.loop.saved.Revision, "what is left is due by what was applied, not by what is saved")
	require.NoError(t, k.loop.Ready())
	slices.SortFunc(runtime.order, model.AppID.Compare)
	require.Equal(t, runtime.order, slices.Compact(slices.Clone(runtime.order)), "nothing is sent twice")
}

// TestALoopThatWorksIsAlive, however long its work takes: a pass of hours in which
// stages begin, objects are answered or directories are evaluated.
func TestALoopThatWorksIsAlive(t *testing.T) {
	k, runtime := newSlow(t, 40, 6*time.Minute)
	var answered int64
	k.restart = func(restart func(*Options)) func(*Options) {
		return func(o *Options) {
			restart(o)
			o.Slice, o.Interval, o.Progress = 0, time.Minute, []func() int64{func() int64 { return answered }}
		}
	}(k.restart)
	k.start()
	require.NoError(t, k.loop.Alive(), "it does not run yet")
	k.loop.pulse.start(k.now)
	probes := 0
	runtime.meets = func() { answered++; require.NoError(t, k.loop.Alive()); probes++ }
	began := k.now
	_, err := k.loop.turn(t.Context())
	require.NoError(t, err)
	require.Greater(t, k.now.Sub(began), 4*time.Hour)
	require.Equal(t, 3, probes)

	k.now = k.now.Add(11 * time.Minute)
	require.NoError(t, k.loop.Alive(), "ten minutes and an interval")
	k.now = k.now.Add(time.Second)
	require.EqualError(t, k.loop.Alive(), "no stage has begun, no directory was evaluated and no object was applied for 11m1s")
	answered++
	require.NoError(t, k.loop.Alive())
}
