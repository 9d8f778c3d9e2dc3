package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/reconcile"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/pkg/view"
	"github.com/d-aros/d-aros/test/gittest"
	"github.com/d-aros/d-aros/test/paper"
)

// world is a fleet repo with a work tree, and the reconciler's own loop over it. In
// place of a cluster there is paper: capacity as a test says, and workloads that do
// what the status branch tells them, at once.
type world struct {
	t     *testing.T
	repo  *gittest.Repo
	now   time.Time
	paper *paper.Runtime
	loop  *reconcile.Loop
}

var worldBegins = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, repo: gittest.New(t), now: worldBegins}
	var err error
	w.paper, w.loop, err = newPaperLoop(t.Context(), w.repo.Dir, t.TempDir(), func() time.Time { return w.now }, t.Cleanup)
	require.NoError(t, err)
	w.repo.Write("fleet.cue", paper.Fleet)
	w.tenant("acme", 32)
	w.tenant("globex", 32)
	return w
}

// newPaperLoop makes a reconciler over a repo that evaluates as the tests of this package do.
func newPaperLoop(ctx context.Context, repo, dir string, now func() time.Time, atEnd func(func())) (*paper.Runtime, *reconcile.Loop, error) {
	evaluator, err := newEvaluator()
	if err != nil {
		return nil, nil, err
	}
	return paper.Open(ctx, paper.Options{Repo: repo, Dir: dir, Evaluator: evaluator, Now: now, AtEnd: atEnd})
}

func (w *world) tenant(name string, cpu int) {
	w.repo.Write("tenants/"+name+"/tenant.cue", paper.Tenant(name, cpu))
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
