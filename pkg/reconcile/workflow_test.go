package reconcile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/reconcile"
	"github.com/d-aros/d-aros/pkg/render"
)

// TestWorkflowIsNotIgnored: an application whose steps nobody carries out is
// refused, and never started without them.
func TestWorkflowIsNotIgnored(t *testing.T) {
	app := model.Application{ID: model.AppID{Tenant: "acme", Name: "shop"}, Workflow: &model.Workflow{Steps: []model.Step{{Name: "migrate", Type: "job"}}}}
	problems := reconcile.Renderable(&app, render.Input{})
	require.Len(t, problems, 1)
	require.Equal(t, render.CodeWorkflow, problems[0].Code)
	require.Equal(t, "shop", problems[0].App)
}
