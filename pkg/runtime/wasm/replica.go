package wasm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/d-aros/d-aros/pkg/runtime"
)

// maxBackoff is the longest wait before a module is started again.
const maxBackoff = 5 * time.Minute

// state of a replica.
type state int

const (
	starting state = iota
	running        // and has been for a while
	waiting        // to be started again
	done           // it is finite, and ended well
	failed         // it is finite, and has no attempt left
)

// replica is one running form of a part. Its fields but stop are under the lock of the Runtime.
type replica struct {
	stop     context.CancelFunc
	state    state
	restarts int
	code     int    // with which it ended last
	why      string // it did, for people
}

// begin starts a replica and keeps it going until it is stopped.
func (r *Runtime) begin(p *part, log string) *replica {
	ctx, stop := context.WithCancel(r.Ctx)
	one := &replica{stop: stop}
	r.Busy.Go(func() {
		defer stop()
		r.keep(ctx, one, p.program, p.module, log)
	})
	return one
}

// keep runs a program again and again, with waits that grow while it ends soon.
func (r *Runtime) keep(ctx context.Context, one *replica, p program, module []byte, log string) {
	for pause := r.o.Backoff; ctx.Err() == nil; {
		began := time.Now()
		end := r.once(ctx, one, p, module, log)
		if ctx.Err() != nil {
			return
		}
		next := waiting
		r.change(func() {
			one.code, one.why = end.Code, end.Why
			switch {
			case p.Finite && end.Code == 0 && end.Why == "":
				next = done
			case p.Finite && one.restarts+1 >= p.Attempts:
				next = failed
			default:
				one.restarts++
			}
			one.state = next
		})
		if next != waiting {
			return
		}
		if time.Since(began) > maxBackoff {
			pause = r.o.Backoff
		}
		runtime.Pause(ctx, pause)
		pause = min(2*pause, maxBackoff)
	}
}

// once runs a program until it ends, and returns how.
func (r *Runtime) once(ctx context.Context, one *replica, p program, module []byte, log string) news {
	if p.Deadline > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, p.Deadline)
		defer cancel()
	}
	told, err := json.Marshal(order{Module: module, Args: append([]string{p.Module}, p.Args...), Env: p.Env, Memory: p.Memory})
	if err != nil {
		return news{Why: err.Error()}
	}
	output := openLog(log)
	defer output.Close()
	cmd := exec.CommandContext(ctx, r.o.Launcher[0], r.o.Launcher[1:]...)
	cmd.Env = append([]string{"GOMAXPROCS=2"}, r.o.Env...) // and nothing of the reconciler's
	cmd.Dir, cmd.Stdin, cmd.Stderr, cmd.SysProcAttr, cmd.WaitDelay = "/", bytes.NewReader(told), output, dieWithParent(), time.Second
	tells, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return news{Why: fmt.Sprintf("start the process of a module: %v", err)}
	}
	end := r.listen(one, tells)
	err = cmd.Wait()
	switch {
	case end.Ended:
	case p.Deadline > 0 && ctx.Err() != nil:
		end = news{Code: 1, Why: "it took longer than its deadline of " + p.Deadline.String()}
	default:
		end = news{Code: 1, Why: fmt.Sprintf("the process of the module ended: %v", err)}
	}
	return end
}

// listen takes in what a child tells, and returns its last news.
func (r *Runtime) listen(one *replica, tells io.Reader) (last news) {
	in := json.NewDecoder(io.LimitReader(tells, page))
	steady := time.AfterFunc(time.Hour, func() {
		r.change(func() {
			if one.state == starting || one.state == waiting {
				one.state = running
			}
		})
	})
	defer steady.Stop()
	for {
		var n news
		if in.Decode(&n) != nil {
			return last
		}
		if last = n; n.Started && !n.Ended {
			steady.Reset(r.o.Steady)
		}
	}
}
