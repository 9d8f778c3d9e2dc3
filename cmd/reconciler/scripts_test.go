package main

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/evaluate/pool"
	"github.com/d-aros/d-aros/test/unraced"
)

// scripts is the tests with a directory of commands that the race detector does not watch.
type scripts struct{ *testing.M }

var commandDir string // of the commands that the race detector does not watch

func (m scripts) Run() int {
	dir, err := os.MkdirTemp("", "commands-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	program, err := unraced.Program(dir)
	if err != nil {
		panic(err)
	}
	for _, name := range []string{"reconciler", "cue"} {
		if err := os.Symlink(program, filepath.Join(dir, name)); err != nil {
			panic(err)
		}
	}
	commandDir = dir
	executable = func() (string, error) { return program, nil } // of the children, too
	return m.M.Run()
}

// newEvaluator returns an evaluator with children that the race detector does not watch, as one goroutine of a child
// evaluates. All share what one of them evaluated.
func newEvaluator() (*evaluate.Evaluator, error) {
	shared, err := children()
	return evaluate.Through(shared), err
}

var children = sync.OnceValues(func() (*pool.Pool, error) {
	command, err := childCommand(evaluateCommand)
	if err != nil {
		return nil, err
	}
	return pool.Open(context.Background(), pool.Options{Command: command, Dir: filepath.Join(commandDir, "answers")})
})

// unwatched lets a script run the commands without the race detector. It watches the commands that tests run in this
// process, and those of the other scripts. The commands share their cache of evaluations, as most scripts begin with the
// same files.
func unwatched(env *testscript.Env) {
	env.Setenv("PATH", commandDir+string(filepath.ListSeparator)+env.Getenv("PATH"))
	env.Setenv("XDG_CACHE_HOME", cacheDir())
}

func cacheDir() string { return filepath.Join(commandDir, "cache") }

// isolate keeps the settings of this machine out of a script, in which Ann commits.
func isolate(env *testscript.Env) error {
	unwatched(env)
	env.Setenv("HOME", env.WorkDir)
	env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	env.Setenv("GIT_CEILING_DIRECTORIES", env.WorkDir)
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		env.Setenv("GIT_"+who+"_NAME", "Ann")
		env.Setenv("GIT_"+who+"_EMAIL", "ann@example.com")
	}
	return nil
}
