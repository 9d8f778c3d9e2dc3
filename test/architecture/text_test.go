package architecture

import "testing"

// judges are the functions that tell which characters show, or that repair text.
var judges = map[string][]string{
	"unicode": {"IsPrint", "IsGraphic", "IsControl", "Is", "Cc", "Cf"},
	"strings": {"ToValidUTF8"},
	"bytes":   {"ToValidUTF8"},
}

// TestOnePlaceMakesTextSafe: two places that judge which characters show soon judge differently.
func TestOnePlaceMakesTextSafe(t *testing.T) {
	for _, f := range folders(t) {
		if f.support() || f.dir == "pkg/text" {
			continue
		}
		for _, file := range f.production() {
			for imported, names := range judges {
				for _, use := range uses(file, imported, names...) {
					t.Errorf("%s judges text: call pkg/text", use)
				}
			}
		}
	}
}
