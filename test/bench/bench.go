package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// patience is the longest time that a fleet may take: some minutes, and what the controllers of the cluster need for its
// applications.
func (b *bench) patience() time.Duration { return 20*time.Minute + time.Duration(b.size)*time.Second/2 }

// bench measures one fleet, on a cluster of its own.
type bench struct {
	dir                    string
	size, changes          int
	idle                   time.Duration
	memory                 string // of the reconciler and its children, "" for as much as there is
	heap                   string // directory for profiles of the heap, "": none
	reconciler, devcluster string

	repo, clone string
	kubeconfig  string
	process     *process
	probe       *probe
}

func (b *bench) measure(ctx context.Context) (f figures, err error) {
	ctx, cancel := context.WithTimeout(ctx, b.patience())
	defer cancel()
	stop, err := b.cluster(ctx)
	if err != nil {
		return f, err
	}
	defer stop()
	if err := b.repository(ctx); err != nil {
		return f, err
	}
	if b.probe, err = newProbe(b.kubeconfig, "127.0.0.1:18420"); err != nil {
		return f, err
	}
	if err := b.reconcile(ctx); err != nil {
		return f, err
	}
	defer func() { b.process.stop() }()
	f.applications = b.size
	for _, step := range []func(context.Context, *figures) error{b.first, b.change, b.rest, b.again} {
		if err := step(ctx, &f); err != nil {
			return f, err
		}
	}
	return f, nil
}

// reconcile starts the reconciler and waits until it serves.
func (b *bench) reconcile(ctx context.Context) error {
	args := []string{"run", "--repo", b.repo, "--kubeconfig", b.kubeconfig, "--state-dir", filepath.Join(b.dir, "state"), "--listen", b.probe.address, "--pprof", "--fleet", "bench"}
	if b.memory != "" {
		args = append(args, "--memory", b.memory)
	}
	p, err := start(ctx, b.dir, "reconciler", b.reconciler, args...)
	if err != nil {
		return err
	}
	b.process = p
	return b.until(ctx, "the reconciler serves", func() bool { return b.probe.read() == nil })
}

// first pushes the whole fleet at once.
func (b *bench) first(ctx context.Context, f *figures) error {
	began, cpu := time.Now(), b.process.cpu()
	if err := b.push(ctx, "the fleet", b.files()); err != nil {
		return err
	}
	seen := 0
	if err := b.until(ctx, "everything is applied", func() bool {
		return b.probe.read() == nil && b.onTheWay(&seen) && b.probe.phase("Scheduled")+b.probe.phase("Running") == b.size && b.probe.objects("created") >= 2*b.size
	}); err != nil {
		return err
	}
	f.firstApplied = time.Since(began)
	if err := b.until(ctx, "everything is Running", func() bool {
		return b.probe.read() == nil && b.onTheWay(&seen) && b.probe.phase("Running") == b.size
	}); err != nil {
		return err
	}
	f.firstRunning, f.firstCPU = time.Since(began), b.process.cpu()-cpu
	f.objects = b.probe.writes()
	f.firstPeak, f.files = b.process.peak()
	return nil
}

// onTheWay says how much memory the reconciler takes each time that a tenth more of the fleet runs, and writes a profile
// of its heap where one is wanted. It is always true.
func (b *bench) onTheWay(seen *int) bool {
	running := b.probe.phase("Running")
	if running*10/b.size <= *seen {
		return true
	}
	*seen = running * 10 / b.size
	most, files := b.process.peak()
	fmt.Fprintf(os.Stderr, "%d of %d run: %d MiB at most, of that %d MiB of the program; heap in use %d MiB\n",
		running, b.size, most>>20, files>>20, b.probe.sum("go_memstats_heap_inuse_bytes", "")>>20)
	if b.heap != "" {
		if err := b.probe.profile(filepath.Join(b.heap, fmt.Sprintf("heap-%d-%d.pb.gz", b.size, running))); err != nil {
			fmt.Fprintln(os.Stderr, "profile of the heap:", err)
		}
	}
	return true
}

// change pushes one changed application at a time.
func (b *bench) change(ctx context.Context, f *figures) error {
	var applied, running []time.Duration
	cpu, writes, objects := b.process.cpu(), b.probe.writes(), b.gitObjects(ctx)
	for i := range b.changes {
		tenant, name := b.name(i * b.size / b.changes)
		before := b.probe.transitions("Running")
		image := fmt.Sprintf("registry.example.com/web:change-%d", i)
		began := time.Now()
		if err := b.push(ctx, "change", map[string]string{appFile(tenant, name): application(name, image)}); err != nil {
			return err
		}
		if err := b.until(ctx, "the change is applied", func() bool { return b.probe.image(ctx, tenant, name+"-web") == image }); err != nil {
			return err
		}
		applied = append(applied, time.Since(began))
		if err := b.until(ctx, "the change runs", func() bool { return b.probe.read() == nil && b.probe.transitions("Running") > before }); err != nil {
			return err
		}
		running = append(running, time.Since(began))
	}
	n := float64(b.changes)
	f.changeApplied, f.changeRunning = median(applied), median(running)
	f.changeCPU = (b.process.cpu() - cpu) / time.Duration(b.changes)
	f.changeRequests = float64(b.probe.writes()-writes) / n
	f.changeGitObjects = float64(b.gitObjects(ctx)-objects)/n - pushedObjects
	return nil
}

