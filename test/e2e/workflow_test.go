package e2e

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/reconcile"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/status"
)

// steps puts a workflow behind the components of an application.
func steps(components string, steps ...string) string {
	return components + "\n\t}\n\tworkflow: {\n\t\tsteps: [\n\t\t\t" + strings.Join(steps, ",\n\t\t\t") + ",\n\t\t]"
}

// migration is a job of a tag.
func migration(tag string) string {
	return fmt.Sprintf(`migrate: {
			type: "job"
			properties: image: "registry.example.com/migrate:%s"
			resources: requests: {cpu: "100m", memory: "64Mi"}
		}
		`, tag)
}

const (
	migrate = `{name: "migrate", type: "job", component: "migrate", timeout: "2m"}`
	release = `{name: "release", type: "deploy", components: ["web"], dependsOn: ["migrate"], timeout: "2m"}`
)

// ask is a file by which somebody asks something of a run.
func ask(run model.Digest, action, step string) map[string]string {
	if step != "" {
		step = fmt.Sprintf(", step: %q", step)
	}
	return map[string]string{
		fmt.Sprintf("approvals/acme/shop/%s-%s.cue", run[:12], action): fmt.Sprintf("package fleet\n\napproval: \"%s-%s\": {run: %q, action: %q%s}\n", run[:12], action, run, action, step),
	}
}

// run waits until the run of shop is as wanted.
func (w *world) run(what string, wanted func(*model.Run) bool) *model.Run {
	w.t.Helper()
	var run *model.Run
	w.until(what, func(l *model.Ledger) bool {
		inst, ok := l.Find(id("shop"))
		if !ok || inst.Run == nil || !wanted(inst.Run) {
			return false
		}
		run = inst.Run
		return true
	})
	return run
}

// is reports whether a step of a run is in a phase.
func is(step string, phase model.StepPhase) func(*model.Run) bool {
	return func(r *model.Run) bool {
		s, ok := r.Step(step)
		return ok && s.Phase == phase
	}
}

func succeeded(number int) func(*model.Run) bool {
	return func(r *model.Run) bool { return r.Number == number && r.Phase == model.RunSucceeded }
}

// TestRelease: a migration, somebody who agrees, a canary that is asked how it is,
// and all of it alone.
func TestRelease(t *testing.T) {
	var asked atomic.Int64
	health := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer health.Close()
	host, err := url.Parse(health.URL)
	require.NoError(t, err)

	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "8", "16Gi")
	open := platform(w.name)
	open["fleet.cue"] = strings.Replace(open["fleet.cue"], "runtimes: [\"container\"]\n\t\tdefaults", "runtimes: [\"container\"]\n\t\tegress: hosts: [\""+host.Hostname()+"\"]\n\t\tdefaults", 1)
	shop := func(tag string) map[string]string {
		return app("acme", "shop", steps(migration(tag)+web(4, tag), migrate,
			`{name: "agree", type: "approval", dependsOn: ["migrate"]}`,
			fmt.Sprintf(`{name: "release", type: "canary", components: ["web"], dependsOn: ["agree"], timeout: "3m", onFailure: "rollback"
			 properties: {stages: [{weight: 25, pause: "1s"}, {weight: 50, manual: true}], check: {url: %q, success: "status == 200", every: "1s", times: 2}}}`, health.URL)))
	}
	w.commit("a fleet", merge(open, tenant("acme", 12, ""), shop("1")))
	first := w.run("the first run waits for somebody", is("agree", model.StepActive))
	w.commit("agreed", ask(first.ID, "approve", "agree"))
	w.phase("acme/shop", model.PhaseRunning)
	w.settled()
	require.Zero(t, asked.Load(), "there was nothing to stage")

	w.commit("an update", shop("2"))
	second := w.run("the second run waits for somebody", func(r *model.Run) bool { return r.Number == 2 && is("agree", model.StepActive)(r) })
	require.Equal(t, "registry.example.com/web:1", w.image("shop-web"))
	jobs, err := w.cluster.Clientset.BatchV1().Jobs(w.name+"-acme").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, jobs.Items, 1, "the job of the run before is gone, and that of this one ran once")
	require.Equal(t, string(second.ID)+"/migrate/1", jobs.Items[0].Annotations[render.AnnotationIntent])

	w.commit("agreed again", ask(second.ID, "approve", "agree"))
	w.run("the second stage waits for somebody", func(r *model.Run) bool {
		s, _ := r.Step("release")
		return s.Stage == 1 && asked.Load() >= 4 // two for each stage
	})
	require.Equal(t, "registry.example.com/web:1", w.image("shop-web"))
	require.Equal(t, "registry.example.com/web:2", w.image("shop-web-next"))
	require.NotZero(t, asked.Load())
	w.commit("go on", ask(second.ID, "resume", "release"))
	w.phase("acme/shop", model.PhaseRunning)
	w.settled()
	require.Equal(t, "registry.example.com/web:2", w.image("shop-web"))
	list, err := w.cluster.Clientset.AppsV1().Deployments(w.name+"-acme").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, list.Items, 1, "the newer version does not run beside itself")
}

