package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/outbound"
	"github.com/d-aros/d-aros/pkg/reconcile"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/runtime/kubernetes"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/clustertest"
	"github.com/d-aros/d-aros/test/evaluators"
)

// patience is how long a test waits for something to happen. It is generous,
// because the machine may be busy with other tests.
const patience = 2 * time.Minute

// world is a fleet repo, a cluster and a loop between them.
type world struct {
	t       *testing.T
	cluster *clustertest.Cluster
	name    string // of the fleet, of its pool, and the prefix of its namespaces
	repo    string // bare
	clone   string // where commits are made

	*engine
}

// engine is one run of the reconciler: all that a restart loses.
type engine struct {
	source  *source.Repository
	branch  *status.Branch
	carrier *kubernetes.Runtime
	mux     *runtime.Mux
	loop    *reconcile.Loop
	writes  *atomic.Int64 // requests to the API server that write, but for the anchor
	anchors *atomic.Int64 // requests that write the anchor
	last    reconcile.Report
}

// newWorld returns a world beside those of other tests: each mostly waits for the cluster.
func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	cluster := clustertest.Start(t)
	w := &world{t: t, cluster: cluster, name: cluster.Prefix(t)}
	dir := t.TempDir()
	w.repo, w.clone = filepath.Join(dir, "fleet.git"), filepath.Join(dir, "clone")
	w.git(dir, "init", "-q", "--bare", "-b", "main", w.repo)
	w.git(dir, "clone", "-q", w.repo, w.clone)
	t.Cleanup(func() {
		_ = cluster.Clientset.CoreV1().ConfigMaps(anchors).Delete(context.Background(), "daros-"+w.name, metav1.DeleteOptions{})
	})
	w.start()
	return w
}

// start runs the reconciler anew.
func (w *world) start() { w.engine = newEngine(w.t, w.repo, w.name, w.cluster.Config) }

func newEngine(t *testing.T, repo, name string, cluster *rest.Config, options ...func(*reconcile.Options)) *engine {
	t.Helper()
	return newEngineIn(t, t.TempDir(), repo, name, cluster, options...)
}

// newEngineIn is newEngine with its caches below dir.
func newEngineIn(t *testing.T, dir, repo, name string, cluster *rest.Config, options ...func(*reconcile.Options)) *engine {
	t.Helper()
	ctx := t.Context()
	e := &engine{writes: new(atomic.Int64), anchors: new(atomic.Int64)}
	var err error
	e.source, err = source.Open(ctx, source.Options{URL: repo, Dir: filepath.Join(dir, "source")})
	require.NoError(t, err)
	e.branch, err = status.Open(ctx, status.Options{URL: repo, Dir: filepath.Join(dir, "status")})
	require.NoError(t, err)
	evaluator := evaluators.New(t)
	cfg := rest.CopyConfig(cluster)
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return &counter{next, e.writes, e.anchors} })
	named := reconcile.Options{Prefix: name + "-"}
	for _, set := range options {
		set(&named)
	}
	e.carrier, err = kubernetes.New(cfg, kubernetes.Options{Fleet: name, Prefix: named.Prefix, Slice: named.Slice / 4, Build: evaluator.Build})
	require.NoError(t, err)
	e.mux = runtime.NewMux(e.carrier)
	others := outbound.NewDispatcher(outbound.Options{})
	t.Cleanup(others.Close)
	o := reconcile.Options{
		Edges: reconcile.Edges{
			Source: e.source, Status: e.branch, Runtime: e.mux, Audience: reconcile.Audience{Events: e.carrier}, Evaluator: evaluator,
			Commands: reconcile.NewApprovals(evaluator), Outbound: others,
		},
		Fleet: name, Prefix: name + "-", Interval: time.Second,
		Recognition: reconcile.Recognition{Anchor: e.carrier, Branch: "status", Signed: true}, // nobody forges saves here
	}
	for _, set := range options {
		set(&o)
	}
	e.loop = reconcile.New(o)
	t.Cleanup(e.stop)
	return e
}

// stop ends the run, without any goodbye.
func (e *engine) stop() {
	e.mux.Close()
	e.source.Close()
	e.branch.Close()
}

// counter counts the requests that write to objects. Events are news about
// objects and not counted.
type counter struct {
	next            http.RoundTripper
	writes, anchors *atomic.Int64
}

func (c *counter) RoundTrip(r *http.Request) (*http.Response, error) {
	switch {
	case r.Method == http.MethodGet, strings.Contains(r.URL.Path, "/events"):
	case strings.Contains(r.URL.Path, "/configmaps/daros-"):
		c.anchors.Add(1)
	default:
		c.writes.Add(1)
	}
	return c.next.RoundTrip(r)
}

