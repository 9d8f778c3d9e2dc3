package follow

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// insert makes places for more decisions: those that they have afterwards, in order. Each of the others is moved once
// at most: decisions are large.
func insert(all []model.Decision, places []int) []model.Decision {
	n := len(all)
	all = slices.Grow(all, len(places))[:n+len(places)]
	for i, at := range slices.Backward(places) {
		copy(all[at+1:], all[at-i:n])
		all[at], n = model.Decision{}, at-i
	}
	return all
}

// remove takes decisions out: those at these places, in order.
func remove(all []model.Decision, places []int) []model.Decision {
	for i, at := range places {
		end := len(all)
		if i+1 < len(places) {
			end = places[i+1]
		}
		copy(all[at-i:], all[at+1:end])
	}
	return slices.Delete(all, len(all)-len(places), len(all))
}
