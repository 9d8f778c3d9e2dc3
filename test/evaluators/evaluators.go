// Package evaluators gives tests evaluators that share what any of them evaluated, as most tests of a package begin with
// the same files. They evaluate in children, as the reconciler does. The race detector does not watch a child: one goroutine
// of it evaluates, and under the detector that takes five to ten times as long.
package evaluators

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/evaluate/pool"
	"github.com/d-aros/d-aros/test/unraced"
)

// inherited is the variable of the environment that tells a test program that a test starts which directory to use.
const inherited = "DAROS_EVALUATORS"

// child is the name of the link to the program of the children.
const child = "child"

var dir = os.Getenv(inherited) // of this run: the answers, and a link to the program of the children

// Main runs the tests of a package. It is for TestMain. Without the race detector the test program is its own child.
func Main(m *testing.M) (code int) {
	if filepath.Base(os.Args[0]) == child {
		if err := pool.Child(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	}
	if dir != "" {
		return m.Run()
	}
	var err error
	if dir, err = os.MkdirTemp("", "evaluators-"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Setenv(inherited, dir); err != nil {
		panic(err)
	}
	defer func() { end() }()
	return m.Run()
}

// Child returns the program of the children.
func Child(t testing.TB) string {
	t.Helper()
	program, err := build()
	require.NoError(t, err)
	return program
}

// build returns a link to the program of the children. What the race detector watches builds one into the checkout, where the
// other packages find it: the go command sees that it is there and does not link it again.
var build = sync.OnceValues(func() (string, error) {
	if dir == "" {
		return "", errors.New("the package has no TestMain that calls evaluators.Main")
	}
	link := filepath.Join(dir, child)
	if _, err := os.Stat(link); err == nil {
		return link, nil
	}
	if !unraced.Racing {
		self, err := os.Executable()
		if err != nil {
			return "", err
		}
		return link, os.Symlink(self, link)
	}
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("find the checkout: %w", err)
	}
	place := filepath.Join(strings.TrimSpace(string(root)), ".cache", "evaluators")
	if err := os.MkdirAll(place, 0o755); err != nil {
		return "", err
	}
	lock, err := os.OpenFile(filepath.Join(place, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil { // nobody starts a program that is half written
		return "", fmt.Errorf("lock %s: %w", lock.Name(), err)
	}
	program := filepath.Join(place, "child")
	out, err := exec.Command("go", "build", "-ldflags=-s -linkmode=internal", "-o", program, "github.com/d-aros/d-aros/test/evaluators/child").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the program that evaluates: %w\n%s", err, out)
	}
	return link, os.Symlink(program, link)
})

// New returns an evaluator.
func New(t testing.TB) *evaluate.Evaluator {
	t.Helper()
	shared, err := open()
	require.NoError(t, err)
	return evaluate.Through(shared)
}

// Answers is the directory of what they evaluated, for those who evaluate in children of their own.
func Answers(t testing.TB) string {
	t.Helper()
	_, err := open()
	require.NoError(t, err)
	return filepath.Join(dir, "answers")
}

// end ends the children.
var end = func() {}

// open opens the pool of all evaluators.
var open = sync.OnceValues(func() (*pool.Pool, error) {
	program, err := build()
	if err != nil {
		return nil, err
	}
	shared, err := pool.Open(context.Background(), pool.Options{Command: []string{program}, Dir: filepath.Join(dir, "answers")})
	if err == nil {
		end = shared.Close
	}
	return shared, err
})
