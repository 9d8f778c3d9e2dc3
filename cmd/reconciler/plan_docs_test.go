package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/schema"
	"github.com/d-aros/d-aros/test/page"
)

const planPage = "../../docs/plan.md"

var fenced = regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)^```$")

// blocks returns the code of a page in one language.
func blocks(t *testing.T, language string) (list []string) {
	t.Helper()
	text, err := os.ReadFile(planPage)
	require.NoError(t, err)
	for _, m := range fenced.FindAllStringSubmatch(string(text), -1) {
		if m[1] == language {
			list = append(list, m[2])
		}
	}
	return list
}

// What the page shows is what a script has seen.
func TestPlanPageShowsWhatIsPrinted(t *testing.T) {
	scripts, err := txtar.ParseFile("testdata/plan/plan.txtar")
	require.NoError(t, err)
	var seen strings.Builder
	for _, f := range scripts.Files {
		seen.Write(f.Data)
	}
	for _, file := range []string{"testdata/runs/plan.txt", "testdata/settle/plan.txt"} { // TestPlanShowsRuns and TestPlanSettles have seen them
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		seen.Write(text)
	}
	shown := blocks(t, "text")
	require.NotEmpty(t, shown)
	for _, block := range shown {
		require.Contains(t, seen.String(), block)
	}
}

// What the page tells people to type is understood, up to where a fleet is needed.
func TestPlanPageCommands(t *testing.T) {
	count := 0
	for _, block := range blocks(t, "sh") {
		for line := range strings.Lines(block) {
			args := strings.Fields(line)
			if args[0] != "reconciler" {
				continue
			}
			root := newRoot(&output{}, &output{})
			cmd, rest, err := root.Find(args[1:])
			require.NoError(t, err, line)
			require.NoError(t, cmd.ParseFlags(rest), line)
			require.NoError(t, cmd.ValidateArgs(cmd.Flags().Args()), line)
			if sets, err := cmd.Flags().GetStringArray("set"); err == nil {
				for _, set := range sets {
					_, err := offline.ParseSetting(set)
					require.NoError(t, err, line)
				}
			}
			count++
		}
	}
	require.Greater(t, count, 5)
}

// TestPlanWorkflow: init writes what the page shows.
func TestPlanWorkflow(t *testing.T) {
	files, err := fleetFiles(fleetNames{Fleet: "fleet", Tenant: "acme", App: "shop"})
	require.NoError(t, err)
	i := slices.IndexFunc(files, func(f schema.File) bool { return f.Name == ".github/workflows/plan.yaml" })
	require.GreaterOrEqual(t, i, 0)
	page.Hold(t, *update, planPage, "plan workflow", "```yaml\n"+string(files[i].Data)+"```\n")
}

// ciScript returns the shell of a snippet: "github" or "gitlab".
func ciScript(t *testing.T, which string) string {
	t.Helper()
	var lines []string
	for _, block := range blocks(t, "yaml") {
		var workflow struct {
			Jobs map[string]struct{ Steps []struct{ Run string } }
			Plan struct{ Script []string }
		}
		require.NoError(t, yaml.Unmarshal([]byte(block), &workflow), block)
		if which == "github" {
			for _, step := range workflow.Jobs["plan"].Steps {
				lines = append(lines, step.Run)
			}
		} else {
			lines = append(lines, workflow.Plan.Script...)
		}
	}
	require.NotEmpty(t, lines)
	return "set -e\n" + strings.Join(lines, "\n") + "\n"
}
