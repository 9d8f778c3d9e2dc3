//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
	"github.com/d-aros/d-aros/pkg/status"
)

// patience bounds each wait, on a busy machine.
const patience = 2 * time.Minute

// world is a fleet repo, its reconciler, and two hosts that are this machine.
type world struct {
	dir, group string
	out        io.Writer
	branch     *status.Branch
	programs   map[string]*exec.Cmd // that run, by name
	hosts      []string
}

// start starts a program of the checkout; what it says goes to a file.
func (w *world) start(name, program string, args ...string) error {
	log, err := os.OpenFile(filepath.Join(w.dir, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(filepath.Join(w.dir, "bin", program), args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(os.Environ(), "KUBECONFIG=", "KUBERNETES_SERVICE_HOST=", "HOME="+w.dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	w.programs[name] = cmd
	return cmd.Start()
}

// startHost starts the agent of a host.
func (w *world) startHost(name string) error {
	return w.start(name, "nodeagent", "run", "--processes", filepath.Join(w.dir, name+".yaml"), "--state-dir", filepath.Join(w.dir, "state-"+name))
}

// end ends a program and waits for it.
func (w *world) end(name string, how syscall.Signal) {
	if cmd := w.programs[name]; cmd != nil {
		_ = cmd.Process.Signal(how)
		_ = cmd.Wait()
		delete(w.programs, name)
	}
}

// close ends all programs, and what the hosts run.
func (w *world) close() {
	for name := range w.programs {
		w.end(name, syscall.SIGTERM)
	}
	if w.branch != nil {
		_ = w.branch.Close()
	}
	if err := w.clear(); err != nil {
		fmt.Fprintln(w.out, "demo-process:", err)
	}
	tops, _ := filepath.Glob(filepath.Join(cgroup.Root, "*", path.Dir(w.group))) // of v1, where the mounts are below the root
	for _, top := range append(tops, filepath.Join(cgroup.Root, path.Dir(w.group))) {
		_ = os.Remove(top) // it is empty
	}
}

// clear ends what the hosts run, and removes their groups.
func (w *world) clear() error {
	tree, err := cgroup.Open(cgroup.Root)
	if err != nil {
		return err
	}
	defer tree.Close()
	nest, err := tree.Nest(path.Dir(w.group))
	if err != nil {
		return err
	}
	defer nest.Close()
	for limit := time.Now().Add(patience); time.Now().Before(limit); {
		if gone, err := nest.Clear(path.Base(w.group)); gone || err != nil {
			return err
		}
		<-time.After(10 * time.Millisecond)
	}
	return fmt.Errorf("the processes of %s do not end", w.group)
}

// git works on the clone.
func (w *world) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = filepath.Join(w.dir, "fleet")
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "GIT_PAGER=cat",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %s: %w\n%s", args[0], err, out)
	}
	return strings.TrimRight(string(out), "\n"), nil
}

// push commits what the clone holds.
func (w *world) push(ctx context.Context, message string) error {
	for _, args := range [][]string{{"add", "--all"}, {"commit", "--quiet", "-m", message}, {"push", "--quiet", "origin", "HEAD:main"}} {
		if _, err := w.git(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}

// replace changes a text in a file of the clone.
func (w *world) replace(file, before, after string) error {
	name := filepath.Join(w.dir, "fleet", file)
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if !bytes.Contains(data, []byte(before)) {
		return fmt.Errorf("%s has no %q", file, before)
	}
	return os.WriteFile(name, bytes.Replace(data, []byte(before), []byte(after), 1), 0o644)
}

// until waits until the status branch says something, and tells how long that took.
func (w *world) until(ctx context.Context, what string, says func(*model.Ledger) bool) (*model.Ledger, error) {
	began := time.Now()
	for {
		ledger, err := w.branch.Load(ctx)
		if err == nil && says(&ledger) {
			fmt.Fprintf(w.out, "  %6.2f s  %s\n", time.Since(began).Seconds(), what)
			return &ledger, nil
		}
		if time.Since(began) > patience {
			return nil, fmt.Errorf("waited %s for this: %s: %v\n%s", patience, what, err, w.logs())
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// logs returns the last of what the programs said.
func (w *world) logs() string {
	var b strings.Builder
	names, _ := filepath.Glob(filepath.Join(w.dir, "*.log"))
	for _, name := range names {
		data, _ := os.ReadFile(name)
		fmt.Fprintf(&b, "%s:\n%s\n", filepath.Base(name), data[max(0, len(data)-2000):])
	}
	return b.String()
}
