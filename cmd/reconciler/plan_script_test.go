package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/offline"
)

// TestPlanScripts runs the commands that decide without a cluster, on real repos.
func TestPlanScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/plan",
		UpdateScripts: *update,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"passes": passesOnPaper(t),
			// exits CODE COMMAND … runs a command that ends so.
			"exits": func(ts *testscript.TestScript, _ bool, args []string) {
				err := ts.Exec(args[1], args[2:]...)
				code := 0
				var exit *exec.ExitError
				if errors.As(err, &exit) {
					code = exit.ExitCode()
				}
				if strconv.Itoa(code) != args[0] {
					ts.Fatalf("ends with %d and not %s", code, args[0])
				}
			},
			// snippet github|gitlab FILE writes what CI runs by the page about plan.
			"snippet": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(ciScript(t, args[0])), 0o600))
			},
			"replace": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(replaceIn(ts.MkAbs(args[0]), args[1], args[2]))
			},
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("GIT_AUTHOR_DATE", "2026-03-01T12:00:00Z")
			env.Setenv("GIT_COMMITTER_DATE", "2026-03-01T12:00:00Z")
			return isolate(env)
		},
	})
}

// passesOnPaper is the command "passes REPO", which lets the reconciler run until nothing changes, on paper.
func passesOnPaper(t *testing.T) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, args []string) {
		now := worldBegins
		dir := filepath.Join(ts.Getenv("WORK"), ".reconciler")
		_, loop, err := newPaperLoop(t.Context(), ts.MkAbs(args[0]), dir, func() time.Time { return now }, ts.Defer)
		ts.Check(err)
		for range 4 {
			_, err := loop.Pass(t.Context())
			ts.Check(err)
			now = now.Add(time.Minute)
		}
	}
}

// Why not: what stands in the way, and that what would do does.
func TestWhyNot(t *testing.T) {
	w := newWorld(t)
	w.app("acme", "shop", 12, 500)
	w.app("globex", "api", 8, 300)
	w.app("globex", "huge", 40, 300)
	w.repo.Commit("first")
	w.passes()
	ask := func(app, level string) (v offline.Obstacles) {
		w.run(0, &v, "explain", app, "--why-not", level, "--repo", w.repo.Dir, "-o", "json")
		return v
	}

	full := ask("acme/shop", "full")
	require.True(t, full.Reached, "%+v", full)

	low := ask("globex/api", "minimum")
	require.True(t, low.Reached, "it may be degraded: %+v", low)
	full = ask("globex/api", "full")
	require.False(t, full.Reached)
	require.NotEmpty(t, full.Failing)
	require.NotEmpty(t, full.Ways)
	require.NotEmpty(t, full.Ahead)

	for _, level := range offline.Levels {
		huge := ask("globex/huge", string(level))
		require.False(t, huge.Reached)
		require.Equal(t, "quota.cpu", huge.Failing[0].Name)
	}
	require.Equal(t, exitError, run(t.Context(), []string{"explain", "acme/shop", "--why-not", "more", "--repo", w.repo.Dir}, &output{}, &output{}))
}
