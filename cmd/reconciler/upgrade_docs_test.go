package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// TestUpgradePageCommands runs each line of shell on docs/upgrade.md in order, in a clone of a fleet that has run a
// while, and looks at what the page promises of the way back.
func TestUpgradePageCommands(t *testing.T) {
	page, err := os.ReadFile("../../docs/upgrade.md")
	require.NoError(t, err)
	example, err := filepath.Abs("../../examples/repo")
	require.NoError(t, err)
	var script, files strings.Builder
	script.WriteString("example clone\ncd clone\nexec git init -q -b main\nexec git add --all\nexec git commit -q -m first\n" +
		"exec git clone -q --bare . ../fleet.git\npasses ../fleet.git\nexec git remote add origin ../fleet.git\nexec git fetch -q origin\nexec git branch -q -u origin/main\n")
	lines := 0
	for _, block := range fenced.FindAllStringSubmatch(string(page), -1) {
		if block[1] != "sh" {
			continue // of kubectl
		}
		for line := range strings.Lines(block[2]) {
			lines++
			fmt.Fprintf(&script, "exec sh -e ../line%d.sh\n", lines)
			fmt.Fprintf(&files, "-- line%d.sh --\n%s", lines, line)
		}
	}
	require.Greater(t, lines, 5)
	script.WriteString("exec git -C ../fleet.git ls-tree -r --name-only status\nstdout '^tenants/acme/shop/instance.yaml$'\n! stdout 'json$'\n" +
		"exec reconciler version --repo .\nstdout 'format 1.0'\n")
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "page.txtar"), []byte(script.String()+files.String()), 0o600))
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"example": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(os.CopyFS(ts.MkAbs(args[0]), os.DirFS(example)))
			},
			"passes": func(ts *testscript.TestScript, _ bool, args []string) {
				now := worldBegins
				_, loop, err := newPaperLoop(t.Context(), ts.MkAbs(args[0]), filepath.Join(ts.Getenv("WORK"), ".reconciler"), func() time.Time { return now }, ts.Defer)
				ts.Check(err)
				for range 3 {
					_, err := loop.Pass(t.Context())
					ts.Check(err)
					now = now.Add(time.Minute)
				}
			},
		},
		Setup: isolate,
	})
}