// TestApprovalOfAnotherRun: who agreed to one run agreed to no other, and can read so.
func TestApprovalOfAnotherRun(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 1, "8", "16Gi")
	shop := func(tag string) map[string]string {
		return app("acme", "shop", steps(web(1, tag), `{name: "agree", type: "approval"}`,
			`{name: "release", type: "deploy", dependsOn: ["agree"]}`))
	}
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 6, ""), shop("1")))
	first := w.run("the first run waits for somebody", is("agree", model.StepActive))
	w.commit("an update", shop("2"))
	w.run("the second run waits for somebody", func(r *model.Run) bool { return r.Number == 2 && is("agree", model.StepActive)(r) })
	w.commit("agreed to the first", ask(first.ID, "approve", "agree"))
	second := w.run("the approval is refused", func(r *model.Run) bool { return len(r.Commands) > 0 })
	require.Equal(t, model.RunRunning, second.Phase)
	require.True(t, is("agree", model.StepActive)(second))
	require.Contains(t, second.Commands[0].Refused, "look at that one and decide anew")
	file := w.git(w.repo, "show", "status:tenants/acme/shop/workflow.json")
	require.Contains(t, file, "look at that one and decide anew", "people read it on the branch")
	w.pass()
	require.False(t, w.last.Changed(), "it is said once")
}

// TestNeverHealthy: an update that never gets well is taken back, and what ran
// before serves all the time.
func TestNeverHealthy(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "8", "16Gi")
	shop := func(tag, labels string) map[string]string {
		return app("acme", "shop", steps(migration(tag)+fmt.Sprintf(`web: {
			type: "raw"
			resources: requests: {cpu: "400m", memory: "128Mi"}
			properties: objects: [{
				apiVersion: "apps/v1", kind: "Deployment", metadata: name: "shop"
				spec: {
					replicas: 2
					strategy: rollingUpdate: {maxUnavailable: 0, maxSurge: 1}
					selector: matchLabels: run: "shop"
					template: {
						metadata: labels: {run: "shop", %s}
						spec: containers: [{name: "web", image: "registry.example.com/web:%s", resources: requests: {cpu: "100m", memory: "32Mi"}}]
					}
				}
			}]
		}`, labels, tag), migrate,
			`{name: "release", type: "deploy", components: ["web"], dependsOn: ["migrate"], timeout: "8s", onFailure: "rollback"}`))
	}
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 12, ""), shop("1", "")))
	w.phase("acme/shop", model.PhaseRunning)
	w.settled()

	serving := w.watchReady("shop")
	w.commit("never gets well", shop("2", `"kwok.d-aros.dev/fail": "never-ready"`))
	run := w.run("the run is taken back", func(r *model.Run) bool { return r.Phase == model.RunRolledBack })
	require.Contains(t, run.Message, "release")
	w.phase("acme/shop", model.PhaseRunning)
	ledger := w.settled()
	inst, _ := ledger.Find(id("shop"))
	require.Equal(t, model.ReasonRolledBackSpec, inst.Refused.Reason)
	require.Equal(t, "registry.example.com/web:1", w.image("shop"))
	require.GreaterOrEqual(t, serving(), int32(2), "what ran before served all the time")

	w.commit("mended", shop("3", ""))
	w.run("the next run succeeds", func(r *model.Run) bool { return r.Number == 3 && r.Phase == model.RunSucceeded })
	w.phase("acme/shop", model.PhaseRunning)
	require.Equal(t, "registry.example.com/web:3", w.image("shop"))
}

