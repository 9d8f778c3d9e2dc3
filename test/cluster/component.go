package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

const (
	restartPause  = 300 * time.Millisecond
	earlyExit     = 2 * time.Second // an exit this soon after the start counts as a failed start
	maxEarlyExits = 6               // in a row, until the supervisor gives up
)

// A component is one process of the control plane, with those that follow it when it exits.
type component struct {
	name string
	args []string
	// done is closed when no process runs and none will be started.
	done chan struct{}

	process *os.Process // guarded by supervisor.mu
}

// tend runs the component until the supervisor stops or gives up on it.
func (c *component) tend(s *supervisor) {
	defer close(c.done)
	// A child gets its death signal when the thread that forked it ends, so this goroutine keeps its thread.
	runtime.LockOSThread()
	early := 0
	for {
		started := time.Now()
		err := c.run(s)
		if s.isStopping() {
			return
		}
		if early++; time.Since(started) > earlyExit {
			early = 0
		}
		switch {
		case !s.restart:
			s.fail(fmt.Errorf("%s ended: %w\n%s", c.name, err, c.logTail(s.dir)))
			return
		case early >= maxEarlyExits:
			s.fail(fmt.Errorf("%s keeps exiting: %w\n%s", c.name, err, c.logTail(s.dir)))
			return
		}
		fmt.Fprintf(s.out, "%s ended (%v), starting it again\n", c.name, err)
		select {
		case <-s.stopping:
			return
		case <-time.After(restartPause):
		}
	}
}

// run starts the process and waits for its end, which is always an error.
func (c *component) run(s *supervisor) error {
	cmd, err := c.start(s)
	if err != nil {
		return err
	}
	if err := cmd.Wait(); err != nil {
		return err
	}
	return fmt.Errorf("exit status 0")
}

func (c *component) start(s *supervisor) (*exec.Cmd, error) {
	log, err := os.OpenFile(s.dir.path("logs", c.name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	// This program itself, even if its file has been replaced or removed since.
	cmd := exec.Command("/proc/self/exe", c.args...)
	cmd.Args = append([]string{"devcluster", c.name}, c.args...)
	cmd.Dir = s.dir.root
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Setpgid:   true, // a terminal's ^C reaches the supervisor alone, which then stops the others in order
		Pdeathsig: syscall.SIGKILL,
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isStopping() {
		return nil, fmt.Errorf("start %s: the cluster is stopping", c.name)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.name, err)
	}
	c.process = cmd.Process
	pid := strconv.Itoa(cmd.Process.Pid) + "\n"
	if err := replaceFile(s.dir.path("pids", c.name+".pid"), []byte(pid)); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return nil, fmt.Errorf("start %s: %w", c.name, err)
	}
	return cmd, nil
}

// signal sends a signal to the process, if there is one.
func (c *component) signal(s *supervisor, signal os.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.process != nil {
		_ = c.process.Signal(signal) // an error means it has ended, which tend sees
	}
}

// logTail returns the end of the component's log, for a message to people.
func (c *component) logTail(d *directory) string {
	const most = 2000
	log, err := os.ReadFile(d.path("logs", c.name+".log"))
	if err != nil {
		return err.Error()
	}
	return string(log[max(0, len(log)-most):])
}
