package leashed

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/d-aros/d-aros/pkg/evaluate"
)

// A Process is one child, for one goroutine at a time. After an error it is gone.
type Process struct {
	Served int           // requests that it has answered
	Worked time.Duration // CPU time for the last request

	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *head
	mu     sync.Mutex // held by who writes to in
}

// head keeps the beginning of what is written to it.
type head struct {
	mu   sync.Mutex
	text []byte
}

func (h *head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = append(h.text, p[:min(len(p), 4096-len(h.text))]...)
	return len(p), nil
}

// Options are how a child is started.
type Options struct {
	Command []string
	Memory  int64    // bytes that it may take, if it asks Limit for that
	Env     []string // more than what every child has; nothing is inherited
	Dir     string   // working directory
}

// Start starts a child.
func Start(o Options) (*Process, error) {
	p := &Process{cmd: exec.Command(o.Command[0], o.Command[1:]...), stderr: &head{}}
	p.cmd.Env = append(slices.Clone(o.Env), "GOMAXPROCS=2", fmt.Sprintf("GOMEMLIMIT=%d", o.Memory), "CUE_REGISTRY=none")
	p.cmd.Dir = o.Dir
	p.cmd.Stderr = p.stderr
	p.cmd.SysProcAttr = dieWithParent()
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start a child: %w", err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start a child: %w", err)
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a child: %w", err)
	}
	return p, nil
}

// ErrKilled is the end of a child that somebody else killed: because of its memory, or because
// of what else runs on the machine.
var ErrKilled = errors.New("the evaluating process was killed")

// ErrNoThread is the end of a child that got no thread. Mostly the machine has none left for it.
var ErrNoThread = errors.New("the machine has no more threads for an evaluation; see the limit of processes (pids) of the container")

// Patience is how many times its deadline an evaluation may take by the clock, on a
// machine that gives it little of the CPU.
const Patience = 60

// ErrPreempted is the end of an evaluation whose place others need, or that worked for its patience and has none.
var ErrPreempted = errors.New("the evaluation was preempted")

// A Leash is how long an evaluation may work.
type Leash struct {
	Deadline time.Duration
	Patience time.Duration   // after which Slow is called
	Longest  time.Duration   // by the clock, after which Slow is called, too
	Slow     func() bool     // reports whether the evaluation may go on; nil: it may
	Yield    <-chan struct{} // closed when others need the place; nil: it goes on
}

// Ask sends a request and returns the answer, or kills the child at the end of the leash.
func (p *Process) Ask(ctx context.Context, request []byte, l Leash) ([]byte, error) {
	watch := newStopwatch(p.cmd.Process.Pid)
	var answer []byte
	done := make(chan error, 1)
	go func() {
		err := p.Send(request)
		if err == nil {
			answer, err = Receive(p.out, MaxAnswer)
		}
		done <- err
	}()
	kill := func() {
		p.Worked, _ = watch.read()
		_ = p.cmd.Process.Kill()
		<-done // it ends with the pipes
		_ = p.cmd.Wait()
	}
	until := l.Deadline // of its work, when somebody looks next
	if l.Slow != nil {
		until = min(l.Patience, l.Longest, l.Deadline)
	}
	look := time.NewTimer(until)
	defer look.Stop()
	for {
		select {
		case err := <-done:
			if err == nil {
				p.Worked, _ = watch.read()
				p.Served++
				return answer, nil
			}
			err = p.end(err)
			p.Worked = p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime() - watch.worked
			return nil, err
		case <-ctx.Done():
			kill()
			return nil, ctx.Err()
		case <-l.Yield:
			kill()
			return nil, ErrPreempted
		case <-look.C:
			work, passed := watch.read()
			if l.Slow != nil && work < l.Deadline && (work >= l.Patience || passed >= l.Longest) {
				if !l.Slow() {
					kill()
					return nil, ErrPreempted
				}
				l.Slow, until = nil, l.Deadline
			}
			switch {
			case work >= l.Deadline:
				kill()
				return nil, &evaluate.Exhausted{Limit: evaluate.Time}
			case passed >= Patience*l.Deadline:
				kill()
				// Without measured values, so that the sentence on the status branch stays the same.
				return nil, fmt.Errorf("the machine is too busy: an evaluation got less than %s of CPU time in %s", l.Deadline, Patience*l.Deadline)
			default:
				next := max(until-work, until/100)
				if l.Slow != nil {
					next = min(next, l.Longest-passed)
				}
				look.Reset(next)
			}
		}
	}
}

// end returns why a child ended, or did not answer as it should.
func (p *Process) end(err error) error {
	if _, tooLong := errors.AsType[TooLongError](err); tooLong {
		p.Kill()
		return &evaluate.Exhausted{Limit: evaluate.Memory}
	}
	// It may still be writing the reason: wait until it has ended.
	kill := time.AfterFunc(10*time.Second, func() { _ = p.cmd.Process.Kill() })
	_ = p.cmd.Wait()
	kill.Stop()
	text := string(p.stderr.text)
	status, _ := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	switch first, _, _ := strings.Cut(text, "\n"); {
	case strings.Contains(text, "stack exceeds"), strings.Contains(text, "stack overflow"):
		return &evaluate.Exhausted{Limit: evaluate.Stack}
	case strings.Contains(text, "out of memory"), strings.Contains(text, "cannot allocate memory"),
		strings.Contains(text, "receive a message: it has"),
		strings.HasPrefix(text, "SIGSEGV"), strings.HasPrefix(text, "fatal error: unexpected signal"): // the Go runtime itself got no memory
		return &evaluate.Exhausted{Limit: evaluate.Memory}
	case strings.Contains(text, "pthread_create failed"), strings.Contains(text, "failed to create new OS thread"):
		return ErrNoThread
	case status.Signaled() && status.Signal() == syscall.SIGKILL:
		return ErrKilled
	default:
		return fmt.Errorf("the evaluating process ended (%v): %s", p.cmd.ProcessState, first)
	}
}

// Stop ends a child between two requests.
func (p *Process) Stop() error {
	_ = p.in.Close()
	return p.cmd.Wait()
}

// Kill ends a child at once.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// Send sends a message whose answer Ask does not wait for. It may be called beside Ask.
func (p *Process) Send(message []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Send(p.in, message)
}

// PID returns the number of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }
