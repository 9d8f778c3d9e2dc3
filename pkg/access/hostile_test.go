package access_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/texttest"
)

// TestPathsInViolationsAreLines: a path in a commit is anybody's text, and it stands in the log, on the status branch and
// in the sentence that says why the commit is refused.
func TestPathsInViolationsAreLines(t *testing.T) {
	p := fleet(t)
	for _, path := range texttest.Corpus() {
		_, v := p.Verify(signed(t, ed(t, "bob"), path), now)
		require.NotNil(t, v)
		texttest.Line(t, v.Path, 200)
		texttest.Line(t, v.Error(), 600)
		problem := v.Problem("main")
		texttest.Line(t, problem.Path, 200)
		texttest.Line(t, problem.Message, 600)
	}
}
