package evaluate

import (
	"strings"
	"testing"

	"cuelang.org/go/cue/literal"
	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/texttest"
)

// TestMessagesAreLines: a message may repeat what somebody wrote in CUE, and stands in logs, in comments and on the status
// branch.
func TestMessagesAreLines(t *testing.T) {
	base := unpack(archive(t, "base.txtar"))
	require.NotNil(t, base)
	var b strings.Builder
	b.WriteString("package fleet\n\napplication: labels: {\n")
	for _, s := range texttest.Corpus() {
		b.WriteString("\t" + literal.String.Quote(strings.ToValidUTF8(s, "?")) + ": " + literal.String.Quote(strings.ToValidUTF8(s, "?")) + "\n")
	}
	b.WriteString("}\n")
	f := New().Fleet("c", unpack(archive(t, "base.txtar"), overlay("tenants/acme/apps/shop/more.cue", b.String())), nil)
	require.NotEmpty(t, f.Problems)
	for _, p := range f.Problems {
		texttest.Line(t, p.Message, 600)
		texttest.Line(t, p.Path, 4096)
		for _, place := range p.Places {
			texttest.Line(t, place.Note, 600)
		}
	}
}
