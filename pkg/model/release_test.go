package model_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestReleaseOfRecord: the release follows from what is recorded of a spec, in which
// secret values are digests.
func TestReleaseOfRecord(t *testing.T) {
	a := model.Application{
		ID:     model.AppID{Tenant: "acme", Name: "shop"},
		Policy: &model.Policy{Namespace: "tenant"}, Lifecycle: model.Lifecycle{Grace: time.Minute},
		Components: []model.Component{
			{Name: "key", Type: "secret", Properties: []byte(`{"data":{"token":"s3cret"}}`)},
			{Name: "web", Type: "webservice", Properties: []byte(`{"image":"a:1"}`)},
		},
	}.Seal()
	require.NotEmpty(t, a.Release)
	record, err := json.Marshal(a.Redact())
	require.NoError(t, err)
	require.NotContains(t, string(record), string(a.Release), "what follows from the rest is not recorded")
	var read model.Application
	require.NoError(t, json.Unmarshal(record, &read))
	require.Equal(t, a.Digest, read.Digest)
	require.Equal(t, a.Release, read.Released().Release)

	other := a
	other.Components = append([]model.Component(nil), a.Components...)
	other.Components[0].Properties = []byte(`{"data":{"token":"another"}}`)
	require.NotEqual(t, a.Release, other.Released().Release)
}

// TestAdmissionChanges: each change names the path, both values, who set it and where.
func TestAdmissionChanges(t *testing.T) {
	before := model.Application{
		Priority: 300, Labels: map[string]string{"team": "web", "old": "x"}, Budget: 5_000_000,
		Policy:     &model.Policy{Egress: []string{"a.example.com"}, MaxShare: 500, StartDeadline: 10 * time.Minute},
		Components: []model.Component{{Name: "web", Replicas: 3, Critical: true}},
	}
	after := before
	after.Priority, after.Labels, after.Budget = 301, map[string]string{"team": "core"}, 0
	after.At = model.Positions{"priority": "tenants/acme/apps/shop/app.cue:5:12"}
	after.Policy = &model.Policy{Egress: []string{"a.example.com", "b.example.com"}, MaxShare: 250, StartDeadline: 90 * time.Minute}
	after.InForce = []model.PolicyValue{{Path: "egress.hosts", Value: "as written", Layer: "platform", At: "fleet.cue:12:3"}}
	after.Components = []model.Component{{Name: "web", Replicas: 4, Critical: true}}
	var said []string
	for _, c := range model.AdmissionChanges(&before, &after) {
		said = append(said, c.String())
	}
	require.Equal(t, []string{
		"priority: 300 → 301 (application, tenants/acme/apps/shop/app.cue:5:12)",
		"labels.team: web → core (application)",
		"components.web.replicas: 3 → 4 (application)",
		"policy.limits.maxShare: 0.5 → 0.25",
		"policy.egress.hosts: a.example.com → a.example.com, b.example.com (platform, fleet.cue:12:3)",
		"policy.defaults.startDeadline: 10m → 1h30m",
		"labels.old: x → none (application)",
		"budget.costPerHour: 5 → none (application)",
	}, said)
	require.Empty(t, model.AdmissionChanges(&after, &after))
}

// TestAdmissionChangeIsShort: a value that a tenant wrote cannot fill the history.
func TestAdmissionChangeIsShort(t *testing.T) {
	long := make([]string, 1000)
	for i := range long {
		long[i] = "müller.example.com"
	}
	c := model.AdmissionChanges(&model.Application{Policy: &model.Policy{}}, &model.Application{Policy: &model.Policy{Egress: long}})
	require.Len(t, c, 1)
	require.LessOrEqual(t, len(c[0].New), 510)
	require.True(t, json.Valid([]byte(`"`+c[0].New+`"`)))
}
