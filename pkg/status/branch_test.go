package status_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
)

func open(t testing.TB, remote string) *status.Branch {
	t.Helper()
	b, err := status.Open(t.Context(), status.Options{URL: remote, Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { _ = b.Close() })
	return b
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func shop() model.AppID { return model.AppID{Tenant: "acme", Name: "shop"} }

// example is a ledger with one application, in the given phase.
func example(phase model.Phase) model.Ledger {
	spec := model.Application{
		ID: shop(), Priority: 300, Desired: "running", Commit: "1111111111111111111111111111111111111111",
		Components: []model.Component{
			{Name: "db", Type: "store", Runtime: "container", OS: "linux", Replicas: 1, Critical: true,
				Requests: model.Resources{CPU: 1000, Memory: 2 << 30}, QoS: "guaranteed-pro"},
			{Name: "keys", Type: "secret", Properties: json.RawMessage(`{"data":{"password":"CANARY-1"}}`)},
			{Name: "web", Type: "webservice", Runtime: "container", OS: "linux", Replicas: 3, Critical: true, DependsOn: []string{"db"},
				Requests: model.Resources{CPU: 500, Memory: 256 << 20}, QoS: "burstable", Properties: json.RawMessage(`{"image":"shop:1"}`)},
		},
	}.Seal()
	return model.Ledger{
		Commit:   "1111111111111111111111111111111111111111",
		Platform: &model.Platform{Name: "example", Bands: []model.Band{{Name: "standard", Min: 100}}},
		Tenants: []model.Tenant{{Name: "acme", Weight: 2, MaxApplications: 20, PriorityCeiling: 500,
			Quota: &model.Resources{CPU: 10_000, Memory: 8 << 30}}},
		Pools: []model.Pool{{Name: "general", Nodes: 3, Capacity: model.Resources{CPU: 12_000, Memory: 48 << 30}}},
		Instances: []model.Instance{{
			App: shop(), Number: 1, Phase: phase, Reason: model.ReasonReady, Since: noon, Spec: &spec,
			Components: []model.ComponentState{
				{Grant: model.Grant{Component: "db", Replicas: 1, Requests: spec.Components[0].Requests, QoS: "guaranteed-pro", Pool: "general"}, Run: 1, State: model.StateReady, Since: noon},
				{Grant: model.Grant{Component: "web", Replicas: 3, Requests: spec.Components[2].Requests, QoS: "burstable", Pool: "general"}, Run: 3, State: model.StateReady, Since: noon},
			},
			History: []model.Transition{{At: noon, Instance: 1, To: phase, Reason: model.ReasonReady, Commit: "1111111111111111111111111111111111111111"}},
		}},
		Decisions: []model.Decision{{App: shop(), Verdict: model.VerdictGranted, Reason: "Granted", Message: "fits", Spec: spec.Digest,
			Inputs:      model.Inputs{Commit: "1111111111111111111111111111111111111111"},
			Constraints: []model.Constraint{{Name: "quota.cpu", Asked: "2500m", Used: "0", Limit: "10", OK: true, At: "tenants/acme/tenant.cue:5:9"}}}},
	}
}

// move adds a transition to the example's application.
func move(l model.Ledger, to model.Phase, at time.Time) model.Ledger {
	in := l.Instances[0]
	in.Revision = model.Revision{}
	in.History = append(in.History[:len(in.History):len(in.History)],
		model.Transition{At: at, Instance: in.Number, From: in.Phase, To: to, Reason: model.ReasonComponentFailed})
	in.Phase, in.Since, in.Reason = to, at, model.ReasonComponentFailed
	l.Instances = append([]model.Instance{in}, l.Instances[1:]...)
	return l
}

func TestCommitAndLoad(t *testing.T) {
	remote := gittest.NewBare(t)
	b := open(t, remote.Dir)
	empty, err := b.Load(t.Context())
	require.NoError(t, err)
	require.Empty(t, empty)

	first := example(model.PhaseRunning)
	_, changed, err := b.Commit(t.Context(), empty, first)
	require.NoError(t, err)
	require.True(t, changed)
	remote.Git("fsck", "--strict", "--no-dangling")
	require.Equal(t, "acme/shop: Running\n\nacme/shop: Running (Ready)\n\n"+
		"Source-Commit: 1111111111111111111111111111111111111111\nTransitions: 1", remote.Git("log", "-1", "--format=%B", "status"))
	require.Equal(t, "README.md\ninputs/capacity.json\ninputs/format.json\ninputs/platform.json\ninputs/source.json\ninputs/source.yaml\n"+
		"tenants/acme/README.md\ntenants/acme/shop/README.md\ntenants/acme/shop/decision.json\n"+
		"tenants/acme/shop/instance.json\ntenants/acme/shop/spec.json\ntenants/acme/tenant.json",
		remote.Git("ls-tree", "-r", "--name-only", "status"))
	require.Empty(t, remote.Git("log", "-p", "-S", "CANARY", "status"))

	warm, err := b.Load(t.Context())
	require.NoError(t, err)
	cold, err := open(t, remote.Dir).Load(t.Context())
	require.NoError(t, err)
	require.Equal(t, cold, warm)
	require.True(t, cold.Instances[0].Spec.Components[1].Redacted())
	require.Equal(t, first.Instances[0].Spec.Digest, cold.Instances[0].Spec.Digest)

	// The same again is no commit, from whichever side it comes.
	tip := remote.Git("rev-parse", "status")
	for _, again := range []model.Ledger{first, warm, cold, example(model.PhaseRunning)} {
		_, changed, err = b.Commit(t.Context(), warm, again)
		require.NoError(t, err)
		require.False(t, changed)
	}
	require.Equal(t, tip, remote.Git("rev-parse", "status"))

	second := move(warm, model.PhaseDegraded, noon.Add(time.Hour))
	_, changed, err = b.Commit(t.Context(), warm, second)
	require.NoError(t, err)
	require.True(t, changed)
	require.Equal(t, "README.md\ntenants/acme/README.md\ntenants/acme/shop/README.md\ntenants/acme/shop/instance.json",
		remote.Git("diff", "--name-only", "status~1", "status"))

	entries, err := b.History(t.Context(), "", shop(), 10)
	require.NoError(t, err)
	require.Len(t, entries, 2)
	require.Equal(t, "acme/shop: Degraded", entries[0].Subject)
	require.Equal(t, first.Commit, entries[0].SourceCommit)
	require.Len(t, entries[0].Changes, 1)
	require.EqualValues(t, model.PhaseDegraded, entries[0].Changes[0].To)
}
