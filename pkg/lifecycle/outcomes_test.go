package lifecycle

import (
	"slices"
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
	noteOutcomes(inst, nil, lacks, nil, began)
	noteOutcomes(inst, nil, lacks, nil, began.Add(time.Hour))
	require.Len(t, inst.Outcomes, 1)
	o := inst.Outcomes[0]
	require.Equal(t, began, o.First)
	require.Equal(t, "container web needs Secret db, which the namespace does not have (SecretMissing)", outcomeText(inst))
	require.False(t, o.Final(), "whoever creates the Secret lets the pods start")

	noteOutcomes(inst, nil, workloads{{Component: "web"}}, nil, began.Add(2*time.Hour))
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

// TestReservationThatANodeDoesNotKeep: what nodes report of an application is told with the
// time since when, as long as a node reports it. Nothing is moved for it, other figures are no
// news, and a node speaks only of what its pool carries.
func TestReservationThatANodeDoesNotKeep(t *testing.T) {
	began := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	shop := model.AppID{Tenant: "acme", Name: "shop"}
	inst := &model.Instance{App: shop, Phase: model.PhaseRunning, Components: []model.ComponentState{{Grant: model.Grant{Component: "web", Pool: "general", Replicas: 2}}}}
	short := func(node string, kept int64) model.Shortfall {
		return model.Shortfall{App: shop, Component: "web", Pool: "general", Node: node, Resource: "cpu", Promised: 250, Kept: kept, Why: "the host is small"}
	}
	foreign, unknown := short("edge-1", 0), short("general-1", 0)
	foreign.Pool, unknown.Component = "edge", "api"
	at := func(after time.Duration, short ...model.Shortfall) (changed bool) {
		before := inst.Outcomes
		require.NotEqual(t, asReported(inst, short), !slices.EqualFunc(before, noted(inst, short, began.Add(after)), sameOutcome), "unchanged is what would not change")
		return !slices.EqualFunc(before, inst.Outcomes, sameOutcome)
	}
	require.False(t, at(0, unknown, foreign), "of another pool, and of a component that does not exist")
	require.True(t, at(1, short("general-1", 0)))
	require.Equal(t, []model.Outcome{{Object: "node general-1", Component: "web", Reason: model.OutcomeReservationReduced, Field: "cpu", First: began.Add(1), Last: began.Add(1),
		Message: "node general-1 keeps 0 of the 250m cpu that is reserved for web: the host is small"}}, inst.Outcomes)
	require.True(t, inPlace(inst), "it is in nobody's way")
	require.Empty(t, outcomeText(inst))
	require.False(t, at(2, short("general-1", 100)))
	require.True(t, at(3, short("general-1", 0), short("general-2", 0)))
	require.Equal(t, 2, inst.Outcomes[0].Objects)
	require.Equal(t, began.Add(1), inst.Outcomes[0].First, "since when the promise is not kept")
	setting := short("general-2", 0)
	setting.Resource, setting.Promised, setting.Setting = "", 0, "cpu.max"
	require.True(t, at(4, short("general-2", 0), setting))
	require.Equal(t, "node general-2 does not take cpu.max of web: the host is small", inst.Outcomes[1].Message)
	require.False(t, at(5, short("general-2", 0), setting))
	ends := setting
	ends.Setting, ends.Why = model.SettingEvict, "the host has been short for 30 s"
	require.True(t, at(6, ends))
	require.Equal(t, []model.Outcome{{Object: "node general-2", Component: "web", Reason: model.OutcomeEvictionAsked, Field: "evict", First: began.Add(6), Last: began.Add(6),
		Message: "node general-2 asks for the end of web: the host has been short for 30 s"}}, inst.Outcomes)
	require.False(t, at(7, ends))
	require.Equal(t, model.PhaseRunning, inst.Phase, "nothing is ended for it")
	require.True(t, inPlace(inst))
	require.True(t, at(8))
	require.Empty(t, inst.Outcomes)
}

func noted(inst *model.Instance, short []model.Shortfall, now time.Time) []model.Outcome {
	noteOutcomes(inst, nil, nil, short, now)
	return inst.Outcomes
}
