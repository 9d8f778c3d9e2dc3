//go:build linux

package nodeagent

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/qos/cgroup"
	"github.com/d-aros/d-aros/test/cgrouptest"
)

// node is a group with an agent that looks after it.
type node struct {
	t    *testing.T
	name string // of the group
	dir  string
	cfg  Config
	log  *syncBuffer
}

type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func logTo(b *syncBuffer) *slog.Logger { return slog.New(slog.NewTextHandler(b, nil)) }

// enforcing returns an agent that has made the plan of 200m true once.
func (n *node) enforcing() *agent {
	n.t.Helper()
	n.write(n.document("200m"))
	a, err := open(n.cfg, false)
	require.NoError(n.t, err)
	n.t.Cleanup(a.close)
	require.NoError(n.t, a.pass(n.t.Context(), false))
	return a
}

func newNode(t *testing.T) *node {
	cgrouptest.V1(t, "cpu")
	name := cgrouptest.Name(t) + "/web"
	log := &syncBuffer{}
	return &node{
		t: t, name: name, dir: cgrouptest.Group(t, cgrouptest.Root+"/cpu", name), log: log,
		cfg: Config{
			Plan: filepath.Join(t.TempDir(), "plan.yaml"), Root: cgrouptest.Root, StateDir: filepath.Join(t.TempDir(), "state"),
			Interval: 200 * time.Millisecond, Log: logTo(log),
		},
	}
}

func (n *node) document(limit string) string {
	return fmt.Sprintf("apiVersion: d-aros.dev/v1alpha1\nkind: NodePlan\nsource: abc123\nworkloads:\n- {name: web, cgroup: %s, profile: burstable, cpu: {request: 100m, limit: %s}}\n", n.name, limit)
}

// write replaces the plan by renaming, as a careful writer does.
func (n *node) write(text string) {
	next := n.cfg.Plan + ".next"
	require.NoError(n.t, os.WriteFile(next, []byte(text), 0o600))
	require.NoError(n.t, os.Rename(next, n.cfg.Plan))
}

// start runs the agent until stop, which returns what Run returned.
func (n *node) start() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Run(ctx, n.cfg) }()
	stop = sync.OnceFunc(func() {
		cancel()
		require.NoError(n.t, <-done)
	})
	n.t.Cleanup(stop)
	return stop
}

func (n *node) quota() string { return cgrouptest.Read(n.t, n.dir, "cpu.cfs_quota_us") }

func (n *node) eventually(what string, ok func() bool) {
	n.t.Helper()
	require.Eventually(n.t, ok, 2*time.Minute, 5*time.Millisecond, "%s; log:\n%s", what, n.log)
}

func (n *node) eventuallyQuota(want string) {
	n.t.Helper()
	n.eventually("quota "+want, func() bool { return n.quota() == want })
}

func TestAgent(t *testing.T) {
	n := newNode(t)
	n.write(n.document("200m"))
	stop := n.start()
	n.eventuallyQuota("20000")

	n.write(n.document("300m"))
	n.eventuallyQuota("30000")
	n.eventually("the agent knows that it wrote this", func() bool { return strings.Contains(n.log.String(), "value=30000") })

	cgrouptest.Write(t, n.dir, "cpu.cfs_burst_us", "0")
	cgrouptest.Write(t, n.dir, "cpu.cfs_quota_us", "90000")
	n.eventuallyQuota("30000")
	n.eventually("drift is said", func() bool { return strings.Contains(n.log.String(), "drift repaired") })

	n.write("apiVersion: d-aros.dev/v1alpha1\nkind: NodePlan\nworkloads: [{nam: x}]\n")
	n.eventually("the refusal is said", func() bool {
		return strings.Contains(n.log.String(), "the last good plan stays in force") && strings.Contains(n.log.String(), "line 3: field nam not found")
	})
	require.Equal(t, "30000", n.quota())
	cgrouptest.Write(t, n.dir, "cpu.cfs_quota_us", "-1")
	n.eventuallyQuota("30000")

	_, err := Release(n.cfg)
	require.ErrorIs(t, err, ErrRunning)
	stop()
	require.Equal(t, "30000", n.quota(), "stopping keeps the promise")
	require.Equal(t, 1, strings.Count(n.log.String(), "plan refused"), "%s", n.log)

	// A restart without a usable plan, with what is on disk.
	require.NoError(t, os.Remove(n.cfg.Plan))
	cgrouptest.Write(t, n.dir, "cpu.cfs_quota_us", "-1")
	stop = n.start()
	n.eventuallyQuota("30000")
	var report Report
	n.eventually("the report says so", func() bool {
		var running bool
		report, running, err = ReadReport(n.cfg.StateDir)
		return err == nil && running && report.Stale && strings.Contains(report.Problem, "no such file")
	})
	require.Equal(t, "abc123", report.Source)
	require.False(t, report.Holds())

	n.write(n.document("400m"))
	n.eventuallyQuota("40000")
	stop()

	released, err := Release(n.cfg)
	require.NoError(t, err)
	require.NotEmpty(t, released.Outcomes)
	require.Equal(t, "-1", n.quota())
	require.Equal(t, "0", cgrouptest.Read(t, n.dir, "cpu.cfs_burst_us"))
}

