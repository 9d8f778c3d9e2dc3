package chaos

import (
	"flag"
	"strings"
	"testing"

	"github.com/d-aros/d-aros/test/page"
)

var update = flag.Bool("update", false, "write the lists of the threat model anew")

// TestPage: the threat model lists what is done and what must hold.
func TestPage(t *testing.T) {
	var lists strings.Builder
	lists.WriteString("| what is done |\n| --- |\n")
	for _, f := range faults {
		lists.WriteString("| " + f.name + " |\n")
	}
	lists.WriteString("\n| what holds after each |\n| --- |\n| a change of another tenant arrives |\n")
	for _, p := range properties {
		lists.WriteString("| " + p.name + " |\n")
	}
	page.Hold(t, *update, "../../docs/threat-model.md", "chaos", lists.String())
}
