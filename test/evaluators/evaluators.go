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
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/evaluate/pool"
)

// inherited is the variable of the environment that tells a test program that a test starts which directory to use.
const inherited = "DAROS_EVALUATORS"

var dir = os.Getenv(inherited) // of this run: the program of the children, and the answers

// Main runs the tests of a package. It is for TestMain.
func Main(m *testing.M) (code int) {
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

var build = sync.OnceValues(func() (string, error) {
	if dir == "" { // else it would be built into the package, and stay there
		return "", errors.New("the package has no TestMain that calls evaluators.Main")
	}
	program := filepath.Join(dir, "child")
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	out, err := exec.Command("go", "build", "-ldflags=-s -linkmode=internal", "-o", program, "github.com/d-aros/d-aros/test/evaluators/child").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the program that evaluates: %w\n%s", err, out)
	}
	return program, nil
})

// New returns an evaluator.
func New(t testing.TB) *evaluate.Evaluator {
	t.Helper()
	shared, err := open()
	require.NoError(t, err)
	return evaluate.Through(shared)
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
