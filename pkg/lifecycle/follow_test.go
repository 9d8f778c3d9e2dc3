package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/lifecycle"
	"github.com/d-aros/d-aros/pkg/model"
)

// TestFollowKeepsAMove: an application that moves, and whose run changes in the same pass,
// still says where it moves to. Else the next pass would not know, and end it.
func TestFollowKeepsAMove(t *testing.T) {
	shop, store := model.AppID{Tenant: "acme", Name: "shop"}, model.AppID{Tenant: "acme", Name: "store"}
	spec := model.Application{ID: shop, Components: []model.Component{{Name: "web", Type: "worker", Replicas: 1}}}.Seal()
	waits := model.Refusal{Reason: model.ReasonMoveWaits, Message: "Git has it as store now"}
	next := model.Ledger{
		Instances: []model.Instance{{
			App: shop, Number: 1, Phase: model.PhaseRunning, Spec: &spec,
			Refused:    &model.Refusal{Reason: waits.Reason, Message: waits.Message, MovesTo: store},
			Components: []model.ComponentState{{Grant: model.Grant{Component: "web", Replicas: 1}, Run: 1, State: model.StateReady}},
		}},
		Decisions: []model.Decision{{App: shop, Verdict: model.VerdictGranted, Spec: spec.Digest, Refused: &waits}},
	}
	runs := []model.Run{{App: shop, Instance: 1, Number: 1, Spec: spec.Release, Phase: model.RunRunning}}
	followed := lifecycle.Follow(next, runs, model.Observation{}, time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	require.NotNil(t, followed.Instances[0].Run)
	require.Equal(t, store, followed.Instances[0].Refused.MovesTo)
}
