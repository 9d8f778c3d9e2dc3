package workflow_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// TestApprovalOfAnotherLedger: run 1 of a ledger that was lost and run 1 of the ledger
// after it are different runs, even of the same spec, so an approval of one does not
// approve the other.
func TestApprovalOfAnotherLedger(t *testing.T) {
	spec := &model.Application{ID: model.AppID{Tenant: "acme", Name: "shop"}, Workflow: &model.Workflow{Steps: []model.Step{{Name: "agree", Type: "approval"}}}}
	sealed := spec.Seal()
	started := func(ledger string) model.Run { return workflow.Start(ledger, &sealed, 1, nil, start) }
	lost := started("1111")
	require.Equal(t, lost.ID, started("1111").ID)
	approval := []model.Command{{Action: model.CommandApprove, Run: lost.ID, Step: "agree", By: "ann", Commit: "c"}}

	approved := func(ledger string) model.Run {
		next := model.Ledger{
			Identity:  model.LedgerIdentity{ID: ledger},
			Instances: []model.Instance{{App: sealed.ID, Number: 1, Phase: model.PhaseRunning, Spec: &sealed}},
		}
		reports := workflow.Reports{Commands: map[model.AppID][]model.Command{sealed.ID: approval}}
		runs, _ := workflow.Carry(&model.Ledger{}, &next, reports, workflow.Limits{Steps: 10}, start)
		require.Len(t, runs, 1)
		return runs[0]
	}
	require.Equal(t, model.RunSucceeded, approved("1111").Phase)
	other := approved("2222")
	require.Equal(t, model.RunRunning, other.Phase)
	require.Contains(t, other.Commands[0].Refused, "look at that one and decide anew")
}