// watchReady returns what tells the least that was ready of a Deployment since.
func (w *world) watchReady(name string) func() int32 {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	events, err := w.cluster.Clientset.AppsV1().Deployments(w.name+"-acme").Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	require.NoError(w.t, err)
	least, done := int32(1<<30), make(chan struct{})
	go func() {
		defer close(done)
		for e := range events.ResultChan() {
			if d, ok := e.Object.(*appsv1.Deployment); ok {
				least = min(least, d.Status.ReadyReplicas)
			}
		}
	}()
	return func() int32 {
		cancel()
		events.Stop()
		<-done
		return least
	}
}

// TestKilledInRelease releases again and again, kills the reconciler at every stage
// of a pass and before writes, in passes that are drawn, and lets a new one carry
// on: each run ends well, its job runs once, and no run is lost or done twice.
func TestKilledInRelease(t *testing.T) {
	rng := rand.New(rand.NewPCG(20261122, 0))
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "8", "16Gi")
	shop := func(tag int) map[string]string {
		tagged := fmt.Sprint(tag)
		return app("acme", "shop", steps(migration(tagged)+web(1, tagged), migrate, release))
	}
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 6, ""), shop(1)))
	w.run("the first run succeeds", succeeded(1))
	w.phase("acme/shop", model.PhaseRunning)
	w.settled()
	w.stop()
	points := []string{"write 1", "write 2", "write 3"}
	for stage := range 9 {
		points = append(points, fmt.Sprintf("stage %d", 1+stage+9*rng.IntN(3)))
	}
	for i, point := range points {
		number := i + 2
		w.commit(fmt.Sprint("release ", number), shop(number))
		t.Logf("release %d is killed at %s", number, point)
		w.sacrifice(point)
		w.start()
		run := w.run(fmt.Sprintf("run %d succeeds", number), succeeded(number))
		w.phase("acme/shop", model.PhaseRunning)
		w.stop()
		for _, s := range run.Steps {
			require.Equal(t, 1, s.Attempt, "step %s", s.Name)
		}
		jobs, err := w.cluster.Clientset.BatchV1().Jobs(w.name+"-acme").List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		require.Len(t, jobs.Items, 1)
		require.Equal(t, string(run.ID)+"/migrate/1", jobs.Items[0].Annotations[render.AnnotationIntent])
		require.Equal(t, fmt.Sprintf("registry.example.com/web:%d", number), w.image("shop-web"))
	}
}

// TestTwoReconcilers: two that do not know of each other release together. Each
// step is done once, as the branch lets one of them go first.
func TestTwoReconcilers(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "8", "16Gi")
	other := newEngine(t, w.repo, w.name, w.cluster.Config)
	shop := func(tag string) map[string]string {
		return app("acme", "shop", steps(migration(tag)+web(2, tag), migrate, release))
	}
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 6, ""), shop("1")))
	ctx, cancel := context.WithCancel(t.Context())
	var both sync.WaitGroup
	for _, e := range []*engine{w.engine, other} {
		both.Go(func() { _ = e.loop.Run(ctx) })
	}
	defer both.Wait()
	defer cancel()
	for number := 1; number <= 3; number++ {
		if number > 1 {
			w.commit("an update", shop(fmt.Sprint(number)))
		}
		var run *model.Run
		assert.Eventually(t, func() bool {
			ledger := w.ledger()
			inst, ok := ledger.Find(id("shop"))
			if !ok || inst.Run == nil || !succeeded(number)(inst.Run) || inst.Phase != model.PhaseRunning {
				return false
			}
			run = inst.Run
			return true
		}, patience, 200*time.Millisecond, "run %d succeeds", number)
		if run == nil {
			t.Fatal(describe(w.ledger()))
		}
		for _, s := range run.Steps {
			require.Equal(t, 1, s.Attempt, "step %s", s.Name)
		}
	}
	require.Equal(t, "registry.example.com/web:3", w.image("shop-web"))
	jobs, err := w.cluster.Clientset.BatchV1().Jobs(w.name+"-acme").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for i := range jobs.Items {
		require.LessOrEqual(t, jobs.Items[i].Status.Succeeded, int32(1))
	}
}

