package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// place is the directory of a run. One demo at a time holds it.
//
//	lock            locked as long as a demo runs; holds its process id
//	bin/            the reconciler
//	fleet.git       the fleet repo, with the status branch
//	fleet           the clone in which the story's commits are made
//	cluster/        of the embedded cluster
//	external        the kubeconfig of the cluster that was used instead
//	state/          caches of the reconciler
//	*.log           what the reconciler and the cluster said
type place struct {
	root string // of the checkout
	dir  string
	lock *os.File
}

// marker says that a directory was made by the demo and may be emptied.
const marker = "lock"

func newPlace(root, dir string) (*place, error) {
	if dir == "" {
		dir = filepath.Join(root, ".demo")
	}
	dir, err := filepath.Abs(dir)
	return &place{root: root, dir: dir}, err
}

func (p *place) path(parts ...string) string {
	return filepath.Join(append([]string{p.dir}, parts...)...)
}

// shown is a path as people would type it.
func (p *place) shown(parts ...string) string {
	path := p.path(parts...)
	if wd, err := os.Getwd(); err == nil {
		if relative, err := filepath.Rel(wd, path); err == nil && !strings.HasPrefix(relative, "..") {
			return relative
		}
	}
	return path
}

// checkout finds the root of the source tree that the working directory is in.
func checkout(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the checkout: %w", err)
	}
	root := filepath.Dir(strings.TrimSpace(string(out)))
	if _, err := os.Stat(filepath.Join(root, "examples", "repo", "fleet.cue")); err != nil {
		return "", errors.New("run the demo in a checkout of D-AROS")
	}
	return root, nil
}

// take makes the place ours: it stops a demo that is still up, waits until its
// children are gone, and removes what it left, apart from built programs.
func (p *place) take(ctx context.Context, out io.Writer) error {
	if err := p.check(); err != nil {
		return err
	}
	for {
		if err := os.MkdirAll(p.dir, 0o755); err != nil {
			return err
		}
		lock, err := os.OpenFile(p.path(marker), os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return err
		}
		if err := stopHolder(ctx, lock, out); err != nil {
			lock.Close()
			return err
		}
		if p.isAt(lock) {
			p.lock = lock
			break
		}
		lock.Close() // it was removed while we waited for it
	}
	if err := p.lock.Truncate(0); err != nil {
		return err
	}
	if _, err := p.lock.WriteAt([]byte(strconv.Itoa(os.Getpid())), 0); err != nil {
		return err
	}
	if err := waitUnlocked(ctx, p.path("cluster", "lock")); err != nil {
		return fmt.Errorf("wait for the cluster of an earlier run to end: %w", err)
	}
	return p.empty("bin")
}

// check refuses a directory that holds what is not ours.
func (p *place) check() error {
	entries, err := os.ReadDir(p.dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(p.path(marker)); err != nil {
		return fmt.Errorf("%s is not empty and was not made by the demo; choose another --dir", p.dir)
	}
	return nil
}

func (p *place) isAt(lock *os.File) bool {
	held, err := lock.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(lock.Name())
	return err == nil && os.SameFile(held, there)
}

// empty removes everything but the lock and the names in keep.
func (p *place) empty(keep ...string) error {
	entries, err := os.ReadDir(p.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		kept := e.Name() == marker
		for _, name := range keep {
			kept = kept || e.Name() == name
		}
		if !kept {
			if err := os.RemoveAll(p.path(e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// leave gives the place free.
func (p *place) leave() {
	if p.lock != nil {
		_ = p.lock.Truncate(0)
		_ = p.lock.Close()
	}
}

// stopHolder locks the file. A demo that holds it is asked to end, and made to
// if it does not.
func stopHolder(ctx context.Context, lock *os.File, out io.Writer) error {
	fd := int(lock.Fd())
	if unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) == nil {
		return nil
	}
	fmt.Fprintln(out, "stopping the demo that is still up …")
	began := time.Now()
	for asked, killed := false, false; ; {
		if pid := holder(lock); pid > 0 && pid != os.Getpid() {
			switch {
			case !asked:
				asked = syscall.Kill(pid, syscall.SIGTERM) == nil
			case !killed && time.Since(began) > 30*time.Second:
				killed = syscall.Kill(pid, syscall.SIGKILL) == nil
			}
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return err
		}
		if unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) == nil {
			return nil
		}
		if time.Since(began) > time.Minute {
			return fmt.Errorf("%s is locked by a process that does not end", lock.Name())
		}
	}
}

// holder reads the process id of the demo that holds the lock.
func holder(lock *os.File) int {
	b := make([]byte, 20)
	n, _ := lock.ReadAt(b, 0)
	pid, err := strconv.Atoi(strings.TrimSpace(string(b[:n])))
	if err != nil {
		return 0
	}
	return pid
}

// waitUnlocked waits until nobody locks a file. One that does not exist is not
// locked.
func waitUnlocked(ctx context.Context, name string) error {
	for {
		f, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		f.Close()
		if err == nil {
			return nil
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

// pause waits, or returns early with the error of ctx.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// down stops the demo and removes what it made, also in a cluster that is not
// its own.
func down(ctx context.Context, p *place, out io.Writer) error {
	if _, err := os.Stat(p.path(marker)); errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintln(out, "there is no demo to stop")
		return p.check()
	}
	external, _ := os.ReadFile(p.path("external"))
	if err := p.take(ctx, out); err != nil {
		return err
	}
	defer p.leave()
	if kubeconfig := strings.TrimSpace(string(external)); kubeconfig != "" {
		c := &cluster{kubeconfig: kubeconfig}
		err := c.connect(ctx)
		if err == nil {
			err = c.removeNamespaces(ctx)
		}
		if err != nil {
			return fmt.Errorf("remove the demo from the cluster of %s: %w", kubeconfig, err)
		}
	}
	if err := os.RemoveAll(p.dir); err != nil {
		return err
	}
	fmt.Fprintln(out, "the demo is gone")
	return nil
}
