package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/reconcile"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/pkg/turn"
	"github.com/d-aros/d-aros/pkg/view"
	"github.com/d-aros/d-aros/test/gittest"
)

// world is a fleet repo with a work tree, and the reconciler's own loop over it. In
// place of a cluster there is paper: capacity as a test says, and workloads that do
// what the status branch tells them, at once.
type world struct {
	t     *testing.T
	repo  *gittest.Repo
	now   time.Time
	paper *paper
	loop  *reconcile.Loop
}

var worldBegins = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, repo: gittest.New(t), now: worldBegins}
	var err error
	w.paper, w.loop, err = newPaperLoop(t.Context(), w.repo.Dir, t.TempDir(), func() time.Time { return w.now }, t.Cleanup)
	require.NoError(t, err)
	w.repo.Write("fleet.cue", `package fleet

import "d-aros.dev/schema"

schema.#Fleet
platform: {
	name: "test"
	policy: {
		limits: {maxReplicas: 50, priorityCeiling: 1000, maxShare: 1.0}
		images: registries: ["example.com"]
		runtimes: ["container"]
		defaults: {replicas: 1, priority: 100, strategy: "spread", startDeadline: "10m"}
	}
	pools: general: {os: ["linux"], runtimes: ["container"], nodes: selector: pool: "general", price: {cpu: 0.03, memory: 0.004}}
	allotments: {acme: {}, globex: {}, initech: {}}
}
`)
	w.tenant("acme", 32)
	w.tenant("globex", 32)
	return w
}

// newPaperLoop makes a reconciler over a repo, with one pool of 16 cores.
func newPaperLoop(ctx context.Context, repo, dir string, now func() time.Time, atEnd func(func())) (*paper, *reconcile.Loop, error) {
	src, err := source.Open(ctx, source.Options{URL: repo, Dir: filepath.Join(dir, "source")})
	if err != nil {
		return nil, nil, err
	}
	atEnd(func() { _ = src.Close() })
	branch, err := status.Open(ctx, status.Options{URL: repo, Dir: filepath.Join(dir, "status")})
	if err != nil {
		return nil, nil, err
	}
	atEnd(func() { _ = branch.Close() })
	p := &paper{branch: branch, pools: []model.Pool{{Name: "general", Nodes: 4, Capacity: model.Resources{CPU: 16_000, Memory: 64 << 30}}}}
	evaluator, err := newEvaluator()
	if err != nil {
		return nil, nil, err
	}
	return p, reconcile.New(reconcile.Options{
		Edges: reconcile.Edges{Source: src, Status: branch, Runtime: p, Evaluator: evaluator, Commands: reconcile.NewApprovals(evaluator)},
		Fleet: "fleet", Interval: time.Second, Now: now,
		Recognition: reconcile.Recognition{Signed: true}, // nobody else writes here: these tests are not about forged saves
	}), nil
}

func (w *world) tenant(name string, cpu int) {
	w.repo.Write("tenants/"+name+"/tenant.cue", fmt.Sprintf(`package fleet

tenant: {
	name: %q
	quota: {cpu: "%d", memory: "256Gi", applications: 50, workloads: 100, priorityCeiling: 900}
}
`, name, cpu))
}

// app writes an application of one component with so many replicas of a core each.
func (w *world) app(tenant, name string, replicas, priority int) {
	w.repo.Write("tenants/"+tenant+"/apps/"+name+"/app.cue", fmt.Sprintf(`package fleet

application: {
	name:     %q
	priority: %d
	components: web: {
		type: "worker", replicas: %d
		properties: image: "example.com/web:1"
		resources: requests: {cpu: "1", memory: "1Gi"}
		degrade: minReplicas: 1
	}
}
`, name, priority, replicas))
}

// pass makes one pass of the reconciler that must go through.
func (w *world) pass() {
	w.t.Helper()
	_, err := w.loop.Pass(w.t.Context())
	for errors.Is(err, status.ErrMoved) {
		_, err = w.loop.Pass(w.t.Context())
	}
	require.NoError(w.t, err)
}

