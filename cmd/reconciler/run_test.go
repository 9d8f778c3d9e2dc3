package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/buildinfo"
	"github.com/d-aros/d-aros/pkg/dashboard"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/clustertest"
	"github.com/d-aros/d-aros/test/gittest"
)

// output is what a command writes while the test reads it.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// TestRunNamesItself: what run saves tells which program saved it.
func TestRunNamesItself(t *testing.T) {
	f := runFlags{repo: gittest.NewBare(t).Dir, status: statusFlags{branch: "status"}, stateDir: t.TempDir()}
	build := buildinfo.Info{Version: "v0.9.0", Commit: "0123456789abcdef0123456789abcdef01234567", Go: "go1.26.0"}
	options, err := f.statusOptions(build, mostStatus, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	branch, err := status.Open(t.Context(), options)
	require.NoError(t, err)
	defer branch.Close()
	past, err := branch.Load(t.Context())
	require.NoError(t, err)
	_, _, err = branch.Commit(t.Context(), past, fixture(worldBegins)[0])
	require.NoError(t, err)
	newest, err := branch.Newest(t.Context())
	require.NoError(t, err)
	require.Equal(t, "reconciler v0.9.0 (commit 0123456789ab)", newest.WrittenBy)
}

// TestRunServesAndStops: run answers its probes truly and ends well when asked to.
func TestRunServesAndStops(t *testing.T) {
	cluster := clustertest.Start(t)
	name := cluster.Prefix(t)
	remote := gittest.NewBare(t)
	const limit = 5 * time.Minute // for a machine that has much else to do
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var log output
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"run", "--repo", remote.Dir, "--kubeconfig", cluster.Kubeconfig, "--state-dir", t.TempDir(),
			"--listen", "127.0.0.1:0", "--fleet", name, "--namespace-prefix", name + "-", "--interval", "1s"}, io.Discard, &log)
	}()
	serving := regexp.MustCompile(`msg=serving address=(\S+)`)
	var address string
	require.Eventually(t, func() bool {
		m := serving.FindStringSubmatch(log.String())
		if m != nil {
			address = m[1]
		}
		return m != nil
	}, limit, 50*time.Millisecond)
	get := func(path string) (int, string) {
		resp, err := http.Get("http://" + address + path)
		require.NoError(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp.StatusCode, string(body)
	}
	require.Eventually(t, func() bool {
		code, body := get("/readyz")
		return code == http.StatusServiceUnavailable && regexp.MustCompile("source unavailable.*no branch").MatchString(body)
	}, limit, 50*time.Millisecond, "an empty repo is no fleet")
	code, _ := get("/healthz")
	require.Equal(t, http.StatusOK, code)

	push(t, remote.Dir, map[string]string{"fleet.cue": "package fleet\n\nimport \"d-aros.dev/schema\"\n\nschema.#Fleet\n\n" +
		"platform: {\n\tname: \"test\"\n\tpolicy: {limits: {maxReplicas: 5, priorityCeiling: 100}, images: registries: [\"example.com\"], " +
		"runtimes: [\"container\"], defaults: {replicas: 1, priority: 10, strategy: \"spread\", startDeadline: \"1m\"}}\n" +
		"\tpools: general: {os: [\"linux\"], runtimes: [\"container\"], capacity: {cpu: \"1\", memory: \"1Gi\"}}\n}\n"})
	require.Eventually(t, func() bool {
		code, _ := get("/readyz")
		return code == http.StatusOK
	}, limit, 50*time.Millisecond, "%s", &log)
	resp, err := http.Get("http://" + address + "/readyz")
	require.NoError(t, err)
	resp.Body.Close()
	passed, err := time.Parse(time.RFC3339, resp.Header.Get(dashboard.LastPass))
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), passed, limit)
	_, metrics := get("/metrics")
	require.Contains(t, metrics, "daros_passes_total")
	code, _ = get("/debug/pprof/")
	require.Equal(t, http.StatusNotFound, code, "profiles are served when asked for only")

	cancel()
	select {
	case code := <-ended:
		require.Zero(t, code, "%s", &log)
	case <-time.After(limit):
		t.Fatalf("does not stop\n%s", &log)
	}
	require.Contains(t, log.String(), "msg=stopped")
}

// push commits files to main of a bare repo.
func push(t *testing.T, bare string, files map[string]string) {
	t.Helper()
	clone := gittest.New(t)
	for name, content := range files {
		path := filepath.Join(clone.Dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	}
	clone.Git("add", "-A")
	clone.Git("commit", "-q", "-m", "files")
	clone.Git("push", "-q", bare, "HEAD:main")
}

// TestRunRefuses: what cannot work is said at once, with what to do.
func TestRunRefuses(t *testing.T) {
	t.Setenv("KUBECONFIG", "")
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	t.Setenv("HOME", t.TempDir())
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "--log-level", "loud"}, "use debug, info, warn or error"},
		{[]string{"run", "--log-format", "xml"}, "use text or json"},
		{[]string{"run"}, "give --kubeconfig FILE, $KUBECONFIG, or --context NAME"},
		{[]string{"run", "extra"}, "unknown command"},
		{[]string{"run", "--webhook-listen", ":9000"}, "--webhook-listen and --webhook-key go together"},
		{[]string{"run", "--no-such-flag"}, "unknown flag: --no-such-flag; usage: reconciler run [flags] (\"reconciler run --help\" tells more)"},
	} {
		var out bytes.Buffer
		require.Equal(t, exitError, run(t.Context(), c.args, io.Discard, &out), "%v", c.args)
		require.Contains(t, out.String(), c.want)
	}
}
