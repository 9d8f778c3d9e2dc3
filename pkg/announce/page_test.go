package announce_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/test/page"
)

var update = flag.Bool("update", false, "rewrite the table in docs/operations.md")

// TestPageIsTrue holds docs/operations.md to the kinds that there are.
func TestPageIsTrue(t *testing.T) {
	var table strings.Builder
	table.WriteString("| kind | means | line in the log | type of the message |\n|---|---|---|---|\n")
	for _, row := range announce.Kinds {
		line, message := "none: it only stands in the history", ""
		if row.Log != "" {
			line, message = "`"+row.Log+"`", "`"+row.Type+"`"
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", row.Kind, row.Means, line, message)
	}
	page.Hold(t, *update, "../../docs/operations.md", "announcements", table.String())
}
