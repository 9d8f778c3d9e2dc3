package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// child is a process that ends before the demo does, whatever happens to the
// demo.
type child struct {
	name string
	cmd  *exec.Cmd
	log  string
	done chan struct{} // closed when it has ended
}

// starters run on a thread of their own that lives as long as the demo: the
// kernel ends a child when the thread is gone that started it.
var starters = func() chan func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
}()

// startChild starts a program in a process group of its own, so that ^C reaches
// the demo alone and the demo ends its children in order. It adds to the log.
func startChild(name, log string, env []string, program string, args ...string) (*child, error) {
	file, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600) // the dashboard says its token
	if err != nil {
		return nil, err
	}
	defer file.Close()
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = file, file
	cmd.Env = env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	started := make(chan error)
	starters <- func() { started <- cmd.Start() }
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	c := &child{name: name, cmd: cmd, log: log, done: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // why it ended stands in its log
		close(c.done)
	}()
	return c, nil
}

// stop asks the process to end and waits for it; one that does not listen is
// killed.
func (c *child) stop() {
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-c.done:
	case <-time.After(20 * time.Second):
		_ = c.cmd.Process.Kill()
		<-c.done
	}
}

// failed reports whether the process, which has ended, ended with an error of its own:
// it was neither killed nor asked to end.
func (c *child) failed() bool { return c.cmd.ProcessState.ExitCode() > 0 }

// ended explains that the process ended by itself.
func (c *child) ended() error {
	return fmt.Errorf("%s ended: %s\n%s", c.name, c.cmd.ProcessState, tail(c.log, 12))
}

// tail returns the last lines of a file.
func tail(name string, lines int) string {
	b, err := os.ReadFile(name)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimRight(string(b), "\n"), "\n")
	return "  " + strings.Join(all[max(0, len(all)-lines):], "\n  ")
}
