package clustertest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// startLimit ends the wait for a cluster that never becomes ready. It is generous: several test binaries and
// compilers run at the same time.
const startLimit = 5 * time.Minute

// nodeFlags are the nodes that every test finds. Tests that need others add their own, see Cluster.AddNodes.
var nodeFlags = []string{"--pools=" + SharedPool + "=12,batch=8", "--zones=3", "--cpu=16", "--memory=64Gi"}

// A shared is the cluster that all test binaries of a checkout share, by its directory:
//
//	start.lock   exclusive: whoever looks for a running cluster or starts one
//	use.lock     shared: every process that uses the cluster; exclusive: the cluster, once it is going
//	data/        of "devcluster up"; data/lock is locked as long as that runs
//	up.log       its output
type shared struct {
	dir    string
	binary string
	flags  []string // of "devcluster up", besides those that make it shared
}

// newShared returns the cluster of one binary. Another binary gets another cluster, in a directory of its own.
func newShared(cache, binary string) (*shared, error) {
	s := &shared{
		dir:    filepath.Join(cache, "testcluster", strings.TrimPrefix(filepath.Base(binary), binaryName)),
		binary: binary,
		flags:  nodeFlags,
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, fmt.Errorf("open the test cluster: %w", err)
	}
	return s, nil
}

func (s *shared) path(parts ...string) string {
	return filepath.Join(append([]string{s.dir}, parts...)...)
}

func (s *shared) kubeconfig() string { return s.path("data", "kubeconfig.yaml") }

// join makes sure that the cluster runs and goes on running until the returned user is closed or this process ends.
func (s *shared) join(ctx context.Context, progress io.Writer) (user io.Closer, err error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	starting, err := lock(ctx, s.path("start.lock"), unix.LOCK_EX)
	if err != nil {
		return nil, fmt.Errorf("join the test cluster: %w", err)
	}
	defer starting.Close()
	// While the cluster ends for want of users it holds this lock exclusively, so this waits for its end.
	using, err := lock(ctx, s.path("use.lock"), unix.LOCK_SH)
	if err != nil {
		return nil, fmt.Errorf("join the test cluster: %w", err)
	}
	if err := s.ensureRunning(ctx, progress); err != nil {
		using.Close()
		return nil, fmt.Errorf("start the test cluster: %w", err)
	}
	return using, nil
}

// ensureRunning starts the cluster unless it runs, and waits until it is ready. The caller holds start.lock.
func (s *shared) ensureRunning(ctx context.Context, progress io.Writer) error {
	running, err := s.isRunning()
	if err != nil {
		return err
	}
	if running {
		// It may be on its way up, started by a process that has died since, or on its way down.
		if err := s.waitReady(ctx, nil); err == nil || ctx.Err() != nil {
			return err
		}
	}
	fmt.Fprintf(progress, "starting the test cluster in %s\n", s.dir)
	exited, err := s.start()
	if err != nil {
		return err
	}
	return s.waitReady(ctx, exited)
}

func (s *shared) isRunning() (bool, error) {
	if _, err := os.Stat(s.path("data")); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return isLocked(s.path("data", "lock"))
}

// start starts a cluster that outlives this process. The returned channel is closed if it ends.
func (s *shared) start() (<-chan struct{}, error) {
	if err := os.RemoveAll(s.path("data")); err != nil {
		return nil, err
	}
	log, err := os.Create(s.path("up.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command(s.binary, append([]string{"up", "--dir", s.path("data"), "--exit-when-unused", s.path("use.lock")}, s.flags...)...)
	cmd.Dir = s.dir
	cmd.Env = clusterEnv()
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // the ^C that ends one test run is not meant for it
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	exited := make(chan struct{})
	go func() {
		_ = cmd.Wait() // why it ended stands in its log
		close(exited)
	}()
	return exited, nil
}

// clusterEnv is the environment of a cluster, of whose work a quarter was to collect garbage.
func clusterEnv() []string { return append(os.Environ(), "GOGC=300", "GOMEMLIMIT=1GiB") }

// waitReady waits for the kubeconfig, which appears when everything is ready.
func (s *shared) waitReady(ctx context.Context, exited <-chan struct{}) error {
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		if _, err := os.Stat(s.kubeconfig()); err == nil {
			return nil
		}
		select {
		case <-exited:
			return fmt.Errorf("it ended\n%s", s.log())
		case <-ctx.Done():
			return fmt.Errorf("it is not ready: %w\n%s", ctx.Err(), s.log())
		case <-ticker.C:
		}
		if exited == nil {
			if running, err := s.isRunning(); err != nil || !running {
				return errors.Join(fmt.Errorf("it ended\n%s", s.log()), err)
			}
		}
	}
}

func (s *shared) log() string {
	const most = 4000
	log, err := os.ReadFile(s.path("up.log"))
	if err != nil {
		return err.Error()
	}
	return string(log[max(0, len(log)-most):])
}
