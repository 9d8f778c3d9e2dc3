package solve

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestBothAllowPreemptionInTheirTenant: a higher priority takes from a lower one of its tenant where the policies of both
// allow it, and from no equal.
func TestBothAllowPreemptionInTheirTenant(t *testing.T) {
	app := func(priority int, allowed model.Preemption) *App {
		return &App{Asked: Asked{Priority: priority, Wanted: &model.Application{Policy: &model.Policy{Preemption: allowed}}}}
	}
	takes := func(taker, loser *App) bool {
		d := &search{preemptor: &preemptor{app: taker}, standing: Standing{Class: WithinFairShare, Priority: taker.Priority}, priority: taker.Priority}
		return new(room).mayPreempt(d, loser, Standing{Class: Borrowing, Priority: loser.Priority})
	}
	require.True(t, takes(app(2, "within-tenant"), app(1, "any")))
	require.False(t, takes(app(2, "within-tenant"), app(1, "none")), "the policy of who gives way")
	require.False(t, takes(app(2, "none"), app(1, "within-tenant")), "the policy of who takes")
	require.False(t, takes(app(1, "any"), app(1, "any")), "an equal that stands worse")
}
