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

	"github.com/d-aros/d-aros/test/tool"
)

// TestStatusPageCommands runs every line of shell on docs/status-commands.md, in a
// clone of a fleet whose status branch reflects its tip.
func TestStatusPageCommands(t *testing.T) {
	tool.Need(t, "jq")
	page, err := os.ReadFile("../../docs/status-commands.md")
	require.NoError(t, err)
	script := `exec git init -q --bare -b main fleet.git
exec git clone -q fleet.git clone
cd clone
exec git checkout -q -b main
exec git -c user.name=ann -c user.email=ann@example.com commit -q --allow-empty -m first
exec git push -q -u origin main
save-as ../fleet.git .
`
	var files strings.Builder
	lines := 0
	for _, block := range fenced.FindAllStringSubmatch(string(page), -1) {
		require.Equal(t, "sh", block[1])
		for line := range strings.Lines(block[2]) {
			lines++
			script += fmt.Sprintf("exec sh -e ../line%d.sh\n", lines)
			fmt.Fprintf(&files, "-- line%d.sh --\n%s", lines, line)
		}
	}
	require.Greater(t, lines, 4)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "page.txtar"), []byte(script+files.String()), 0o600))
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"save-as": func(ts *testscript.TestScript, _ bool, args []string) {
				saveAs(t.Context(), ts, args, time.Now().UTC())
			},
		},
		Setup: isolate,
	})
}