// pushedObjects are what our own push of one file adds: a blob, five trees and a
// commit.
const pushedObjects = 7

// rest measures the fleet once nothing changes any more.
func (b *bench) rest(ctx context.Context, f *figures) error {
	if err := b.probe.read(); err != nil {
		return err
	}
	cpu, writes, commits := b.process.cpu(), b.probe.writes(), b.probe.commits()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(b.idle):
	}
	if err := b.probe.read(); err != nil {
		return err
	}
	f.idleCPU = float64(b.process.cpu()-cpu) / float64(b.idle) * 1000
	f.idleRequests, f.idleCommits = b.probe.writes()-writes, b.probe.commits()-commits
	f.rss = b.process.rss()
	f.live = b.probe.sum("go_memstats_heap_inuse_bytes", "")
	return nil
}

// again starts the reconciler once more on the fleet that runs.
func (b *bench) again(ctx context.Context, f *figures) error {
	b.process.stop()
	if err := b.reconcile(ctx); err != nil {
		return err
	}
	if err := b.until(ctx, "everything is Running after a restart", func() bool {
		return b.probe.read() == nil && b.probe.phase("Running") == b.size && b.probe.sum("daros_passes_total", "") >= 3
	}); err != nil {
		return err
	}
	f.againPeak, _ = b.process.peak()
	f.againCPU = b.process.cpu()
	return nil
}

// until waits for a condition.
func (b *bench) until(ctx context.Context, what string, is func() bool) error {
	// Not more often: reading the metrics costs the reconciler a millisecond or two, and of a large fleet more.
	for tick := time.NewTicker(max(25*time.Millisecond, time.Duration(b.size)*25*time.Microsecond)); ; {
		if is() {
			tick.Stop()
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waited for: %s: %w; see %s", what, ctx.Err(), b.dir)
		case <-b.process.done:
			return errors.New("the reconciler ended: " + b.process.tail())
		case <-tick.C:
		}
	}
}

// cluster starts a cluster with room for the fleet and returns how to stop it.
func (b *bench) cluster(ctx context.Context) (stop func(), err error) {
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		return nil, err
	}
	dir := filepath.Join(b.dir, "cluster")
	p, err := start(ctx, b.dir, "devcluster", b.devcluster, "up", "--dir", dir, "--die-with-parent",
		"--pools", fmt.Sprintf("general=%d", 3+b.size/50), "--cpu", "32", "--memory", "128Gi")
	if err != nil {
		return nil, err
	}
	b.kubeconfig = filepath.Join(dir, "kubeconfig.yaml")
	for tick := time.NewTicker(50 * time.Millisecond); ; {
		if _, err := os.Stat(b.kubeconfig); err == nil {
			tick.Stop()
			return p.stop, nil
		}
		select {
		case <-ctx.Done():
			p.stop()
			return nil, ctx.Err()
		case <-p.done:
			return nil, errors.New("the cluster ended: " + p.tail())
		case <-tick.C:
		}
	}
}

// repository creates the bare repo and a clone to push from.
func (b *bench) repository(ctx context.Context) error {
	b.repo, b.clone = filepath.Join(b.dir, "fleet.git"), filepath.Join(b.dir, "clone")
	if err := git(ctx, b.dir, "init", "-q", "--bare", "-b", "main", b.repo); err != nil {
		return err
	}
	if err := git(ctx, b.dir, "clone", "-q", b.repo, b.clone); err != nil {
		return err
	}
	return b.push(ctx, "an empty fleet", map[string]string{"fleet.cue": platform})
}

func (b *bench) push(ctx context.Context, message string, files map[string]string) error {
	for name, content := range files {
		path := filepath.Join(b.clone, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return err
		}
	}
	for _, args := range [][]string{{"add", "-A"}, {"commit", "-q", "-m", message}, {"push", "-q", "origin", "HEAD:main"}} {
		if err := git(ctx, b.clone, args...); err != nil {
			return err
		}
	}
	return nil
}

// gitObjects counts the objects that the branches of the repo hold.
func (b *bench) gitObjects(ctx context.Context) int {
	out, err := exec.CommandContext(ctx, "git", "-C", b.repo, "rev-list", "--objects", "--all").Output()
	if err != nil {
		return 0
	}
	return strings.Count(string(out), "\n")
}

func git(ctx context.Context, dir string, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "user.name=bench", "-c", "user.email=bench@example.com", "-c", "gc.auto=0"}, args...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", args[0], err, out)
	}
	return nil
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// start runs a program whose output goes to a file in dir.
func start(ctx context.Context, dir, name, program string, args ...string) (*process, error) {
	log, err := os.Create(filepath.Join(dir, name+".log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, log: log.Name(), done: make(chan struct{})}
	go func() {
		_ = cmd.Wait()
		close(p.done)
	}()
	return p, nil
}
