package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/view"
)

// TestGrantsOfJobs: a job that takes nothing any more has no numbers, and says what it
// came to.
func TestGrantsOfJobs(t *testing.T) {
	in := model.Instance{App: id("acme", "shop"), Phase: model.PhaseDegraded}
	for _, s := range []model.ComponentState{
		{Grant: model.Grant{Component: "build"}, State: model.StateFailed},
		{Grant: model.Grant{Component: "clean"}, State: model.StateNotRun},
		{Grant: model.Grant{Component: "load"}, State: model.StateDone},
		{Grant: model.Grant{Component: "migrate"}, State: model.StateFailed, Ended: true},
	} {
		s.Grant.Replicas = 1
		in.Components = append(in.Components, s)
	}
	v := view.StatusOf(&model.Ledger{Instances: []model.Instance{in}}, view.Selection{})
	require.Len(t, v.Applications, 1)
	require.Equal(t, "build 1/1 failed · clean not run · load done · migrate failed", grantsOf(&v.Applications[0]))
}