// git runs git in dir and returns what it prints.
func (w *world) git(dir string, args ...string) string {
	w.t.Helper()
	out, err := gitCommand(dir, args...)
	require.NoError(w.t, err, "git %v: %s", args, out)
	return out
}

func gitCommand(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=dev", "GIT_AUTHOR_EMAIL=dev@example.com", "GIT_COMMITTER_NAME=dev", "GIT_COMMITTER_EMAIL=dev@example.com")
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// commit writes files (an empty content deletes one) and pushes them to main. It
// returns the commit.
func (w *world) commit(message string, files map[string]string) string {
	w.t.Helper()
	for name, content := range files {
		if content != "" {
			path := filepath.Join(w.clone, name)
			require.NoError(w.t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(w.t, os.WriteFile(path, []byte(content), 0o644))
		}
	}
	for name, content := range files { // last, because they may be directories of files written above
		if content == "" {
			require.NoError(w.t, os.RemoveAll(filepath.Join(w.clone, name)))
		}
	}
	w.git(w.clone, "add", "-A")
	w.git(w.clone, "commit", "-q", "--allow-empty", "-m", message)
	w.git(w.clone, "push", "-q", "origin", "HEAD:main")
	return w.git(w.clone, "rev-parse", "HEAD")
}

// pass makes one pass that must go through.
func (w *world) pass() reconcile.Report {
	w.t.Helper()
	r, err := w.loop.Pass(w.t.Context())
	for errors.Is(err, status.ErrMoved) {
		r, err = w.loop.Pass(w.t.Context())
	}
	require.NoError(w.t, err)
	require.NoError(w.t, r.SourceErr)
	w.last = r
	return r
}

// until makes passes, each after something happened in the cluster, until the
// ledger is as wanted.
func (w *world) until(what string, wanted func(*model.Ledger) bool) model.Ledger {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	for {
		w.pass()
		ledger := w.ledger()
		if wanted(&ledger) {
			return ledger
		}
		select {
		case <-w.carrier.Changed():
		case <-time.After(time.Second): // a deadline or a retry
		case <-ctx.Done():
			w.t.Fatalf("waited %s for: %s\n%s", patience, what, describe(ledger))
		}
	}
}

// phase waits until an application is in a phase.
func (w *world) phase(app string, phase model.Phase) *model.Instance {
	w.t.Helper()
	id, err := model.ParseAppID(app)
	require.NoError(w.t, err)
	ledger := w.until(app+" is "+string(phase), func(l *model.Ledger) bool {
		inst, ok := l.Find(id)
		return ok && inst.Phase == phase
	})
	inst, _ := ledger.Find(id)
	return inst
}

// settled waits until nothing starts any more and a pass changes nothing.
func (w *world) settled() model.Ledger {
	w.t.Helper()
	return w.until("everything has settled", func(l *model.Ledger) bool {
		for i := range l.Instances {
			if l.Instances[i].Phase == model.PhaseScheduled {
				return false
			}
		}
		return !w.last.Changed()
	})
}

// ledger reads what the branch says, with eyes of its own.
func (w *world) ledger() model.Ledger {
	w.t.Helper()
	branch, err := status.Open(w.t.Context(), status.Options{URL: w.repo, Dir: w.t.TempDir()})
	require.NoError(w.t, err)
	defer branch.Close()
	ledger, err := branch.Load(w.t.Context())
	require.NoError(w.t, err)
	return ledger
}

// statusCommits counts the commits of the status branch.
func (w *world) statusCommits() int {
	w.t.Helper()
	return len(strings.Fields(w.git(w.repo, "rev-list", "status")))
}

func describe(l model.Ledger) string {
	var b strings.Builder
	for i := range l.Instances {
		inst := &l.Instances[i]
		fmt.Fprintf(&b, "%s#%d %s %s: %s\n", inst.App, inst.Number, inst.Phase, inst.Reason, inst.Message)
		for _, s := range inst.Components {
			fmt.Fprintf(&b, "  %s run %d of %d: %s %s\n", s.Grant.Component, s.Run, s.Grant.Replicas, s.State, s.Message)
		}
		if run := inst.Run; run != nil {
			fmt.Fprintf(&b, "  workflow run %d: %s %s\n", run.Number, run.Phase, run.Message)
			for _, s := range run.Steps {
				fmt.Fprintf(&b, "    %s: %s, attempt %d: %s\n", s.Name, s.Phase, s.Attempt, s.Message)
			}
		}
	}
	for _, p := range l.Problems {
		fmt.Fprintf(&b, "%s %s: %s %v\n", p.Code, p.Path, p.Message, p.Places)
	}
	return b.String()
}
