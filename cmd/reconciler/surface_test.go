package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/buildinfo"
	"github.com/d-aros/d-aros/pkg/dashboard"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/pkg/view"
	"github.com/d-aros/d-aros/test/surface"
)

// answers are the values that -o json prints, by command.
var answers = map[string]any{
	"approve":            requestView{},
	"codeowners":         ownersView{},
	"confirm-removal":    confirmationView{},
	"compact":            status.Compaction{},
	"merge":              signedView{},
	"migrate":            status.Migration{},
	"diff":               view.Diff{},
	"events":             []status.Event{},
	"explain":            view.Explanation{},
	"explain --why-not":  offline.Obstacles{},
	"history":            []view.HistoryEntry{},
	"import":             importView{},
	"init":               newFleetView{},
	"migrate allotments": allotmentsView{},
	"new application":    newView{},
	"new component":      newView{},
	"new step":           newView{},
	"new tenant":         newView{},
	"orphans":            []model.Inventory{},
	"pause":              requestView{},
	"pin":                pinView{},
	"plan":               view.Plan{},
	"reject":             requestView{},
	"render":             offline.Rendering{},
	"replay":             offline.Replayed{},
	"restart":            requestView{},
	"restore":            restorationView{},
	"retry":              requestView{},
	"resume":             requestView{},
	"review":             signedView{},
	"schema update":      schemaView{},
	"status":             view.Status{},
	"stop":               requestView{},
	"ui applications":    view.ApplicationsPage{}, // and the other answers of the dashboard that no command prints
	"ui branches":        view.SavedDraft{},
	"ui changes":         view.Changes{},
	"ui fleet":           view.Fleet{},
	"ui live":            runtime.Live{},
	"ui meta":            dashboard.Meta{},
	"ui offers":          view.Offers{},
	"ui pools":           view.Pools{},
	"ui preview":         view.Preview{},
	"ui problems":        view.ProblemsPage{},
	"ui run":             view.Run{},
	"ui source":          view.Source{},
	"ui tenant":          view.Tenant{},
	"ui timeline":        view.Timeline{},
	"unpin":              pinView{},
	"version":            versionView{},
	"vet":                view.Vet{},
	"vet --effective":    view.Policy{},
	"what-if":            view.Plan{},
}

func TestCommandsAreRecorded(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", "/cache") // the default of --state-dir lies below it
	surface.Check(t, "commands", *update, surface.Commands(newRoot(io.Discard, io.Discard)))
}

// TestCommandsHaveScripts: every command runs in a script, as the real program.
func TestCommandsHaveScripts(t *testing.T) {
	var scripts []byte
	require.NoError(t, filepath.WalkDir("testdata", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".txtar" {
			return err
		}
		data, err := os.ReadFile(name)
		scripts = append(scripts, data...)
		return err
	}))
	surface.Visit(newRoot(io.Discard, io.Discard), func(cmd *cobra.Command) {
		if cmd.Runnable() {
			name := strings.TrimPrefix(cmd.CommandPath(), "reconciler ")
			runs := regexp.MustCompile(`(?m)^([!?] )?(exec reconciler|exits [012] reconciler|ends) ` + name + `\b`)
			assert.True(t, runs.Match(scripts), "no script in testdata runs the command %s", name)
		}
	})
}

func TestJSONIsRecorded(t *testing.T) {
	var entries []string
	for command, answer := range answers {
		entries = append(entries, surface.Fields("reconciler "+command, answer)...)
	}
	surface.Check(t, "json", *update, entries)
	surface.Visit(newRoot(io.Discard, io.Discard), func(cmd *cobra.Command) {
		name := strings.TrimPrefix(cmd.CommandPath(), "reconciler ")
		if _, known := answers[name]; cmd.Flags().Lookup("output") != nil && !known {
			t.Errorf("%s has -o, and answers does not have what it prints", name)
		}
	})
}

func TestMetricsAreRecorded(t *testing.T) {
	var registry surface.Registry
	newMetrics(&registry, buildinfo.Read(), true)
	surface.Check(t, "metrics", *update, registry.Entries())
}

// TestExitCodesAreRecorded runs the real program where each command that has something to differ or refuse does, and
// where it does not.
func TestExitCodesAreRecorded(t *testing.T) {
	example, err := filepath.Abs("../../examples/repo")
	if err != nil {
		t.Fatal(err)
	}
	var entries []string
	t.Run("script", func(t *testing.T) { // scripts are parallel tests: this one ends with them
		testscript.Run(t, testscript.Params{
			Dir: "testdata/exits",
			Cmds: map[string]func(*testscript.TestScript, bool, []string){
				"example": func(ts *testscript.TestScript, _ bool, args []string) {
					ts.Check(os.CopyFS(ts.MkAbs(args[0]), os.DirFS(example)))
				},
				"saved": func(ts *testscript.TestScript, _ bool, args []string) {
					ts.Check(save(t.Context(), ts, args[0], time.Now().UTC(), 0))
				},
				// ends ARGUMENT … records with which code the reconciler ends.
				"ends": func(ts *testscript.TestScript, _ bool, args []string) {
					err := ts.Exec("reconciler", args...)
					code := 0
					if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
						code = exit.ExitCode()
					} else {
						ts.Check(err)
					}
					entries = append(entries, fmt.Sprintf("reconciler %s%sexit code %d", strings.Join(args, " "), surface.Gap, code))
				},
			},
			Setup: isolate,
		})
	})
	surface.Check(t, "exit-codes", *update, entries)
}