// passes makes passes, a minute apart, until one changes nothing.
func (w *world) passes() {
	w.t.Helper()
	for range 20 {
		before := w.tip()
		w.pass()
		w.now = w.now.Add(time.Minute)
		if w.tip() == before {
			return
		}
	}
	w.t.Fatal("the passes do not come to rest")
}

// tip is the newest commit of the status branch, "" before the first.
func (w *world) tip() string {
	out, err := w.repo.Command("rev-parse", "--verify", "--quiet", "refs/heads/status").Output()
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(out))
}

// plan runs the command on the work tree and reads what it says.
func (w *world) plan(code int, args ...string) view.Plan {
	w.t.Helper()
	var v view.Plan
	w.run(code, &v, append([]string{"plan", "--repo", w.repo.Dir, "--now", w.now.Format(time.RFC3339), "-o", "json"}, args...)...)
	return v
}

func (w *world) run(code int, into any, args ...string) {
	w.t.Helper()
	got, out, errOut := w.command(args...)
	require.Equal(w.t, code, got, "%s%s", out, errOut)
	require.Empty(w.t, errOut)
	require.NoError(w.t, json.Unmarshal([]byte(out), into))
}

// text runs the command and returns what people read.
func (w *world) text(code int, args ...string) string {
	w.t.Helper()
	got, out, errOut := w.command(args...)
	require.Equal(w.t, code, got, "%s%s", out, errOut)
	return out
}

// command runs the command in a process that the race detector does not watch: what it does is done by one goroutine, and
// the detector makes it ten times as slow.
func (w *world) command(args ...string) (code int, out, errOut string) {
	w.t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(w.t.Context(), filepath.Join(commandDir, "reconciler"), args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		require.NoError(w.t, err)
	}
	return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

// paper is a runtime that needs no machines.
type paper struct {
	branch *status.Branch
	pools  []model.Pool
	steady bool                   // everything fares as the status branch says
	slow   func(model.AppID) bool // what it does not start; nil: nothing
	broken func(model.AppID) bool // what fails; nil: nothing

	also func(*model.Ledger, *model.Observation) // what else is seen; nil: nothing
	act  func(app model.AppID) runtime.Outcome   // what an assignment came to; nil: nobody says
}

func (p *paper) Inspect(ctx context.Context, platform *model.Platform) (model.Observation, error) {
	ledger, err := p.branch.Load(ctx)
	if err != nil {
		return model.Observation{}, err
	}
	seen := model.Observation{}
	for i := range platform.Pools {
		spec := &platform.Pools[i]
		pool := model.Pool{Name: spec.Name}
		if n := slices.IndexFunc(p.pools, func(p model.Pool) bool { return p.Name == spec.Name }); n >= 0 {
			pool = p.pools[n]
		}
		if spec.Capacity != nil {
			pool.Capacity = *spec.Capacity
		}
		seen.Pools = append(seen.Pools, pool)
	}
	for _, w := range turn.AsRecorded(&ledger) {
		switch {
		case p.steady:
		case p.broken != nil && p.broken(w.App):
			w.Ready, w.Failure = 0, &model.Failure{Class: "runtime", Reason: "ContainerCrash", ExitCode: 1}
		case p.slow == nil || !p.slow(w.App):
			w.Ready, w.Current = w.Replicas, true
		}
		seen.Workloads = append(seen.Workloads, w)
	}
	if p.also != nil {
		p.also(&ledger, &seen)
	}
	return seen, nil
}

func (p *paper) Act(_ context.Context, list []runtime.Assignment) (report runtime.Report) {
	for i := range list {
		if p.act != nil {
			report.Outcomes = append(report.Outcomes, p.act(list[i].App))
		}
	}
	return report
}

func (p *paper) Drifted() []model.AppID   { return nil }
func (p *paper) Changed() <-chan struct{} { return nil }
