package reconcile

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestStandstill: what does not go on by itself is told in every pass, and what was
// saved once.
func TestStandstill(t *testing.T) {
	at := func(minutes int) time.Time { return time.Date(2026, 1, 1, 12, minutes, 0, 0, time.UTC) }
	id := model.AppID{Tenant: "acme", Name: "shop"}
	spec := model.Application{ID: id, Workflow: &model.Workflow{Steps: []model.Step{{Name: "agree", Type: "approval"}}}}.Seal()
	after := model.Ledger{Instances: []model.Instance{{
		App: id, Number: 1, Phase: model.PhaseScheduled, Since: at(5), Deadline: at(7), Spec: &spec,
		Run: &model.Run{ID: "r", Number: 1, Spec: spec.Release, Phase: model.RunRunning, Since: at(5), Deadline: at(60), Steps: []model.StepRun{
			{Name: "agree", Phase: model.StepActive, Since: at(7), Started: at(7), Deadline: at(50)},
		}},
	}}}
	r := Report{Times: Times{Started: at(10)}}
	r.take(&model.Ledger{}, &after)
	require.Len(t, r.Changes, 2)
	require.Equal(t, Standstill{
		Overdue: map[model.Phase]int{model.PhaseScheduled: 1}, Oldest: map[model.Phase]time.Duration{model.PhaseScheduled: 5 * time.Minute},
		People: map[string]int{model.CommandApprove: 1},
	}, r.Standstill)

	again := Report{Times: Times{Started: at(10)}}
	again.take(&after, &after)
	require.Empty(t, again.Changes)
	require.Equal(t, r.Standstill, again.Standstill)
}
