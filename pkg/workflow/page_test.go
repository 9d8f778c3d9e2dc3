package workflow_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
	"github.com/d-aros/d-aros/pkg/workflow/condition"
	"github.com/d-aros/d-aros/test/inprocess"
	"github.com/d-aros/d-aros/test/page"
)

const file = "../../docs/workflow.md"

var (
	block  = regexp.MustCompile("(?s)```cue\n(.*?)```")
	told   = regexp.MustCompile(`<!-- story: ([a-z-]+) -->`)
	quoted = regexp.MustCompile("`([^`]*(?:outputs|failed|succeeded)[^`A-Z]*)`")
)

// files is a tree that never changes.
type files struct{ fstest.MapFS }

func (f files) Digest(name string) (string, error) {
	_, err := fs.Stat(f, name)
	return name, err
}

// TestPageExample: the example of docs/workflow.md is a valid application, and its
// run begins as the page says.
func TestPageExample(t *testing.T) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	example := block.FindStringSubmatch(string(text))
	require.NotNil(t, example)
	tree := files{fstest.MapFS{}}
	for name, data := range map[string]string{
		"fleet.cue": "package fleet\nimport \"d-aros.dev/schema\"\nschema.#Fleet\nplatform: {name: \"example\", pools: general: {os: [\"linux\"], runtimes: [\"container\"], capacity: {cpu: \"64\", memory: \"256Gi\"}}, allotments: acme: {},\n" +
			"policy: {egress: hosts: [\"*.example.com\"], images: registries: [\"ghcr.io\"]}}\n",
		"tenants/acme/tenant.cue":        "package fleet\ntenant: {name: \"acme\", quota: {cpu: \"64\", memory: \"256Gi\"}}\n",
		"tenants/acme/apps/shop/app.cue": example[1],
	} {
		tree.MapFS[name] = &fstest.MapFile{Data: []byte(data)}
	}
	fleet := evaluate.Through(inprocess.By[evaluate.Worker]()).Fleet("c0ffee", tree, nil)
	require.Empty(t, fleet.Problems)
	require.Len(t, fleet.Applications, 1)

	spec := fleet.Applications[0]
	turn := workflow.Turn{Run: workflow.Start("", spec, 1, nil, start), Spec: spec}
	pass := func() { advance(&turn, start) }
	phases := func() (phases []model.StepPhase) {
		for _, s := range turn.Run.Steps {
			phases = append(phases, s.Phase)
		}
		return phases
	}
	pass()
	require.Equal(t, []model.StepPhase{"active", "pending", "pending", "pending"}, phases())
	turn.Results = []workflow.Result{{Key: workflow.Intents(&turn.Run, spec, nil)[0].Key, OK: true, Message: "7"}}
	pass()
	require.Equal(t, []model.StepPhase{"succeeded", "active", "pending", "pending"}, phases())
	turn.Commands = []model.Command{{Action: "approve", Run: turn.Run.ID, Step: "agree", By: "ann", Roles: []string{"tenant-admin"}}}
	pass()
	require.Equal(t, []model.StepPhase{"succeeded", "succeeded", "active", "pending"}, phases())
	web, _ := spec.Component("web")
	turn.Seen = []workflow.Seen{{Component: "web", Granted: 4, Versions: []workflow.SeenVersion{{Content: web.Content(spec.ID), Replicas: 4, Ready: 4}}}}
	pass()
	require.Equal(t, []model.StepPhase{"succeeded", "succeeded", "succeeded", "skipped"}, phases())
	require.Equal(t, model.RunSucceeded, turn.Run.Phase, turn.Run.Message)
}

// TestPageConditions: the conditions that the page quotes are conditions.
func TestPageConditions(t *testing.T) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	_, section, _ := strings.Cut(string(text), "## Order and conditions")
	section, _, _ = strings.Cut(section, "\n## ")
	found := 0
	for _, m := range quoted.FindAllStringSubmatch(section, -1) {
		_, err := condition.Parse(m[1])
		require.NoError(t, err, m[1])
		found++
	}
	require.GreaterOrEqual(t, found, 4)
}

// TestPageStories: the histories on the page are those of the stories.
func TestPageStories(t *testing.T) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, m := range told.FindAllStringSubmatch(string(text), -1) {
		ar, err := txtar.ParseFile("testdata/" + m[1] + ".txtar")
		require.NoError(t, err)
		page.Hold(t, *update, file, "story: "+m[1], "```text\n"+play(t, ar)+"```\n")
	}
}
