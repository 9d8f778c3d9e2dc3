package apply

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestNamesOfParts: a name tells which part of an inventory a ConfigMap is. One with a number that no inventory reaches is none,
// whoever made it.
func TestNamesOfParts(t *testing.T) {
	app := model.AppID{Tenant: "acme", Name: "shop"}
	first := shardName(app, 0)
	for name, want := range map[string]int{
		first: 0, first + ".1": 1, first + ".12": 12, first + ".999": 999,
		first + ".1000": -1, first + ".2000000000": -1, first + ".99999999999999999999": -1,
		first + ".0": -1, first + ".01": -1, first + ".-1": -1, first + ".": -1, first + "1": -1, first + ".x": -1, "d-aros.inventory": -1, "": -1,
	} {
		require.Equal(t, want, shardOf(app, name), name)
	}
	for _, n := range []int{0, 1, mostShards - 1} {
		require.Equal(t, n, shardOf(app, shardName(app, n)))
	}
}
