package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	limit = 2 * time.Minute // the machine may be busy
	tick  = 50 * time.Millisecond
)

// apiOnly are the flags of a cluster that stores objects and does nothing with them. It starts fastest.
var apiOnly = []string{"--controllers=false", "--scheduler=false", "--kwok=false", "--nodes=0"}

func TestStopAndStartAgain(t *testing.T) {
	dir := t.TempDir()
	first := startUp(t, dir, apiOnly...)
	createConfigMap(t, first.client(t))

	second := exec.Command(os.Args[0], "up", "--dir", dir)
	out, err := second.CombinedOutput()
	require.Error(t, err, "a directory is for one")
	require.Contains(t, string(out), "in use by process "+strconv.Itoa(first.cmd.Process.Pid))

	began := time.Now()
	require.NoError(t, first.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, first.wait(t), first.out.String())
	t.Logf("stopped within %s", time.Since(began).Round(time.Millisecond))
	require.Empty(t, processesOf(t, dir))
	require.NoFileExists(t, filepath.Join(dir, "kubeconfig.yaml"))
	require.Empty(t, filesIn(t, filepath.Join(dir, "pids")))

	again := startUp(t, dir, apiOnly...)
	requireConfigMap(t, again.client(t))

	require.NoError(t, again.cmd.Process.Kill())
	require.Error(t, again.wait(t))
	requireNoProcess(t, dir, 2*time.Second)
}

func TestComponentIsStartedAgain(t *testing.T) {
	dir := t.TempDir()
	up := startUp(t, dir, apiOnly...)
	client := up.client(t)
	createConfigMap(t, client)
	for _, name := range []string{apiServer, etcd} {
		killed := pidOf(t, dir, name)
		require.NoError(t, syscall.Kill(killed, syscall.SIGKILL))
		began := time.Now()
		eventually(t, "wait for the next "+name, func(ctx context.Context) error {
			if pidOf(t, dir, name) == killed {
				return errors.New("not started yet")
			}
			return readyz(ctx, client)
		})
		t.Logf("%s serves again after %s", name, time.Since(began).Round(time.Millisecond))
		requireConfigMap(t, client)
	}
}

func TestWithoutRestartAnExitEndsUp(t *testing.T) {
	dir := t.TempDir()
	up := startUp(t, dir, append(apiOnly, "--restart=false")...)
	require.NoError(t, syscall.Kill(pidOf(t, dir, etcd), syscall.SIGKILL))
	var exit *exec.ExitError
	require.ErrorAs(t, up.wait(t), &exit)
	require.Equal(t, 1, exit.ExitCode())
	require.Contains(t, up.out.String(), "etcd ended: signal: killed")
	require.Empty(t, processesOf(t, dir))
}

func TestComponentThatKeepsExitingEndsUp(t *testing.T) {
	dir := t.TempDir()
	up := spawn(t, exec.Command(os.Args[0], "up", "--dir", dir, "--apiserver-arg=--no-such-flag"))
	require.Error(t, up.wait(t))
	require.Contains(t, up.out.String(), "kube-apiserver keeps exiting")
	require.Contains(t, up.out.String(), "unknown flag: --no-such-flag")
	require.NoFileExists(t, filepath.Join(dir, "kubeconfig.yaml"))
}

func TestDieWithParent(t *testing.T) {
	dir := t.TempDir()
	// The shell is the parent; the second command keeps it from replacing itself with the first.
	parent := spawn(t, exec.Command("sh", append([]string{"-c", `"$@"; true`, "sh", os.Args[0], "up", "--dir", dir, "--die-with-parent"}, apiOnly...)...))
	waitForFile(t, filepath.Join(dir, "kubeconfig.yaml"), parent)
	require.NotEmpty(t, processesOf(t, dir))
	require.NoError(t, parent.cmd.Process.Kill())
	requireNoProcess(t, dir, 20*time.Second)
	require.NoFileExists(t, filepath.Join(dir, "kubeconfig.yaml"), "it stopped in order")
}

// A process that this test started, and what it has printed. It is killed when the test ends.
type process struct {
	cmd    *exec.Cmd
	out    bytes.Buffer // read it after wait
	exited chan struct{}
	err    error
	dir    string
}

func spawn(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{cmd: cmd, exited: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &p.out, &p.out
	cmd.WaitDelay = time.Second // a killed parent leaves its output open to its children
	require.NoError(t, cmd.Start())
	go func() {
		p.err = cmd.Wait()
		close(p.exited)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-p.exited:
		case <-time.After(20 * time.Second):
			t.Errorf("%s does not stop", cmd)
			_ = cmd.Process.Kill()
			<-p.exited
		}
	})
	return p
}

// startUp starts a cluster and waits until it is ready.
func startUp(t *testing.T, dir string, flags ...string) *process {
	t.Helper()
	began := time.Now()
	p := spawn(t, exec.Command(os.Args[0], append([]string{"up", "--dir", dir}, flags...)...))
	p.dir = dir
	waitForFile(t, filepath.Join(dir, "kubeconfig.yaml"), p)
	t.Logf("ready after %s", time.Since(began).Round(time.Millisecond))
	return p
}

func waitForFile(t *testing.T, name string, p *process) {
	t.Helper()
	eventually(t, "wait for "+name, func(context.Context) error {
		_, err := os.Stat(name)
		select {
		case <-p.exited:
			require.Fail(t, "it ended before it was ready", p.out.String())
		default:
		}
		return err
	})
}

// eventually waits until check returns nil. Unlike require.Eventually it runs check in the test's own goroutine,
// where check may end the test, and reports its last error.
func eventually(t *testing.T, what string, check func(context.Context) error) {
	t.Helper()
	require.NoError(t, poll(t.Context(), what, limit, tick, check))
}

func (p *process) wait(t *testing.T) error {
	t.Helper()
	select {
	case <-p.exited:
	case <-time.After(limit):
		require.Fail(t, "the process does not end")
	}
	return p.err
}

func (p *process) client(t *testing.T) *kubernetes.Clientset {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(p.dir, "kubeconfig.yaml"))
	require.NoError(t, err)
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	return client
}

// processesOf returns the command lines of all processes that name the directory.
func processesOf(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	var found []string
	for _, name := range names {
		line, err := os.ReadFile(name)
		if err == nil && bytes.Contains(line, []byte(dir)) {
			found = append(found, string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
	}
	return found
}

func requireNoProcess(t *testing.T, dir string, within time.Duration) {
	t.Helper()
	require.NoError(t, poll(t.Context(), "wait for the end of all processes", within, tick, func(context.Context) error {
		if left := processesOf(t, dir); len(left) > 0 {
			return fmt.Errorf("still there: %q", left)
		}
		return nil
	}))
}

func pidOf(t *testing.T, dir, component string) int {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "pids", component+".pid"))
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(content)))
	require.NoError(t, err)
	return pid
}

func filesIn(t *testing.T, dir string) []os.DirEntry {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	return entries
}

func readyz(ctx context.Context, client kubernetes.Interface) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err := client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
	return err
}

func createConfigMap(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	_, err := client.CoreV1().ConfigMaps("default").Create(t.Context(),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "kept"}}, metav1.CreateOptions{})
	require.NoError(t, err)
}

func requireConfigMap(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	_, err := client.CoreV1().ConfigMaps("default").Get(t.Context(), "kept", metav1.GetOptions{})
	require.NoError(t, err)
}
