package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// TestReadmeStart types what the README says to start a fleet, up to the cluster: there the
// reconciler runs on paper, and the flags are only read.
func TestReadmeStart(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(readme), "## Start a fleet of your own\n")
	require.True(t, found)
	block := fenced.FindStringSubmatch(section)
	require.NotNil(t, block)
	script, files := "mkdir checkout\ncd checkout\n", ""
	for line := range strings.Lines(block[2]) {
		words := strings.Fields(strings.Split(line, "#")[0])
		if len(words) > 0 && words[0] == "reconciler" {
			cmd, rest, err := newRoot(&output{}, &output{}).Find(words[1:])
			require.NoError(t, err, line)
			require.NoError(t, cmd.ParseFlags(rest), line)
		}
		run := fmt.Sprintf("exec sh -e $WORK/line%d.sh\n", len(files))
		switch {
		case len(words) == 0 || words[0] == "make" || words[0] == "kubectl" || strings.Contains(line, "--dry-run"):
			continue
		case words[0] == "cd":
			run = "cd " + words[1] + "\n"
		case words[0] == "reconciler" && words[1] == "run":
			run = "passes .\n"
		case words[0] == "reconciler" && words[1] == "plan":
			run = "! " + run // something changes
		}
		files += fmt.Sprintf("-- line%d.sh --\n%s", len(files), line)
		script += run
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "start.txtar"), []byte(script+"stdout '^demo/hello .*Running'\n"+files), 0o600))
	testscript.Run(t, testscript.Params{
		Dir: dir, Setup: isolate,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"passes": passesOnPaper(t)},
	})
}
