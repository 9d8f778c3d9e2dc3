package follow

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestInsertAndRemove: whatever is put there and taken away.
func TestInsertAndRemove(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, want := []model.Decision(nil), []model.Decision{}
		for n := range rapid.IntRange(0, 60).Draw(t, "edits") {
			some := func(places []int) []int {
				return slices.DeleteFunc(places, func(int) bool { return rapid.IntRange(0, 3).Draw(t, "stays") > 0 })
			}
			if rapid.Bool().Draw(t, "more") {
				places := some(upTo(len(want) + 1))
				for i := range places {
					places[i] += i // where it is afterwards
					want = slices.Insert(want, places[i], model.Decision{Message: fmt.Sprint(n, i)})
				}
				s = insert(s, places)
				for i, at := range places {
					require.Zero(t, s[at])
					s[at] = model.Decision{Message: fmt.Sprint(n, i)}
				}
			} else {
				places := some(upTo(len(want)))
				for _, at := range slices.Backward(places) {
					want = slices.Delete(want, at, at+1)
				}
				s = remove(s, places)
			}
			require.Equal(t, want, append([]model.Decision{}, s...))
		}
	})
}

// upTo lists the numbers below n.
func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
