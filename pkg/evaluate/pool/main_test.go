package pool

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"
	"time"

	cue "cuelang.org/go/cmd/cue/cmd"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/leashed"
	"github.com/d-aros/d-aros/test/unraced"
)

// program is what the children run: this test program, see TestMain.
var program = os.Args[0]

// runTests runs the tests. The race detector needs more memory than a child may have.
func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "pool-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if program, err = unraced.Program(dir); err != nil {
		panic(err)
	}
	return m.Run()
}

// The test program is its own child.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "cue" {
		os.Args = os.Args[1:]
		os.Exit(cue.Main())
	}
	if len(os.Args) > 1 && os.Args[1] == "floor" {
		if err := floor(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) != 2 {
		os.Exit(runTests(m))
	}
	switch os.Args[1] {
	case "evaluate":
		if err := Child(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case "busy":
		for {
			runtime.Gosched()
		}
	case "answer":
		in := bufio.NewReader(os.Stdin)
		for {
			request, err := leashed.Receive(in, leashed.MaxRequest)
			if err != nil {
				return
			}
			_ = leashed.Send(os.Stdout, request)
		}
	case "stack":
		debug.SetMaxStack(1 << 20)
		first(os.Stdin)
		fmt.Println(deep(1))
	case "long":
		first(os.Stdin)
		os.Stdout.Write([]byte{0xff, 0xff, 0xff, 0xff})
		select {}
	case "killed":
		first(os.Stdin)
		self, _ := os.FindProcess(os.Getpid())
		_ = self.Kill()
		select {}
	case "thread of its own":
		in := bufio.NewReader(os.Stdin)
		for request, err := leashed.Receive(in, leashed.MaxRequest); err == nil && len(request) == 0; request, err = leashed.Receive(in, leashed.MaxRequest) {
			_ = leashed.Send(os.Stdout, nil)
		}
		fmt.Fprintln(os.Stderr, "runtime/cgo: pthread_create failed: Resource temporarily unavailable")
		os.Exit(2)
	case "thread":
		first(os.Stdin)
		fmt.Fprintln(os.Stderr, "runtime/cgo: pthread_create failed: Resource temporarily unavailable")
		os.Exit(2)
	case "parent":
		orphan()
	default:
		os.Exit(runTests(m))
	}
}

func first(f *os.File) { _, _ = leashed.Receive(bufio.NewReader(f), leashed.MaxRequest) }

func deep(n int) int {
	if n < 0 {
		return 0
	}
	return deep(n+1) + n
}

// orphan starts a child, keeps it busy for ever, says which it is and waits to be killed.
func orphan() {
	child, err := leashed.Start(leashed.Options{Command: []string{program, "evaluate"}, Memory: memoryLimit})
	if err != nil {
		panic(err)
	}
	busy := busyRequest()
	if err := child.Send(busy); err != nil {
		panic(err)
	}
	fmt.Println(strconv.Itoa(child.PID()))
	select {}
}

// keeper keeps the last request about an application.
type keeper struct{ request []byte }

func (k *keeper) Run(n int, do func(i int)) {
	for i := range n {
		do(i)
	}
}

func (k *keeper) Recall(string) ([]byte, bool) { return nil, false }

func (k *keeper) Refused(string, string) error { return nil }

func (*keeper) Allot(map[string]time.Duration) {}

func (k *keeper) Evaluate(_, _ string, request []byte) ([]byte, error) {
	var w evaluate.Worker
	if k.request = request; !isBomb(request) {
		return w.Answer(request)
	}
	return nil, &evaluate.Exhausted{Limit: evaluate.Time}
}

// busyRequest takes for ever to answer.
func busyRequest() []byte {
	var k keeper
	evaluate.Through(&k).Fleet("c", fleetWith(nestedFor), nil)
	return k.request
}
