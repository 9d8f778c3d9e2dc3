package workflow_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/d-aros/d-aros/pkg/workflow/condition"
	"github.com/d-aros/d-aros/test/page"
)

const file = "../../docs/workflow.md"

var (
	told   = regexp.MustCompile(`<!-- story: ([a-z-]+) -->`)
	quoted = regexp.MustCompile("`([^`]*(?:outputs|failed|succeeded)[^`A-Z]*)`")
)

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
