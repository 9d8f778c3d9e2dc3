package reconcile

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestReportTellsWhatIsNew: what became of an application between two ledgers, how
// long it took, and what does not go on by itself.
func TestReportTellsWhatIsNew(t *testing.T) {
	at := func(minutes int) time.Time { return time.Date(2026, 1, 1, 12, minutes, 0, 0, time.UTC) }
	id := model.AppID{Tenant: "acme", Name: "shop"}
	spec := model.Application{ID: id, Workflow: &model.Workflow{Steps: []model.Step{{Name: "migrate", Type: "job"}, {Name: "agree", Type: "approval"}}}}.Seal()
	created := model.Transition{At: at(0), Instance: 1, To: model.PhaseCreated, Reason: model.ReasonDeclared}
	admitted := model.Transition{At: at(1), Instance: 1, From: model.PhaseCreated, To: model.PhaseAdmitted, Reason: model.ReasonAdmissionPassed}
	scheduled := model.Transition{At: at(5), Instance: 1, From: model.PhaseAdmitted, To: model.PhaseScheduled, Reason: model.ReasonGranted}
	running := model.Transition{At: at(8), Instance: 1, From: model.PhaseScheduled, To: model.PhaseRunning, Reason: model.ReasonReady}
	before := model.Ledger{Instances: []model.Instance{{
		App: id, Number: 1, Phase: model.PhaseAdmitted, Since: at(1), Spec: &spec, History: []model.Transition{created, admitted},
	}}}
	now := before.Instances[0]
	now.Phase, now.Since, now.Deadline = model.PhaseScheduled, at(5), at(7)
	now.History = []model.Transition{created, admitted, scheduled, running}
	now.Run = &model.Run{ID: "r", Number: 1, Spec: spec.Release, Phase: model.RunRunning, Since: at(5), Deadline: at(60), Steps: []model.StepRun{
		{Name: "migrate", Phase: model.StepFailed, Since: at(7), Started: at(6), Message: "exit code 1"},
		{Name: "agree", Phase: model.StepActive, Since: at(7), Started: at(7), Deadline: at(50)},
	}}
	r := Report{Times: Times{Started: at(10)}}
	r.take(before, model.Ledger{Instances: []model.Instance{now}})

	require.Equal(t, []Transition{
		{App: id, Transition: scheduled, In: 4 * time.Minute, Queued: 5 * time.Minute},
		{App: id, Transition: running, In: 3 * time.Minute},
	}, r.Transitions)
	require.Equal(t, []Step{
		{App: id, RunChange: model.RunChange{At: at(5), Run: 1, To: "running"}},
		{App: id, RunChange: model.RunChange{At: at(7), Run: 1, Step: "migrate", To: "failed", Message: "exit code 1"}, Type: "job", Took: time.Minute},
		{App: id, RunChange: model.RunChange{At: at(7), Run: 1, Step: "agree", To: "active"}, Type: "approval"},
	}, r.Steps)
	require.Equal(t, Standstill{
		Overdue: map[model.Phase]int{model.PhaseScheduled: 1}, Oldest: map[model.Phase]time.Duration{model.PhaseScheduled: 5 * time.Minute},
		People: map[string]int{model.CommandApprove: 1},
	}, r.Standstill)

	var events []string
	for _, s := range r.Steps {
		if reason, text, _ := stepEvent(s); reason != "" {
			events = append(events, reason+" "+text)
		}
	}
	require.Equal(t, []string{
		"StepFailed step migrate has failed: exit code 1",
		"ApprovalNeeded step agree waits for approval: reconciler approve acme/shop agree",
	}, events)

	again := Report{Times: Times{Started: at(10)}}
	again.take(model.Ledger{Instances: []model.Instance{now}}, model.Ledger{Instances: []model.Instance{now}})
	require.Empty(t, again.Transitions)
	require.Empty(t, again.Steps)
	require.Equal(t, r.Standstill, again.Standstill, "what stands still is told in every pass")
}
