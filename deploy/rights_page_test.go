package deploy

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/d-aros/d-aros/test/page"
)

// TestRightsPage holds the table of rights to the ClusterRole, whose comments say what the rights are for.
func TestRightsPage(t *testing.T) {
	file, err := os.Open("reconciler/rights.yaml")
	require.NoError(t, err)
	defer file.Close()
	var role struct{ Rules []yaml.Node }
	require.NoError(t, yaml.NewDecoder(file).Decode(&role), "the ClusterRole is the first document")

	var table strings.Builder
	table.WriteString("| resources | verbs | for |\n|---|---|---|\n")
	for _, node := range role.Rules {
		var rule struct {
			APIGroups []string `yaml:"apiGroups"`
			Resources []string
			Verbs     []string
		}
		require.NoError(t, node.Decode(&rule))
		purpose := strings.ReplaceAll(strings.TrimPrefix(node.HeadComment, "# "), "\n# ", " ") // also of the rules below without one
		group := strings.Join(rule.APIGroups, ", ")
		if group != "" {
			group += ": "
		}
		fmt.Fprintf(&table, "| %s%s | %s | %s |\n", group, strings.Join(rule.Resources, ", "), strings.Join(rule.Verbs, ", "), purpose)
	}
	page.Hold(t, *update, "../docs/apply.md", "rights", table.String())
}
