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

// TestRightsPage holds the tables of rights to the ClusterRoles, whose comments say what the rights are for.
func TestRightsPage(t *testing.T) {
	file, err := os.Open("reconciler/rights.yaml")
	require.NoError(t, err)
	defer file.Close()
	roles := yaml.NewDecoder(file)
	for _, part := range []string{"rights", "account rights"} {
		var role struct{ Rules []yaml.Node }
		require.NoError(t, roles.Decode(&role), "the ClusterRoles are the first documents")
		page.Hold(t, *update, "../docs/apply.md", part, table(t, role.Rules))
	}
}

func table(t *testing.T, rules []yaml.Node) string {
	t.Helper()
	var table strings.Builder
	table.WriteString("| resources | verbs | for |\n|---|---|---|\n")
	for _, node := range rules {
		var rule struct {
			APIGroups        []string `yaml:"apiGroups"`
			Resources, Verbs []string
			ResourceNames    []string `yaml:"resourceNames"`
		}
		require.NoError(t, node.Decode(&rule))
		purpose := strings.ReplaceAll(strings.TrimPrefix(node.HeadComment, "# "), "\n# ", " ") // also of the rules below without one
		what := strings.Join(rule.Resources, ", ")
		if group := strings.Join(rule.APIGroups, ", "); group != "" {
			what = group + ": " + what
		}
		if len(rule.ResourceNames) > 0 {
			what += " named " + strings.Join(rule.ResourceNames, ", ")
		}
		fmt.Fprintf(&table, "| %s | %s | %s |\n", what, strings.Join(rule.Verbs, ", "), purpose)
	}
	return table.String()
}