// A ConfigMap volume swaps a link beside the file and never touches the file.
func TestConfigMapSwap(t *testing.T) {
	n := newNode(t)
	n.cfg.Interval = time.Hour // only the event can bring the news
	dir := filepath.Dir(n.cfg.Plan)
	revision := func(name, limit string) {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name, "plan.yaml"), []byte(n.document(limit)), 0o600))
		require.NoError(t, os.Symlink(name, filepath.Join(dir, "..data_tmp")))
		require.NoError(t, os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")))
	}
	revision("..1", "200m")
	require.NoError(t, os.Symlink("..data/plan.yaml", n.cfg.Plan))
	n.start()
	n.eventuallyQuota("20000")
	revision("..2", "300m")
	n.eventuallyQuota("30000")
}

// Nothing is written while nothing changes: not to the kernel, not to the disk.
func TestSteadyState(t *testing.T) {
	n := newNode(t)
	a := n.enforcing()
	require.NotZero(t, count(t, a.metrics.writes))
	steady := func() bool {
		before, writes := snapshot(t, n.cfg.StateDir), count(t, a.metrics.writes)
		for range 5 {
			require.NoError(t, a.pass(t.Context(), false))
		}
		return maps.Equal(before, snapshot(t, n.cfg.StateDir)) && writes == count(t, a.metrics.writes)
	}
	tries := 0
	for !steady() { // more threads of other programs than before may compete with the group
		tries++
		require.Less(t, tries, 50)
	}
	require.Zero(t, count(t, a.metrics.drift))
}

func count(t *testing.T, c prometheus.Counter) float64 {
	var m dto.Metric
	require.NoError(t, c.Write(&m))
	return m.GetCounter().GetValue()
}

// snapshot tells files apart even when they are replaced by the same content.
func snapshot(t *testing.T, dir string) map[string]string {
	files := map[string]string{}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		info, err := e.Info()
		require.NoError(t, err)
		files[e.Name()] = fmt.Sprint(info.ModTime(), info.Sys())
	}
	return files
}

func TestLastGoodPlanIsCheckedAgainstItsDigest(t *testing.T) {
	n := newNode(t)
	n.write(n.document("200m"))
	report, err := Once(t.Context(), n.cfg, false)
	require.NoError(t, err)
	require.True(t, report.Holds())
	require.NoError(t, os.Remove(n.cfg.Plan))
	kept := filepath.Join(n.cfg.StateDir, planFile)
	data, err := os.ReadFile(kept)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(kept, bytes.Replace(data, []byte("200m"), []byte("900m"), 1), 0o600))
	report, err = Once(t.Context(), n.cfg, false)
	require.NoError(t, err)
	require.Contains(t, report.Problem, "does not match its digest")
	require.Equal(t, "20000", n.quota(), "no plan at all releases nothing")
	_, err = Release(n.cfg)
	require.NoError(t, err)
}

func TestDryRunLeavesNoTrace(t *testing.T) {
	n := newNode(t)
	n.write(n.document("200m"))
	report, err := Once(t.Context(), n.cfg, true)
	require.NoError(t, err)
	require.True(t, report.Differs())
	require.Equal(t, "-1", n.quota())
	require.NoDirExists(t, n.cfg.StateDir)
}

func TestBrokenJournalIsNotIgnored(t *testing.T) {
	n := newNode(t)
	n.write(n.document("200m"))
	require.NoError(t, os.MkdirAll(n.cfg.StateDir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(n.cfg.StateDir, journalFile), []byte("{"), 0o600))
	require.ErrorContains(t, Run(t.Context(), n.cfg), "it holds the original values")
	require.Equal(t, "-1", n.quota())
}

func TestMissingGroupIsWaitedFor(t *testing.T) {
	n := newNode(t)
	require.NoError(t, os.Remove(n.dir))
	n.write(n.document("200m"))
	n.start()
	n.eventually("waiting is said, once", func() bool { return strings.Count(n.log.String(), "waiting for the cgroup") == 1 })
	cgrouptest.Group(t, cgrouptest.Root+"/cpu", n.name)
	n.eventuallyQuota("20000")
}

func TestHealthAndMetrics(t *testing.T) {
	n := newNode(t)
	n.write(n.document("200m"))
	a, err := open(n.cfg, false)
	require.NoError(t, err)
	defer a.close()
	get := func(path string) (int, string) {
		w := httptest.NewRecorder()
		a.handler().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		return w.Code, w.Body.String()
	}
	code, _ := get("/healthz")
	require.Equal(t, 503, code, "no turn yet")
	require.NoError(t, a.pass(t.Context(), false))
	code, body := get("/healthz")
	require.Equal(t, 200, code)
	require.Equal(t, "ok\n", body)
	_, body = get("/metrics")
	require.Contains(t, body, `daros_node_settings{state="`+string(cgroup.InForce)+`"} 4`)
	require.Contains(t, body, "daros_node_plan_valid 1")
	require.Contains(t, body, `daros_node_workload_cpu_share_cores{workload="web"}`)
	n.write("nonsense")
	require.NoError(t, a.pass(t.Context(), false))
	code, body = get("/healthz")
	require.Equal(t, 200, code, "a restart would not mend a plan")
	require.Contains(t, body, "the last good plan stays in force")
	_, body = get("/metrics")
	require.Contains(t, body, "daros_node_plan_valid 0")
}
