package lifecycle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/lifecycle"
	"github.com/d-aros/d-aros/pkg/model"
)

// TestNothingMovesToWhatWasThere: an application moves to one that came in its place. One
// that Git has declared all along, and that failed or was evicted, did not come, though
// it has the same components: the application that was removed must end.
func TestNothingMovesToWhatWasThere(t *testing.T) {
	gone, other := model.AppID{Tenant: "acme", Name: "shop"}, model.AppID{Tenant: "acme", Name: "store"}
	spec := func(id model.AppID) *model.Application {
		a := model.Application{ID: id, Components: []model.Component{{Name: "web", Type: "worker", Replicas: 1}}}.Seal()
		return &a
	}
	fleet := model.Fleet{Tenants: []model.Tenant{{Name: "acme"}}, Applications: []*model.Application{spec(other)}}
	for reason, moves := range map[model.Reason]bool{
		model.ReasonUnrecoverable: false, model.ReasonEvicted: false, model.ReasonQuarantined: false,
		model.ReasonRemoved: true, // Git has it again
	} {
		ledger := model.Ledger{Instances: []model.Instance{
			{App: gone, Number: 1, Phase: model.PhaseRunning, Spec: spec(gone)},
			{App: other, Number: 1, Phase: model.PhaseTerminated, Reason: reason, Spec: spec(other)},
		}}
		_, found := lifecycle.HoldMoves(fleet, &ledger, []model.AppID{gone}, func(model.Fleet) model.Ruling { return model.Ruling{} })
		require.Equal(t, moves, len(found) > 0, "%s", reason)
	}
}
