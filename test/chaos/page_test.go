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
	lists.WriteString("\n| what holds | but while |\n| --- | --- |\n")
	arrives := property{name: "a change of another tenant arrives", spares: func(f *fault) bool { return f.deaf }}
	for _, p := range append([]property{arrives}, properties...) {
		var spared []string
		for i := range faults {
			if p.spares(&faults[i]) {
				spared = append(spared, faults[i].name)
			}
		}
		but := strings.Join(spared, "; ")
		if len(spared) == len(faults) {
			but = "anything is done"
		}
		lists.WriteString("| " + p.name + " | " + but + " |\n")
	}
	page.Hold(t, *update, "../../docs/threat-model.md", "chaos", lists.String())
}
