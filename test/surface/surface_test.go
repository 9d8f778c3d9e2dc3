package surface

import (
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the records anew")

// TestCodes records the codes of docs/errors.md, which is made of the rules.
func TestCodes(t *testing.T) {
	page, err := os.ReadFile("../../docs/errors.md")
	require.NoError(t, err)
	var codes []string
	for _, m := range regexp.MustCompile(`(?m)^### (DA\d{4}) `).FindAllStringSubmatch(string(page), -1) {
		codes = append(codes, m[1])
	}
	Check(t, "codes", *update, codes)
}

func TestAnEntryGoesOnlyWithAWord(t *testing.T) {
	const changelog = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- `daros_new`\n\n### Removed\n\n- `reconciler old`\n\n### Fixed\n\n- `daros_kept`\n"
	recorded := []string{"daros_kept  gauge{}", "reconciler old  command", "reconciler old --flag  bool"}
	added, lost := Compare(recorded, []string{"daros_new  gauge{}", "daros_kept  counter{}"}, Announced(changelog))
	require.Equal(t, []string{"daros_new  gauge{}", "daros_kept  counter{}"}, added)
	require.Equal(t, []string{"daros_kept  gauge{}", "reconciler old --flag  bool"}, lost,
		"a heading that is neither Changed nor Removed announces nothing, nor does the name of something else")
}

func TestFieldsAreThoseOfTheJSON(t *testing.T) {
	type inner struct {
		At   time.Time `json:"at"`
		Next *struct{} `json:"-"`
	}
	type tree struct {
		inner
		Name     string          `json:"name,omitempty"`
		Count    map[string]int  `json:"count"`
		Raw      json.RawMessage `json:"raw"`
		Children []*tree         `json:"children"`
		Share    float64
		Hidden   bool `json:"-"`
	}
	require.Equal(t, []string{
		"x -o json .[].at  time",
		"x -o json .[].name  string, optional",
		"x -o json .[].count{}  integer",
		"x -o json .[].raw  any",
		"x -o json .[].children[]  as above: tree",
		"x -o json .[].Share  number",
	}, Fields("x", []tree{}))
}

func TestRegistryKnowsWhatHasNoValueYet(t *testing.T) {
	var r Registry
	r.MustRegister(
		prometheus.NewCounterVec(prometheus.CounterOpts{Name: "a_total"}, []string{"x", "y"}),
		prometheus.NewGauge(prometheus.GaugeOpts{Name: "b"}),
		prometheus.NewCounter(prometheus.CounterOpts{Name: "c_total"}),
	)
	require.Equal(t, []string{"a_total  counter{x, y}", "b  gauge{}", "c_total  counter{}"}, r.Entries())
}

func TestCommandsLeaveOutWhatHelpHides(t *testing.T) {
	root, sub := &cobra.Command{Use: "p"}, &cobra.Command{Use: "sub", Run: func(*cobra.Command, []string) {}}
	hidden := &cobra.Command{Use: "secret", Hidden: true, Run: sub.Run}
	root.PersistentFlags().Bool("all", false, "")
	sub.Flags().StringP("output", "o", "text", "")
	root.AddCommand(sub, hidden)
	require.Equal(t, []string{
		"p  command", `p --all  bool, default "false"`,
		"p sub  command", `p sub --output  string, short -o, default "text"`, `p sub --all  bool, default "false"`,
	}, Commands(root))
}
