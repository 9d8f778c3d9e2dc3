package follow

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestDomainsOfAHeldGrantAreAnEdit: arbitration reads where an application is spread
// from what it holds, so other domains alone make another instance.
func TestDomainsOfAHeldGrantAreAnEdit(t *testing.T) {
	running := func(domains ...string) *model.Instance {
		return &model.Instance{Number: 1, Phase: model.PhaseRunning, Components: []model.ComponentState{
			{Grant: model.Grant{Component: "web", Replicas: 2, Pool: "general", Domains: domains}}}}
	}
	require.True(t, sameInstance(running("a", "b"), running("a", "b")))
	require.False(t, sameInstance(running("a", "b"), running("a", "c")))
}
