package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/clustertest"
	"github.com/d-aros/d-aros/test/page"
)

var update = flag.Bool("update", false, "write what the demo prints into the README")

// program builds the demo. It always plays on a cluster of its own, whose nodes
// are those that the story is written for.
func program(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: the demo starts a cluster of its own")
	}
	if os.Getenv(clustertest.SkipVariable) == "1" || os.Getenv("KUBECONFIG") != "" {
		t.Skipf("the demo starts a cluster of its own, and %s or KUBECONFIG is set", clustertest.SkipVariable)
	}
	binary := filepath.Join(t.TempDir(), "demo")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -linkmode=internal", "-o", binary, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	return binary
}

// runDir is a place for a run that no other process has on its command line.
func runDir(t *testing.T) string { return filepath.Join(t.TempDir(), ".demo") }

// The whole story, and what of it stands in the README.
func TestOnce(t *testing.T) {
	binary, dir := program(t), runDir(t)
	out, err := exec.CommandContext(t.Context(), binary, "--once", "--dir", dir).CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "expectations held.")
	requireGone(t, dir)

	text := strings.ReplaceAll(string(out), dir, ".demo")
	readme(t, "status", between(t, text, "$ .demo/bin/reconciler status", "\nWhy does"))
	readme(t, "changes", between(t, text, "A change: ", "\nAll "))
	readme(t, "log", between(t, text, "$ git -C", "\nA change: "))
	tree, err := git(context.Background(), filepath.Join(dir, "fleet.git"), "ls-tree", "-r", "--name-only", "status", "--", "README.md", "errors.json", "inputs", "tenants/acme")
	require.NoError(t, err)
	readme(t, "tree", tree+"\n…\n")

	replay := exec.CommandContext(t.Context(), filepath.Join(dir, "bin", "reconciler"), "replay", "--repo", filepath.Join(dir, "fleet.git"), "-n", "100000", "-o", "json")
	again, err := replay.Output()
	require.NoError(t, err, "every decision is made again as it is recorded: %s", again)
	var replayed struct{ Equal, Differs, Unknown int }
	require.NoError(t, json.Unmarshal(again, &replayed))
	require.Positive(t, replayed.Equal)
	require.Zero(t, replayed.Differs+replayed.Unknown, "%s", again)

	down, err := exec.CommandContext(t.Context(), binary, "down", "--dir", dir).CombinedOutput()
	require.Error(t, err, "flags stand before the command: %s", down)
	down, err = exec.CommandContext(t.Context(), binary, "--dir", dir, "down").CombinedOutput()
	require.NoError(t, err, string(down))
	require.NoDirExists(t, dir)
}

// A second demo takes the place of the first, starts its reconciler again when somebody
// kills it, and leaves no process behind when it is killed itself.
func TestTakeOverAndKill(t *testing.T) {
	binary, dir := program(t), runDir(t)
	first := start(t, binary, dir)
	first.waitFor("acme/shop")

	second := start(t, binary, dir)
	select {
	case <-first.ended:
	case <-time.After(patience):
		t.Fatal("the first demo does not end")
	}
	code := first.cmd.ProcessState.ExitCode()
	require.True(t, code == 0 || code == 130, "exit code %d\n%s", code, first)
	second.waitFor("\nThe same in a browser: http://127.0.0.1:")
	second.waitFor("acme/shop")
	killReconciler(t, dir)
	second.waitFor("The reconciler ended (signal: killed). The demo started it again, as Kubernetes would")
	second.waitFor("\nSettled ")
	require.NoError(t, second.cmd.Process.Kill())
	<-second.ended
	requireGone(t, dir)

	out, err := exec.CommandContext(t.Context(), binary, "--dir", dir, "down").CombinedOutput()
	require.NoError(t, err, string(out))
	require.NoDirExists(t, dir)
}

// A directory with something else in it is not touched.
func TestForeignDirectory(t *testing.T) {
	dir := t.TempDir()
	precious := filepath.Join(dir, "precious")
	require.NoError(t, os.WriteFile(precious, nil, 0o600))
	for _, args := range [][]string{{"--dir", dir, "--once"}, {"--dir", dir, "down"}} {
		err := run(t.Context(), args, &bytes.Buffer{})
		require.ErrorContains(t, err, "was not made by the demo")
		require.FileExists(t, precious)
	}
}

