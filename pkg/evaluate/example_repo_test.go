package evaluate

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExampleRepoEvaluates(t *testing.T) {
	fleet := New(nil).Fleet("0123", directory("../../examples/repo"), nil)
	require.Empty(t, fleet.Problems)
	require.Empty(t, fleet.Unusable)
	require.Len(t, fleet.Tenants, 3)
	require.Len(t, fleet.Applications, 9)
}
