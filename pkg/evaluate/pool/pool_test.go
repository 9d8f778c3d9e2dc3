package pool

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/leashed"
	"github.com/d-aros/d-aros/test/inprocess"
)

func open(t *testing.T, o Options) *Pool {
	if o.Command == nil {
		o.Command = []string{program, "evaluate"}
	}
	p, err := Open(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return p
}

// The pool says what this process says.
func TestPoolIsTheSame(t *testing.T) {
	files := fleetOf(5, "acme", "globex", "initech")
	files.app("globex", "greedy", 5000)
	want := evaluate.Through(inprocess.By[evaluate.Worker]()).Fleet("c", files, nil)
	require.Len(t, want.Applications, 15)
	require.Len(t, want.Unusable, 1)
	require.Equal(t, want, evaluate.Through(open(t, Options{})).Fleet("c", files, nil))
}

// counted counts what reaches the children.
type counted struct {
	*Pool
	evaluated int
}

func (c *counted) Evaluate(tenant, key string, request []byte) ([]byte, error) {
	c.evaluated++ // on a pool of one place
	return c.Pool.Evaluate(tenant, key, request)
}

func one(p *Pool) *counted {
	for cap(p.places) > 1 {
		p.places = make(chan *leashed.Process, 1)
		p.places <- nil
	}
	return &counted{Pool: p}
}

// A child that is killed is replaced, and the application is not to blame.
func TestKilledChild(t *testing.T) {
	p := open(t, Options{})
	one := one(p)
	e := evaluate.Through(one)
	files := fleetOf(2, "acme")
	require.Len(t, e.Fleet("c", files, nil).Applications, 2)
	child := <-p.places
	require.NotNil(t, child)
	child.Kill()
	p.places <- child
	files.app("acme", "app-1", 7)
	f := e.Fleet("c", files, nil)
	require.Empty(t, f.Problems)
	require.Len(t, f.Applications, 2)
}

// Why a child ended is read from how it ended, and who is to blame from that.
func TestLimits(t *testing.T) {
	for mode, want := range map[string]error{
		"busy":              &evaluate.Exhausted{Limit: evaluate.Time},
		"stack":             &evaluate.Exhausted{Limit: evaluate.Stack},
		"long":              &evaluate.Exhausted{Limit: evaluate.Memory},
		"killed":            &evaluate.Exhausted{Limit: evaluate.Memory},
		"thread":            leashed.ErrNoThread,
		"thread of its own": &evaluate.Exhausted{Limit: evaluate.Memory},
	} {
		t.Run(mode, func(t *testing.T) {
			p := open(t, Options{Command: []string{program, mode}, Deadline: 2 * time.Second})
			_, err := p.Evaluate("acme", "key", []byte("{}"))
			require.Equal(t, want, err)
			p.options.Command = nil // who starts a child now panics: it is not tried again at once
			_, err = p.Evaluate("acme", "key", []byte("{}"))
			require.Equal(t, want, err)
		})
	}
	p := open(t, Options{Command: []string{filepath.Join(t.TempDir(), "missing")}})
	_, err := p.Evaluate("acme", "key", nil)
	require.ErrorIs(t, err, fs.ErrNotExist, "the world is to blame")
}

// What a child does not get of the CPU is no fault of what it evaluates: the
// deadline counts its work. Who hardly gets to work at all has the world to blame.
func TestBusyMachine(t *testing.T) {
	child, err := leashed.Start(leashed.Options{Command: []string{program, "answer"}, Memory: memoryLimit})
	require.NoError(t, err)
	_, err = child.Ask(t.Context(), []byte("{}"), leashed.Leash{Deadline: time.Minute})
	require.NoError(t, err)
	const deadline = 50 * time.Millisecond

	is, err := os.FindProcess(child.PID())
	require.NoError(t, err)
	stop(t, is)
	time.AfterFunc(5*deadline, func() { _ = is.Signal(syscall.SIGCONT) })
	answer, err := child.Ask(t.Context(), []byte("late"), leashed.Leash{Deadline: deadline})
	require.NoError(t, err)
	require.Equal(t, "late", string(answer))

	stop(t, is)
	began := time.Now()
	_, err = child.Ask(t.Context(), []byte("{}"), leashed.Leash{Deadline: deadline})
	require.EqualError(t, err, "the machine is too busy: an evaluation got less than 50ms of CPU time in 3s")
	require.NotErrorAs(t, err, new(*evaluate.Exhausted))
	require.GreaterOrEqual(t, time.Since(began), leashed.Patience*deadline)
}

// stop stops a process, and returns when none of its threads runs any more.
func stop(t *testing.T, p *os.Process) {
	require.NoError(t, p.Signal(syscall.SIGSTOP))
	require.Eventually(t, func() bool {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", p.Pid))
		require.NoError(t, err)
		return !slices.ContainsFunc(threads, func(name string) bool {
			stat, err := os.ReadFile(name)
			return err == nil && !strings.Contains(string(stat), ") T ")
		})
	}, 2*time.Minute, time.Millisecond)
}

func TestFailuresWaitLonger(t *testing.T) {
	f := failures{}
	now := time.Unix(0, 0)
	for _, wait := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
		require.NoError(t, f.recent("key", now))
		f.add("key", &evaluate.Exhausted{Limit: evaluate.Time}, now)
		require.Error(t, f.recent("key", now.Add(wait*time.Minute-1)))
		require.NoError(t, f.recent("other", now))
		now = now.Add(wait * time.Minute)
	}
	delete(f, "key")
	f.add("key", &evaluate.Exhausted{Limit: evaluate.Time}, now)
	require.NoError(t, f.recent("key", now.Add(time.Minute)))
	delete(f, "key")
	for _, wait := range []time.Duration{5, 10, 20, 40, 80, 160, 300, 300} {
		f.add("key", leashed.ErrNoThread, now)
		require.Equal(t, leashed.ErrNoThread, f.recent("key", now.Add(wait*time.Second-1)))
		now = now.Add(wait * time.Second)
		require.NoError(t, f.recent("key", now))
	}
}

// A busy child ends with its input, and with its parent.
func TestBusyChildEnds(t *testing.T) {
	child, err := leashed.Start(leashed.Options{Command: []string{program, "evaluate"}, Memory: memoryLimit})
	require.NoError(t, err)
	require.NoError(t, child.Send(busyRequest()))
	require.NoError(t, child.Stop())

	parent := exec.Command(program, "parent")
	out, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, parent.Process.Kill())
	_ = parent.Wait()
	stat := filepath.Join("/proc", strings.TrimSpace(line), "stat")
	require.Eventually(t, func() bool {
		data, err := os.ReadFile(stat)
		return err != nil || strings.Contains(string(data), ") Z ")
	}, 2*time.Minute, 10*time.Millisecond)
}