// TestAPIServerAwayInRelease: an outage in the middle of a rollout is no failure of
// it: nothing is decided meanwhile, and it goes on where it was.
func TestAPIServerAwayInRelease(t *testing.T) {
	const outage = time.Minute // far longer than what was seen last counts
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "8", "16Gi")
	road := newRoad(t, w.cluster.Config)
	w.stop()
	w.engine = newEngine(t, w.repo, w.name, road.config)
	shop := func(tag string) map[string]string {
		return app("acme", "shop", steps(migration(tag)+web(2, tag), migrate, release))
	}
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 6, ""), shop("1")))
	w.run("the first run succeeds", succeeded(1))
	w.phase("acme/shop", model.PhaseRunning)
	w.settled()

	w.commit("an update", shop("2"))
	w.run("the release is on its way", is("release", model.StepActive))
	road.close()
	away := time.Now()
	require.Eventually(t, func() bool {
		_, err := w.loop.Pass(t.Context())
		return err != nil && time.Since(away) > outage
	}, outage+patience, time.Second, "the outage is noticed, and lasts")
	ledger := w.ledger()
	inst, _ := ledger.Find(id("shop"))
	require.Equal(t, 2, inst.Run.Number)
	require.NotContains(t, []model.RunPhase{model.RunFailed, model.RunFailing, model.RunRollingBack, model.RunRolledBack}, inst.Run.Phase)

	road.open()
	require.Eventually(t, func() bool {
		_, err := w.loop.Pass(t.Context())
		return err == nil
	}, patience, 100*time.Millisecond)
	run := w.run("the second run succeeds", succeeded(2))
	w.phase("acme/shop", model.PhaseRunning)
	for _, s := range run.Steps {
		require.Equal(t, 1, s.Attempt, "step %s", s.Name)
	}
	require.Equal(t, "registry.example.com/web:2", w.image("shop-web"))
}

// deletions counts requests that delete, and sends them on.
type deletions struct {
	next  http.RoundTripper
	count *atomic.Int64
}

func (d *deletions) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodDelete {
		d.count.Add(1)
	}
	return d.next.RoundTrip(r)
}

// TestThereAndBack goes from one spec to another and back within a second, a hundred
// times, while the reconciler looks on: nothing is deleted.
func TestThereAndBack(t *testing.T) {
	w := newWorld(t)
	w.cluster.AddNodes(t, w.name, 2, "8", "16Gi")
	w.stop()
	deleted := new(atomic.Int64)
	cfg := rest.CopyConfig(w.cluster.Config)
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return &deletions{next, deleted} })
	w.engine = newEngine(t, w.repo, w.name, cfg, func(o *reconcile.Options) { o.Interval = 50 * time.Millisecond })
	shop := func(tag string) map[string]string {
		return app("acme", "shop", steps(web(1, tag), `{name: "release", type: "deploy", timeout: "5m"}`,
			`{name: "rest", type: "wait", dependsOn: ["release"], properties: for: "1s"}`))
	}
	w.commit("a fleet", merge(platform(w.name), tenant("acme", 6, ""), shop("a")))
	w.phase("acme/shop", model.PhaseRunning)
	w.settled()
	deployments := w.cluster.Clientset.AppsV1().Deployments(w.name + "-acme")
	before, err := deployments.Get(t.Context(), "shop-web", metav1.GetOptions{})
	require.NoError(t, err)

	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	var there atomic.Bool // the other spec was accepted
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			r, err := w.loop.Pass(ctx)
			if err != nil && ctx.Err() == nil && !errors.Is(err, status.ErrMoved) {
				t.Errorf("pass: %v", err)
				return
			}
			for _, c := range r.Transitions() {
				there.Store(there.Load() || c.Reason == model.ReasonUpdateAdmitted)
			}
		}
	}()
	for n := 0; n < 100 || n < 1000 && !there.Load(); n++ {
		w.commit("there", shop("b"))
		w.commit("and back", shop("a"))
	}
	require.True(t, there.Load(), "no pass has seen the other spec")
	cancel()
	<-done
	inst := w.phase("acme/shop", model.PhaseRunning)
	w.settled()
	after, err := deployments.Get(t.Context(), "shop-web", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, before.UID, after.UID)
	require.Equal(t, "registry.example.com/web:a", w.image("shop-web"))
	require.Zero(t, deleted.Load())
	require.Equal(t, 1, inst.Number)
	require.Greater(t, inst.Run.Number, 2)
	t.Logf("%d runs", inst.Run.Number)
}
