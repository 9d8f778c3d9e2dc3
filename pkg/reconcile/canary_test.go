package reconcile

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/outbound"
	"github.com/d-aros/d-aros/pkg/workflow"
	"github.com/d-aros/d-aros/test/gittest"
	"github.com/d-aros/d-aros/test/tier"
)

// rolling is a runtime in which every version that was carried out is ready after ten
// seconds, and shows its image a little before.
type rolling struct {
	enteredRuntime
	loop  **Loop
	now   *time.Time
	since map[model.Digest]time.Time // by workload
}

func (r *rolling) Inspect(ctx context.Context, platform *model.Platform) (model.Observation, error) {
	seen, err := r.enteredRuntime.Inspect(ctx, platform)
	show := func(s *model.ComponentState, content, workload model.Digest, replicas int, beside bool) {
		if _, known := r.since[workload]; !known {
			r.since[workload] = *r.now
		}
		w := model.Workload{App: acmeShop, Component: s.Grant.Component, Digest: workload, Replicas: replicas, Current: true, Beside: beside}
		age := r.now.Sub(r.since[workload])
		if age >= 5*time.Second && replicas > 0 {
			w.Images = []string{"registry.example.com/web@sha256:" + string(content)}
		}
		if age >= 10*time.Second {
			w.Ready = replicas
		}
		seen.Workloads = append(seen.Workloads, w)
	}
	if inst, ok := (*r.loop).acted.Find(acmeShop); ok {
		for i := range inst.Components {
			s := &inst.Components[i]
			show(s, s.Spec, s.Workload, s.Run, false)
			if b := s.Beside; b != nil {
				show(s, b.Spec, b.Workload, b.Run, true)
			}
		}
	}
	return seen, err
}

// answering answers every probe at once, with 200.
type answering struct {
	tasks  []outbound.Task
	probes map[string]bool
}

func (a *answering) Do(tasks []outbound.Task) { a.tasks = tasks }
func (a *answering) Changed() <-chan struct{} { return nil }
func (a *answering) Results() (list []workflow.Result) {
	for i := range a.tasks {
		key := a.tasks[i].Intent.Key
		a.probes[key] = true
		list = append(list, workflow.Result{Key: key, OK: true, Status: 200})
	}
	return list
}

// TestCommitsOfACanary: a canary of four stages that is probed every two seconds for an
// hour makes at most eight commits of the status branch, whatever they are about. The last
// one says which image runs alone, and one of the first which image the canary runs.
func TestCommitsOfACanary(t *testing.T) {
	k, ledger := newKeeper(t), gittest.NewBare(t)
	k.platform(`policy: egress: hosts: ["shop.example.com"]
	access: {enforce: "signed", principals: root: ssh: [%q], admins: ["root"]}`, k.public["root"])
	k.by("root")
	every := tier.Count(20, 2, 2) // seconds
	release := func(tag string) {
		k.Write("tenants/acme/apps/shop/app.cue", fmt.Sprintf(`package fleet

application: {
	name: "shop"
	components: web: {type: "worker", replicas: 8, properties: image: "registry.example.com/web:%s", resources: requests: {cpu: "10m", memory: "16Mi"}}
	workflow: steps: [{
		name: "release", type: "canary", components: ["web"], timeout: "2h", onFailure: "rollback"
		properties: {
			stages: [{weight: 25, pause: "15m"}, {weight: 50, pause: "15m"}, {weight: 75, pause: "15m"}, {weight: 100, pause: "15m"}]
			check: {url: "https://shop.example.com/", every: "%ds", times: %d, failures: 3, success: "status == 200"}
		}
	}]
}
`, tag, every, 200/every))
		k.by("bob")
	}
	now := time.Date(2026, 5, 4, 3, 0, 0, 0, time.UTC)
	var loop *Loop
	runtime := &rolling{enteredRuntime: enteredRuntime{&entries{}}, loop: &loop, now: &now, since: map[model.Digest]time.Time{}}
	world := &answering{probes: map[string]bool{}}
	l := newTeller(t, k.Dir, ledger.Dir, func() time.Time { return now }, func(o *Options) {
		o.Runtime, o.Outbound, o.Interval = runtime, world, 24*time.Hour
	})
	loop = l.loop
	run := func() *model.Run {
		inst, ok := loop.saved.Find(acmeShop)
		require.True(t, ok)
		return inst.Run
	}
	pass := func() {
		now = now.Add(time.Duration(every) * time.Second)
		r, err := loop.turn(t.Context())
		require.NoError(t, err)
		require.Empty(t, r.Problems)
	}
	settle := func(number int) {
		loop.declared.polled = time.Time{}
		for range 2 * 1800 {
			if pass(); run().Number == number && run().Phase.Ended() {
				break
			}
		}
		require.Equal(t, model.RunSucceeded, run().Phase, run().Message)
		for range 60 {
			pass()
		}
	}
	commits := func() int {
		n, err := strconv.Atoi(strings.TrimSpace(ledger.Git("rev-list", "--count", "status")))
		require.NoError(t, err)
		return n
	}
	release("1")
	settle(1)
	before, began := commits(), now
	clear(world.probes)
	release("2")
	settle(2)
	require.GreaterOrEqual(t, now.Sub(began), time.Hour)
	require.GreaterOrEqual(t, len(world.probes), 1600/every)
	t.Logf("%d probes, %d commits", len(world.probes), commits()-before)
	require.LessOrEqual(t, commits()-before, 8)

	inst, _ := loop.saved.Find(acmeShop)
	require.Equal(t, []string{"registry.example.com/web@sha256:" + string(inst.Components[0].Spec)}, inst.Shown.Of("web").Images)
	pages := ledger.Git("log", "-p", "--format=", fmt.Sprintf("-%d", commits()-before), "status", "--", "tenants/acme/shop/README.md")
	require.True(t, slices.ContainsFunc(strings.Split(pages, "\n"), func(line string) bool {
		return strings.HasPrefix(line, "+") && strings.Contains(line, "(next version)") && strings.Contains(line, inst.Shown.Of("web").Images[0])
	}), pages)
	require.Contains(t, pages, "+Counted at ")
	require.NotContains(t, ledger.Git("show", "status:tenants/acme/shop/README.md"), "Counted at ", "the counts are those of now again")
}
