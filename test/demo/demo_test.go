package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/clustertest"
)

var update = flag.Bool("update", false, "write what the demo prints into the README")

// program builds the demo. It always plays on a cluster of its own, whose nodes
// are those that the story is written for.
func program(t *testing.T) string {
	t.Helper()
	if os.Getenv(clustertest.SkipVariable) == "1" || os.Getenv("KUBECONFIG") != "" {
		t.Skipf("the demo starts a cluster of its own, and %s or KUBECONFIG is set", clustertest.SkipVariable)
	}
	binary := filepath.Join(t.TempDir(), "demo")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	return binary
}

// place for a run, below a directory that names no other process.
func runDir(t *testing.T) string { return filepath.Join(t.TempDir(), ".demo") }

// transcript collects what a running demo prints.
type transcript struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *transcript) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *transcript) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func (b *transcript) has(text string) func() bool {
	return func() bool { return strings.Contains(b.String(), text) }
}

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
	page, err := git(context.Background(), filepath.Join(dir, "fleet.git"), "ls-tree", "-r", "--name-only", "status", "--", "README.md", "errors.yaml", "inputs", "tenants/acme")
	require.NoError(t, err)
	readme(t, "tree", page+"\n…\n")

	down, err := exec.CommandContext(t.Context(), binary, "down", "--dir", dir).CombinedOutput()
	require.Error(t, err, "flags stand before the command: %s", down)
	down, err = exec.CommandContext(t.Context(), binary, "--dir", dir, "down").CombinedOutput()
	require.NoError(t, err, string(down))
	require.NoDirExists(t, dir)
}

// A second demo takes the place of the first, and one that is killed leaves no
// process behind.
func TestTakeOverAndKill(t *testing.T) {
	binary, dir := program(t), runDir(t)
	first, said := start(t, binary, dir)
	require.Eventually(t, said.has("acme/shop"), patience, 50*time.Millisecond, "the first demo never came so far")

	second, said2 := start(t, binary, dir)
	firstEnded := make(chan error, 1)
	go func() { firstEnded <- first.Wait() }()
	select {
	case err := <-firstEnded:
		var exit *exec.ExitError
		require.True(t, err == nil || errors.As(err, &exit) && exit.ExitCode() == 130, "%v\n%s", err, said)
	case <-time.After(patience):
		t.Fatal("the first demo does not end")
	}
	require.Eventually(t, said2.has("acme/shop"), patience, 50*time.Millisecond, "the second demo never came so far")
	require.NoError(t, second.Process.Kill())
	_ = second.Wait()
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

func start(t *testing.T, binary, dir string) (*exec.Cmd, *transcript) {
	t.Helper()
	said := &transcript{}
	cmd := exec.Command(binary, "--dir", dir)
	cmd.Stdout, cmd.Stderr = said, said
	cmd.WaitDelay = time.Second
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, said
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
	}, 30*time.Second, 50*time.Millisecond, "a process of the demo is left")
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
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	open, shut := "<!-- demo: "+name+" -->\n```text\n", "```\n<!-- end -->\n"
	before, rest, ok := strings.Cut(string(b), open)
	require.True(t, ok, "the README has no block %q", name)
	block, after, ok := strings.Cut(rest, shut)
	require.True(t, ok, "the README's block %q does not end", name)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(before+open+printed+shut+after), 0o644))
		return
	}
	require.Equal(t, shape(block), shape(printed), "go test ./test/demo -update writes it anew")
}

var changing = []struct{ pattern, shape string }{
	{`(?m)^[0-9a-f]{7} [^\n]*$`, "COMMIT"}, // which changes a commit of the status branch gathers depends on the machine
	{`(COMMIT\n)+`, "COMMITS\n"},
	{`\b[0-9a-f]{7,40}\b`, "COMMIT"},
	{`\d+\.\d+ s`, "TIME"},
	{`\b\d+[smhd]\b`, "AGE"},
	{` +`, " "},
}

func shape(text string) string {
	for _, c := range changing {
		text = regexp.MustCompile(c.pattern).ReplaceAllString(text, c.shape)
	}
	return text
}
