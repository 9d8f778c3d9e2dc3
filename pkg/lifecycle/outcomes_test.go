package lifecycle

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestMissingSecretIsToldSinceWhen: a Secret that pods lack is an outcome with the time at
// which it was first seen, for as long as they lack it.
func TestMissingSecretIsToldSinceWhen(t *testing.T) {
	began := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	inst := &model.Instance{App: model.AppID{Tenant: "acme", Name: "shop"}, Phase: model.PhaseScheduled}
	lacks := workloads{{Component: "web", Failure: &model.Failure{Reason: string(model.OutcomeSecretMissing), Message: "container web needs Secret db, which the namespace does not have"}}}
	noteOutcomes(inst, nil, lacks, began)
	noteOutcomes(inst, nil, lacks, began.Add(time.Hour))
	require.Len(t, inst.Outcomes, 1)
	o := inst.Outcomes[0]
	require.Equal(t, began, o.First)
	require.Equal(t, "container web needs Secret db, which the namespace does not have (SecretMissing)", outcomeText(inst))
	require.False(t, o.Final(), "whoever creates the Secret lets the pods start")

	noteOutcomes(inst, nil, workloads{{Component: "web"}}, began.Add(2*time.Hour))
	require.Empty(t, inst.Outcomes)
}

// TestNothingAdoptedHoldsNobody: an entry of application.adopt that takes no object is told,
// and is in nobody's way.
func TestNothingAdoptedHoldsNobody(t *testing.T) {
	inst := &model.Instance{Outcomes: []model.Outcome{{Reason: model.OutcomeNothingAdopted, Message: "none"}}}
	require.True(t, inPlace(inst))
	require.Empty(t, outcomeText(inst))
	inst.Outcomes = append(inst.Outcomes, model.Outcome{Reason: model.OutcomeForeign, Message: "theirs"})
	require.False(t, inPlace(inst))
	require.Equal(t, "theirs (Foreign)", outcomeText(inst))
}
