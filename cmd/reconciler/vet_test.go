package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/signkey"
)

// TestAuthoring runs the real commands on fleet repos on disk, beside the real git
// and cue.
func TestAuthoring(t *testing.T) {
	example, err := filepath.Abs("../../examples/repo")
	require.NoError(t, err)
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/authoring",
		UpdateScripts: *update,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			// example DIR copies examples/repo.
			"example": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(os.CopyFS(ts.MkAbs(args[0]), os.DirFS(example)))
			},
			// key NAME makes the SSH key NAME and NAME.pub, and sets $NAME to its public line.
			"key": func(ts *testscript.TestScript, _ bool, args []string) {
				public, err := signkey.WriteEd25519(filepath.Join(ts.Getenv("WORK"), args[0]), args[0])
				ts.Check(err)
				ts.Check(os.WriteFile(filepath.Join(ts.Getenv("WORK"), args[0]+".pub"), []byte(public), 0o644))
				ts.Setenv(args[0], strings.TrimSpace(public))
			},
			// replace FILE OLD NEW replaces text that the file must have.
			"replace": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(replaceIn(ts.MkAbs(args[0]), args[1], args[2]))
			},
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("CUE_REGISTRY", "none")
			env.Setenv("CUE_CACHE_DIR", filepath.Join(env.WorkDir, ".cue-cache"))
			return isolate(env)
		},
	})
}

func replaceIn(name, old, new string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	before, after, ok := strings.Cut(string(data), old)
	if !ok {
		return &fs.PathError{Op: "replace " + old + " in", Path: name, Err: fs.ErrNotExist}
	}
	return os.WriteFile(name, []byte(before+new+after), 0o644)
}
