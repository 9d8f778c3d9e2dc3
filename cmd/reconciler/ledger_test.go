package main

import (
	"context"
	"flag"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	cue "cuelang.org/go/cmd/cue/cmd"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/status"
)

var update = flag.Bool("update", false, "write the golden files")

func TestMain(m *testing.M) {
	testscript.Main(scripts{m}, map[string]func(){"reconciler": atPresent, "cue": func() { os.Exit(cue.Main()) }})
}

// impatient is a variable of the environment with which the command shows progress from the first step on.
const impatient = "IMPATIENT"

// atPresent is the command, at the time that a script says it is: however long the
// script takes, what was half an hour ago stays half an hour ago.
func atPresent() {
	if at := os.Getenv("PRESENT"); at != "" {
		fixed, err := time.Parse(time.RFC3339, at)
		if err != nil {
			panic(err)
		}
		present = func() time.Time { return fixed }
	}
	if os.Getenv(impatient) != "" {
		progressDelay = 0
	}
	main()
}

// TestReading runs the real command over real status branches.
func TestReading(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	testscript.Run(t, testscript.Params{
		Dir:           "testdata",
		UpdateScripts: *update,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			// save REPO first|second|third|fourth [DAYS] writes a ledger of the fixture to the status
			// branch, as if it were so many days ago, by the program $WRITTEN_BY.
			"save": func(ts *testscript.TestScript, _ bool, args []string) {
				which, days := slices.Index([]string{"first", "second", "third", "fourth"}, args[1]), 0
				if len(args) > 2 {
					var err error
					days, err = strconv.Atoi(args[2])
					ts.Check(err)
				}
				ts.Check(save(t.Context(), ts, args[0], now.AddDate(0, 0, -days), which))
			},
			// save-as REPO CLONE saves the first ledger as if it were about the tip of a clone.
			"save-as": func(ts *testscript.TestScript, _ bool, args []string) { saveAs(t.Context(), ts, args, now) },
		},
		Setup: func(env *testscript.Env) error {
			unwatched(env)
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			env.Setenv("PRESENT", now.Format(time.RFC3339))
			spec, _ := fixture(now)[0].Find(id("acme", "shop"))
			env.Setenv("SPEC", spec.Spec.Digest.Short())
			for key, ago := range map[string]time.Duration{"T180": 180, "T179": 179, "T30": 30} {
				env.Setenv(key, moment(now.Add(-ago*time.Minute)))
			}
			return nil
		},
	})
}

func saveAs(ctx context.Context, ts *testscript.TestScript, args []string, now time.Time) {
	tip, err := clone.Line(ctx, ts.MkAbs(args[1]), "rev-parse", "HEAD")
	ts.Check(err)
	next := fixture(now)[0]
	next.Commit = tip
	shop := &next.Instances[2]
	for i := range shop.History {
		shop.History[i].Commit = tip
	}
	ts.Check(saveLedger(ctx, ts, args[0], now, next))
}

func save(ctx context.Context, ts *testscript.TestScript, repo string, now time.Time, which int) error {
	return saveLedger(ctx, ts, repo, now, fixture(now)[which])
}

func saveLedger(ctx context.Context, ts *testscript.TestScript, repo string, now time.Time, next model.Ledger) error {
	dir, err := os.MkdirTemp(ts.Getenv("WORK"), "writer-")
	if err != nil {
		return err
	}
	branch, err := status.Open(ctx, status.Options{URL: ts.MkAbs(repo), Dir: dir, Now: func() time.Time { return now }, WrittenBy: ts.Getenv("WRITTEN_BY")})
	if err != nil {
		return err
	}
	defer branch.Close()
	previous, err := branch.Load(ctx)
	if err != nil {
		return err
	}
	_, _, err = branch.Commit(ctx, previous, next)
	return err
}

// The story that the scripts are told is one that the branch can hold.
func TestFixture(t *testing.T) {
	for _, l := range fixture(time.Now()) {
		for i := range l.Instances {
			_, ok := l.Find(l.Instances[i].App)
			require.True(t, ok, "instances are not sorted")
		}
	}
}
