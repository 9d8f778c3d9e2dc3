package turn_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/turn"
)

// TestOrphans: only a file that names an orphan, with its instance, lets it go, and only
// while Git does not declare the application and could be read whole.
func TestOrphans(t *testing.T) {
	app := func(name string) model.AppID { return model.AppID{Tenant: "acme", Name: name} }
	found := []model.Inventory{
		{App: app("broken"), Instance: 1}, {App: app("docs"), Instance: 2}, {App: app("shop"), Instance: 3}, {App: app("wiki"), Instance: 4},
	}
	fleet := model.Fleet{Applications: []*model.Application{{ID: app("shop")}}, Unusable: []model.Unusable{{App: app("broken")}}}
	names := []model.InstanceID{{App: app("broken"), Number: 1}, {App: app("docs"), Number: 2}, {App: app("shop"), Number: 3}, {App: app("wiki"), Number: 3}}
	outcome := func(fleet model.Fleet, confirmed []model.InstanceID) (going []string) {
		out := turn.Take(turn.Case{Fleet: fleet, Orphans: found, Requests: access.Requests{Removals: confirmed}})
		require.Len(t, out.Next.Orphans, len(found))
		for _, o := range out.Next.Orphans {
			if o.Confirmed {
				going = append(going, o.ID().String())
			}
		}
		return going
	}
	require.Equal(t, []string{"acme/docs#2"}, outcome(fleet, names))
	require.Empty(t, outcome(fleet, nil))
	fleet.Incomplete = true
	require.Empty(t, outcome(fleet, names))
	for _, o := range found {
		require.False(t, o.Confirmed, "what was found is the cluster's")
	}
}
