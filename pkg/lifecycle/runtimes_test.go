package lifecycle_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/lifecycle"
	"github.com/d-aros/d-aros/pkg/model"
)

// TestRunTimesOfJobsAreRecorded: when a run of a job ends, its time joins those of the runs before, also when what it runs
// has changed meanwhile.
func TestRunTimesOfJobsAreRecorded(t *testing.T) {
	at := time.Date(2026, 11, 26, 8, 0, 0, 0, time.UTC)
	var ledger model.Ledger
	pass := func(app *model.Application, done bool) *model.Instance {
		fleet := model.Fleet{Commit: "c0ffee", Platform: &model.Platform{}, Tenants: []model.Tenant{{Name: "acme"}}, Applications: []*model.Application{app}}
		grant := model.Grant{Component: "train", Replicas: 1, Pool: "general"}
		d := model.Decision{App: app.ID, Verdict: model.VerdictGranted, Reason: model.ReasonFits, Spec: app.Digest, Grants: []model.Grant{grant}}
		seen := model.Observation{}
		if inst, ok := ledger.Find(app.ID); ok {
			s, _ := inst.Component("train")
			seen.Workloads = []model.Workload{{App: app.ID, Component: "train", Digest: s.Workload, Done: done}}
		}
		ledger = lifecycle.Advance(ledger, fleet, model.Ruling{Decisions: []model.Decision{d}}, seen, at)
		inst, _ := ledger.Find(app.ID)
		return inst
	}
	for n := range 3 {
		app := model.Application{ID: model.AppID{Tenant: "acme", Name: "ml"}, Desired: model.DesiredRunning, Components: []model.Component{
			{Name: "train", Type: "job", Runtime: "container", OS: "linux", Replicas: 1, Critical: true, Properties: fmt.Appendf(nil, `{"image":"train:%d"}`, n)},
		}}.Seal()
		for range 3 {
			inst := pass(&app, false)
			s, _ := inst.Component("train")
			require.NotEqual(t, model.StateDone, s.State)
		}
		began, _ := ledger.Instances[0].Component("train")
		at = began.Since.Add(time.Duration(30+n) * time.Minute)
		inst := pass(&app, true)
		s, _ := inst.Component("train")
		require.Equal(t, model.StateDone, s.State)
		require.Len(t, inst.Runtimes, 1)
		require.Len(t, inst.Runtimes[0].Took, n+1)
		at = at.Add(time.Minute)
	}
	require.Equal(t, []int{1800, 1860, 1920}, ledger.Instances[0].Runtimes[0].Took)
	require.Equal(t, 32*time.Minute, ledger.Instances[0].Runtimes[0].Estimate())
}
