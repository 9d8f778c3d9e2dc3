package kubernetes

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
)

// TestOutcome: what was corrected is told in the words of the log, and what was as wanted not
// at all.
func TestOutcome(t *testing.T) {
	web := apply.Ref{Group: "apps", Kind: "Deployment", Namespace: "acme", Name: "web"}
	drift := []apply.Difference{{Path: "spec.replicas", Manager: "kubectl"}, {Path: "spec.paused"}}
	o := outcome(&apply.SetReport{App: model.AppID{Tenant: "acme", Name: "shop"}, Notices: []string{"told"}, Results: []apply.Result{
		{Ref: web, Action: apply.Unchanged},
		{Ref: web, Component: "web", Action: apply.Corrected, Drift: drift},
		{Ref: web, Action: apply.Corrected, Drift: []apply.Difference{{}}},
		{Ref: web, Action: apply.Failed, Reason: model.OutcomeInvalid, Field: "spec.x", Message: "no"},
	}})
	require.Equal(t, runtime.Outcome{App: model.AppID{Tenant: "acme", Name: "shop"}, Notices: []string{"told"}, Results: []runtime.Result{
		{Object: "Deployment acme/web", Component: "web", Action: runtime.Corrected, Message: "spec.replicas (changed by kubectl), spec.paused",
			Drift: []runtime.Difference{{Path: "spec.replicas", Manager: "kubectl"}, {Path: "spec.paused"}}},
		{Object: "Deployment acme/web", Action: runtime.Corrected, Message: "the whole object was gone", Drift: []runtime.Difference{{}}},
		{Object: "Deployment acme/web", Action: runtime.Failed, Reason: model.OutcomeInvalid, Field: "spec.x", Message: "no"},
	}}, o)
	require.False(t, o.OK())
}
