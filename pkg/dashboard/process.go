package dashboard

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/leashed"
	"github.com/d-aros/d-aros/pkg/scratch"
)

// Limits of a process that answers questions. docs/dashboard.md states them.
const (
	workerMemory = 1 << 30
	maxThinking  = 10 * time.Second // CPU time for one question, beside that of evaluators, which have limits of their own
	maxSaving    = time.Minute      // CPU time to judge what somebody saves, as people save less often than they type
	maxCatchUp   = time.Minute      // CPU time to decide on a fleet, whatever somebody asks about it

	// workerHeap is from where garbage is collected at once. What the heap has given back stays data of the process, and threads have
	// stacks, so a worker goes beyond its memory well before its heap is as large.
	workerHeap = workerMemory / 10 * 6
)

// How much garbage a worker holds, in per cent of what it needs: little while it evaluates a fleet near its limit, more while somebody
// waits, as collecting it takes a third of the time of an answer about a large fleet. The limit of memory goes before both.
const (
	followingGC = 50
	answeringGC = 200
)

// Process is a worker in a child of this program. It begins with the first question, and again after it has gone beyond a limit or was
// killed: then the fleet is evaluated once more, and nothing else is lost.
type Process struct {
	ctx      context.Context // ends with the server, and the child with it
	command  []string
	thinking time.Duration    // CPU time for a question
	saving   time.Duration    // CPU time for one that saves
	child    *leashed.Process // nil: there is none
	scratch  *scratch.Dir     // its temporary files
}

// NewProcess returns a worker whose command calls Work. It works until ctx ends. The caller closes it.
func NewProcess(ctx context.Context, command []string) *Process {
	return &Process{ctx: ctx, command: command, thinking: maxThinking, saving: maxSaving}
}

// message is what a child is told.
type message struct {
	Follow   bool     `json:"follow,omitempty"` // in place of an answer
	Question Question `json:"question"`
}

// told is what it says.
type told struct {
	Answer Answer        `json:"answer"`
	Worked time.Duration `json:"worked"` // by evaluators
	Error  string        `json:"error,omitempty"`
	Status int           `json:"status,omitempty"` // of the error, 0: it blames nobody
	After  time.Duration `json:"after,omitempty"`
}

// Follow brings what a question is about up to date.
func (p *Process) Follow(_ context.Context, q Question) error {
	had := p.child != nil
	_, _, err := p.say(p.ctx, message{true, q}, maxCatchUp)
	if had && errors.As(err, new(*endedError)) { // since the last question
		_, _, err = p.say(p.ctx, message{true, q}, maxCatchUp)
	}
	if spent := (*evaluate.Exhausted)(nil); errors.As(err, &spent) {
		err = refuse(http.StatusServiceUnavailable, "to evaluate this fleet and decide on it takes more than %s here; the commands have no limit: reconciler plan, what-if, vet", limitOf(spent, maxCatchUp))
	}
	return err
}

// Ask answers a question.
func (p *Process) Ask(ctx context.Context, q Question) (Answer, time.Duration, error) {
	most := p.thinking
	if q.About == aboutSaving {
		most = p.saving
	}
	a, worked, err := p.say(ctx, message{false, q}, most)
	if spent := (*evaluate.Exhausted)(nil); errors.As(err, &spent) {
		err = givenUp(q, spent, most)
	}
	if ended := (*endedError)(nil); errors.As(err, &ended) {
		err = later("%v", ended)
	}
	return a, worked, err
}

// givenUp refuses what takes more than a worker may take, and says what to do instead.
func givenUp(q Question, spent *evaluate.Exhausted, most time.Duration) error {
	instead := "ask about less at a time"
	switch {
	case q.About == aboutPreview && spent.Limit == evaluate.Time:
		return unseen(limitOf(spent, most))
	case q.About == aboutPreview, q.About == aboutSaving:
		instead = "make the change in the files of a clone, where \"reconciler vet\" and \"reconciler plan\" have no limit"
	case q.About == aboutWhatIf:
		instead += ", or ask \"reconciler what-if\", which has no limit"
	case q.About == aboutPlan:
		instead = "ask \"reconciler plan --head BRANCH\", which has no limit"
	}
	return refuse(http.StatusRequestEntityTooLarge, "the answer takes more than %s, so it was given up; %s", limitOf(spent, most), instead)
}

// unseen refuses a preview that takes more time than people wait for one, by whichever clock. Saving has more.
func unseen(limit string) error {
	return &refusal{status: http.StatusRequestEntityTooLarge, saves: true, sentence: fmt.Sprintf("the answer takes more than %s, so it was given up; "+
		"save the draft all the same: it is judged for up to %s of CPU time then, and \"reconciler plan --head BRANCH\", which has no limit, says what the branch would do", limit, maxSaving)}
}

