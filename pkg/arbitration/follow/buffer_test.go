package follow

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestDecisionBufferIsASlice: whatever is put there and taken away.
func TestDecisionBufferIsASlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, want := newDecisionBuffer(0), []model.Decision{}
		for n := range rapid.IntRange(0, 60).Draw(t, "edits") {
			if at := rapid.IntRange(0, len(want)).Draw(t, "at"); at == len(want) || rapid.Bool().Draw(t, "one more") {
				d := model.Decision{Message: fmt.Sprint(n)}
				want = slices.Insert(want, at, d)
				s.insert(at)
				require.Zero(t, s.decisions()[at])
				s.decisions()[at] = d
			} else {
				want = slices.Delete(want, at, at+1)
				s.remove(at)
			}
			require.Equal(t, want, s.decisions())
		}
	})
}