// running is a demo that plays in the background.
type running struct {
	t     *testing.T
	cmd   *exec.Cmd
	ended chan struct{}

	mu  sync.Mutex
	buf bytes.Buffer
}

func start(t *testing.T, binary, dir string) *running {
	t.Helper()
	r := &running{t: t, cmd: exec.Command(binary, "--dir", dir), ended: make(chan struct{})}
	r.cmd.Stdout, r.cmd.Stderr = r, r
	r.cmd.WaitDelay = time.Second
	require.NoError(t, r.cmd.Start())
	go func() {
		_ = r.cmd.Wait()
		close(r.ended)
	}()
	t.Cleanup(func() {
		_ = r.cmd.Process.Kill()
		<-r.ended
	})
	return r
}

// Write takes what the demo prints.
func (r *running) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.buf.Write(p)
}

func (r *running) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.buf.String()
}

// waitFor waits until the demo has printed some text.
func (r *running) waitFor(text string) {
	r.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(patience)
	for !strings.Contains(r.String(), text) {
		select {
		case <-tick.C:
		case <-r.ended:
			r.t.Fatalf("the demo ended: %s\n%s", r.cmd.ProcessState, r)
		case <-deadline:
			r.t.Fatalf("waited %s for %q\n%s", patience, text, r)
		}
	}
}

// killReconciler ends the reconciler of a demo as nobody should.
func killReconciler(t *testing.T, dir string) {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, name := range names {
		line, err := os.ReadFile(name)
		if err != nil || !bytes.HasPrefix(line, []byte(filepath.Join(dir, "bin", "reconciler")+"\x00run\x00")) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		require.NoError(t, err)
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		return
	}
	t.Fatal("no reconciler runs")
}

// requireGone waits until no process works in the directory.
func requireGone(t *testing.T, dir string) {
	t.Helper()
	require.Eventually(t, func() bool {
		lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
		require.NoError(t, err)
		for _, name := range lines {
			line, err := os.ReadFile(name)
			if err == nil && bytes.Contains(line, []byte(dir)) {
				return false
			}
		}
		return true
	}, 2*time.Minute, 50*time.Millisecond, "a process of the demo is left")
}

// between returns the text from the first occurrence of one mark up to another.
func between(t *testing.T, text, from, to string) string {
	t.Helper()
	_, after, ok := strings.Cut(text, from)
	require.True(t, ok, "%q is missing", from)
	before, _, ok := strings.Cut(after, to)
	require.True(t, ok, "%q is missing", to)
	return from + strings.TrimRight(before, "\n") + "\n"
}

// readme holds a block of the README to what the demo prints, apart from what
// differs between any two runs: names of commits and times.
func readme(t *testing.T, name, printed string) {
	t.Helper()
	const file = "../../README.md"
	name, printed = "demo: "+name, "```text\n"+printed+"```\n"
	if *update {
		require.NoError(t, page.Replace(file, name, printed))
		return
	}
	require.Equal(t, shape(page.Part(t, file, name)), shape(printed), "go test ./test/demo -update writes it anew")
}

var changing = []struct{ pattern, shape string }{
	{`(?m)^[0-9a-f]{7} [^\n]*$`, "COMMIT"}, // which changes a commit of the status branch gathers depends on the machine
	{`(COMMIT\n)+`, "COMMITS\n"},
	{`\b[0-9a-f]{7,40}\b`, "COMMIT"},
	{`\d+\.\d+ s`, "TIME"},
	{`\b\d+[smhd]\b`, "AGE"},
	{`\bserver \d/\d( \(told \d\))?`, "SCALED"}, // what its autoscaler has told by then
	{` +`, " "},
}

func shape(text string) string {
	for _, c := range changing {
		text = regexp.MustCompile(c.pattern).ReplaceAllString(text, c.shape)
	}
	return text
}