// endedError is the end of a child that went beyond no limit.
type endedError struct{ why error }

func (e *endedError) Error() string {
	return fmt.Sprintf("the process that makes the answer ended: %v; another one begins, so ask again", e.why)
}

// limitOf names the limit at which a child ended.
func limitOf(spent *evaluate.Exhausted, work time.Duration) string {
	if spent.Limit == evaluate.Time {
		return work.String() + " of CPU time"
	}
	return "1 GiB of memory"
}

// say sends a message and returns the answer to it, and the CPU time that it took. Once ctx has ended the child is told that nobody waits.
func (p *Process) say(ctx context.Context, m message, most time.Duration) (a Answer, worked time.Duration, err error) {
	data, err := json.Marshal(m)
	if err == nil && p.child == nil {
		err = p.start()
	}
	if err != nil {
		return a, 0, err
	}
	child, interrupted := p.child, make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = child.Send(nil)
		close(interrupted)
	})
	said, err := child.Ask(p.ctx, data, leashed.Leash{Deadline: most})
	if !stop() {
		<-interrupted // else it would be about the next question
	}
	if err != nil {
		p.end()
		if errors.Is(err, leashed.ErrNoThread) && p.start() == nil { // the machine has threads, so the child had no memory for one
			err = &evaluate.Exhausted{Limit: evaluate.Memory}
		}
		if !errors.As(err, new(*evaluate.Exhausted)) && p.ctx.Err() == nil {
			err = &endedError{err}
		}
		return a, child.Worked, err
	}
	var is told
	if err := json.Unmarshal(said, &is); err != nil {
		return a, child.Worked, fmt.Errorf("read an answer: %w", err)
	}
	switch {
	case is.Status != 0:
		err = &refusal{status: is.Status, sentence: is.Error, after: is.After}
	case is.Error != "":
		err = errors.New(is.Error)
	}
	return is.Answer, child.Worked + is.Worked, err
}

// start starts the child. It may read what whoever started this program may, and its own files end with it.
func (p *Process) start() (err error) {
	if p.scratch, err = scratch.New(); err != nil {
		return fmt.Errorf("start the process that makes answers: %w", err)
	}
	p.child, err = leashed.Start(leashed.Options{Command: p.command, Memory: workerMemory, Env: append(os.Environ(), "TMPDIR="+p.scratch.Name)})
	if err != nil {
		p.end()
	}
	return err
}

// end removes what a child leaves that is gone.
func (p *Process) end() {
	p.child = nil
	p.scratch.Remove()
}

// Close ends the child. Nobody asks it any more.
func (p *Process) Close() {
	if p.child != nil {
		p.child.Kill()
		p.end()
	}
}

// Work answers what the parent of this process asks, until in ends. Then it ends the process, even in the middle of an answer, because
// nobody waits for it any more.
func Work(ctx context.Context, in io.Reader, out io.Writer, open func() (*Desk, error)) error {
	if err := leashed.Limit(workerMemory); err != nil {
		return err
	}
	debug.SetMemoryLimit(min(debug.SetMemoryLimit(-1), workerHeap))
	debug.SetGCPercent(followingGC)
	desk, err := open()
	if err != nil {
		return err
	}
	type asked struct {
		message
		ctx context.Context
	}
	questions := make(chan asked)
	go func() {
		in, leave := bufio.NewReader(in), func() {}
		for {
			data, err := leashed.Receive(in, leashed.MaxRequest)
			if err != nil {
				os.Exit(0)
			}
			leave() // an empty message says that nobody waits, and one that has a question comes after an answer
			if len(data) == 0 {
				continue
			}
			var a asked
			if json.Unmarshal(data, &a.message) != nil {
				os.Exit(2)
			}
			a.ctx, leave = context.WithCancel(ctx)
			questions <- a
		}
	}()
	for q := range questions {
		var is told
		if q.Follow {
			debug.SetGCPercent(followingGC)
			err = desk.Follow(ctx, q.Question)
		} else {
			debug.SetGCPercent(answeringGC)
			is.Answer, is.Worked, err = desk.Ask(q.ctx, q.Question)
		}
		if err != nil {
			is.Error = err.Error()
		}
		if bad := (*refusal)(nil); errors.As(err, &bad) {
			is.Status, is.Error, is.After = bad.status, bad.sentence, bad.after
		}
		data, err := json.Marshal(is)
		if err == nil {
			err = leashed.Send(out, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
