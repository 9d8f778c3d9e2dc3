package advice

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// What costs nobody comes first, then what degrades others, then what evicts them; of these a priority last, and the owner's changes
// before the tenant's and the platform's.
func TestOrderOfAdvice(t *testing.T) {
	degrades, evicts := []model.Victim{{Replicas: 1}}, []model.Victim{{Replicas: 1}, {Replicas: 1, Evicted: true}}
	var want []model.Advice
	for _, victims := range [][]model.Victim{nil, degrades, evicts} {
		want = append(want, model.Advice{Change: "request", By: model.ByOwner, Victims: victims}, model.Advice{Change: "quota", By: model.ByTenant, Victims: victims},
			model.Advice{Change: "capacity", By: model.ByPlatform, Victims: victims}, model.Advice{Change: "priority", By: model.ByOwner, Victims: victims})
	}
	list := slices.Clone(want)
	slices.Reverse(list)
	slices.SortStableFunc(list, compare)
	require.Equal(t, want, list)
}
