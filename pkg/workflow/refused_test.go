package workflow

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestRefusedObjectsFailSteps: an object that the cluster refuses for good fails the step
// that brings its component, and the step whose job it is; others go on.
func TestRefusedObjectsFailSteps(t *testing.T) {
	at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	inst := &model.Instance{
		Components: []model.ComponentState{
			{Grant: model.Grant{Component: "web", Replicas: 2}, Run: 2, Spec: "new", State: model.StateReady},
			{Grant: model.Grant{Component: "db", Replicas: 1}, Run: 1, Spec: "db", State: model.StateReady},
		},
		Outcomes: []model.Outcome{
			{Component: "web", Reason: model.OutcomeImmutable, Message: "Deployment acme/web: no", First: at, Last: at},
			{Component: "migrate", Reason: model.OutcomeInvalid, Message: "Job acme/migrate: no", First: at, Last: at},
			{Component: "db", Reason: model.OutcomeForbidden, Message: "Service acme/db: not yet", First: at, Last: at},
		},
	}
	seen := seenOf(inst, nil)
	require.Equal(t, &model.Failure{Class: model.ClassControlPlane, Reason: "Immutable", Message: "Deployment acme/web: no", Final: true}, seen[0].Versions[0].Failure)
	require.Zero(t, seen[0].Versions[0].Ready)
	require.Nil(t, seen[1].Versions[0].Failure)
	require.Equal(t, 1, seen[1].Versions[0].Ready)

	run := &model.Run{ID: "r", Phase: model.RunRunning, Steps: []model.StepRun{
		{Name: "first", Phase: model.StepActive, Attempt: 2, Job: "migrate"}, {Name: "second", Phase: model.StepPending, Job: "migrate"},
		{Name: "third", Phase: model.StepActive, Attempt: 1, Job: "report"},
	}}
	require.Equal(t, []Result{{Key: "r/first/2", Class: "Invalid", Message: "Job acme/migrate: no"}}, refusedJobs(inst, run))
	for _, o := range model.OutcomeKinds {
		require.Equal(t, o.Final, slices.Contains(finalClasses, string(o.Reason)), "a retry does not help against %s", o.Reason)
	}
}
