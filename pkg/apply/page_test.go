package apply

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/page"
)

var update = flag.Bool("update", false, "write the table of outcomes into docs/apply.md")

// TestPageHasEveryOutcome holds docs/apply.md to the reasons of outcomes.
func TestPageHasEveryOutcome(t *testing.T) {
	var table strings.Builder
	table.WriteString("| reason | what it means | what you can do | final |\n|---|---|---|---|\n")
	for _, k := range model.OutcomeKinds {
		final := ""
		if k.Final {
			final = "yes"
		}
		fmt.Fprintf(&table, "| %s | %s | %s | %s |\n", k.Reason, k.Means, k.Do, final)
	}
	page.Hold(t, *update, "../../docs/apply.md", "outcomes", table.String())
}
