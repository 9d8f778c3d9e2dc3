package page

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestStates: the graph of an application draws jobs that failed and jobs that were not
// run in colours of their own.
func TestStates(t *testing.T) {
	in := &model.Instance{
		App: model.AppID{Tenant: "acme", Name: "shop"}, Number: 1, Phase: model.PhaseRunning,
		Spec: &model.Application{Components: []model.Component{{Name: "clean", Type: "job", Replicas: 1}, {Name: "migrate", Type: "job", Replicas: 1}}},
		Components: []model.ComponentState{
			{Grant: model.Grant{Component: "clean", Replicas: 1}, State: model.StateNotRun},
			{Grant: model.Grant{Component: "migrate", Replicas: 1}, State: model.StateFailed, Ended: true},
		},
	}
	page := string(Application(in.App, in, nil, nil, "", model.Links{}))
	for _, line := range []string{
		"  c0[\"clean<br/>1 of 1<br/>not run\"]:::not-run\n",
		"  c1[\"migrate<br/>1 of 1<br/>failed\"]:::failed\n",
		"  classDef failed fill:#f8d7da,stroke:#c82333,color:#000\n",
		"  classDef not-run fill:#e2e3e5,stroke:#6c757d,color:#000\n",
	} {
		require.Contains(t, page, line)
	}
	require.Regexp(t, "\\| `migrate`.*\\| failed \\|", page)
	require.Regexp(t, "\\| `clean`.*\\| not run \\|", page)
}
