package pool

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/d-aros/d-aros/pkg/evaluate"
)

// A process is one child, for one goroutine at a time. After an error it is gone.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *head
	served int
	worked time.Duration // CPU time for the last request
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

// start starts a child that may take so many bytes of memory.
func start(command []string, memory int64) (*process, error) {
	p := &process{cmd: exec.Command(command[0], command[1:]...), stderr: &head{}}
	p.cmd.Env = []string{"GOMAXPROCS=2", fmt.Sprintf("GOMEMLIMIT=%d", memory), "CUE_REGISTRY=none"} // and nothing else
	p.cmd.Dir = "/"
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

// errKilled is the end of a child that somebody else killed: because of its memory, or because
// of what else runs on the machine.
var errKilled = errors.New("the evaluating process was killed")

// errNoThread is the end of a child that got no thread. Mostly the machine has none left for it.
var errNoThread = errors.New("the machine has no more threads for an evaluation; see the limit of processes (pids) of the container")

// patience is how many times its deadline an evaluation may take by the clock, on a
// machine that gives it little of the CPU.
const patience = 60

// errPreempted is the end of an evaluation whose place others need, or that worked for its patience and has none.
var errPreempted = errors.New("the evaluation was preempted")

// A leash is how long an evaluation may work.
type leash struct {
	deadline time.Duration
	patience time.Duration   // after which slow is called
	longest  time.Duration   // by the clock, after which slow is called, too
	slow     func() bool     // reports whether the evaluation may go on; nil: it may
	yield    <-chan struct{} // closed when others need the place; nil: it goes on
}

// ask sends a request and returns the answer, or kills the child at the end of the leash.
func (p *process) ask(ctx context.Context, request []byte, l leash) ([]byte, error) {
	watch := newStopwatch(p.cmd.Process.Pid)
	var answer []byte
	done := make(chan error, 1)
	go func() {
		err := send(p.in, request)
		if err == nil {
			answer, err = receive(p.out, maxAnswer)
		}
		done <- err
	}()
	kill := func() {
		p.worked, _ = watch.read()
		_ = p.cmd.Process.Kill()
		<-done // it ends with the pipes
		_ = p.cmd.Wait()
	}
	until := l.deadline // of its work, when somebody looks next
	if l.slow != nil {
		until = min(l.patience, l.longest, l.deadline)
	}
	look := time.NewTimer(until)
	defer look.Stop()
	for {
		select {
		case err := <-done:
			if err == nil {
				p.worked, _ = watch.read()
				p.served++
				return answer, nil
			}
			err = p.end(err)
			p.worked = p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime() - watch.worked
			return nil, err
		case <-ctx.Done():
			kill()
			return nil, ctx.Err()
		case <-l.yield:
			kill()
			return nil, errPreempted
		case <-look.C:
			work, passed := watch.read()
			if l.slow != nil && work < l.deadline && (work >= l.patience || passed >= l.longest) {
				if !l.slow() {
					kill()
					return nil, errPreempted
				}
				l.slow, until = nil, l.deadline
			}
			switch {
			case work >= l.deadline:
				kill()
				return nil, &evaluate.Exhausted{Limit: evaluate.Time}
			case passed >= patience*l.deadline:
				kill()
				// Without measured values, so that the sentence on the status branch stays the same.
				return nil, fmt.Errorf("the machine is too busy: an evaluation got less than %s of CPU time in %s", l.deadline, patience*l.deadline)
			default:
				next := max(until-work, until/100)
				if l.slow != nil {
					next = min(next, l.longest-passed)
				}
				look.Reset(next)
			}
		}
	}
}

// end returns why a child ended, or did not answer as it should.
func (p *process) end(err error) error {
	var tooLong errTooLong
	if errors.As(err, &tooLong) {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
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
		return errNoThread
	case status.Signaled() && status.Signal() == syscall.SIGKILL:
		return errKilled
	default:
		return fmt.Errorf("the evaluating process ended (%v): %s", p.cmd.ProcessState, first)
	}
}

// stop ends a child between two requests.
func (p *process) stop() {
	_ = p.in.Close()
	_ = p.cmd.Wait()
}
