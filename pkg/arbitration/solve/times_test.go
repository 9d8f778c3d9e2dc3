package solve

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestEndingMovesWithALateComponent: where a job waits for a late one, both end later, although the time at which all was to have
// ended is still to come. Until says when that is to be worked out again.
func TestEndingMovesWithALateComponent(t *testing.T) {
	begun := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	spec := &model.Application{Components: []model.Component{
		{Name: "load", Type: "job", Replicas: 1, Expect: 10 * time.Minute},
		{Name: "train", Type: "job", Replicas: 1, Expect: 20 * time.Minute, DependsOn: []string{"load"}},
	}}
	app := &App{Place: Place{Spec: spec, Grants: []model.Grant{{Component: "load", Replicas: 1}, {Component: "train", Replicas: 1}}}, Asked: Asked{Instance: &model.Instance{Spec: spec, Number: 1, Components: []model.ComponentState{
		{Grant: model.Grant{Component: "load"}, State: model.StateStarting, Since: begun}, {Grant: model.Grant{Component: "train"}, State: model.StateWaiting},
	}, History: []model.Transition{
		{Instance: 1, From: model.PhaseAdmitted, To: model.PhaseScheduled, At: begun},
	}}}}
	for _, c := range []struct{ now, at, until time.Duration }{
		{0, 30 * time.Minute, 10 * time.Minute},
		{9 * time.Minute, 30 * time.Minute, 10 * time.Minute},
		{10 * time.Minute, 40 * time.Minute, 20 * time.Minute},
		{25 * time.Minute, 60 * time.Minute, 40 * time.Minute},
	} {
		e := endingOf(begun.Add(c.now), app)
		require.Equal(t, begun.Add(c.at), e.At, c.now)
		require.Equal(t, begun.Add(c.until), e.Until, c.now)
	}
}
