package status_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
)

// TestSpecsShareTheirPolicy: specs of equal policies share one, in the ledger that was read and in that which a save
// remembers; another policy is another.
func TestSpecsShareTheirPolicy(t *testing.T) {
	policy := &model.Policy{MaxReplicas: 5, Registries: []string{"example.com"}}
	other := &model.Policy{MaxReplicas: 6, Registries: []string{"example.com"}}
	var l model.Ledger
	for name, p := range map[string]*model.Policy{"a": policy, "b": policy, "c": other} {
		id := model.AppID{Tenant: "acme", Name: name}
		spec := model.Application{ID: id, Policy: p, InForce: []model.PolicyValue{{Path: "limits.maxReplicas", At: "fleet.cue:1:1"}}}.Seal()
		l.Instances = append(l.Instances, model.Instance{App: id, Number: 1, Phase: model.PhaseRunning, Spec: &spec})
	}
	files, remembered, err := status.Written(l)
	require.NoError(t, err)
	read, err := status.Read(files)
	require.NoError(t, err)
	require.Equal(t, remembered.Instances, read.Instances)
	of := func(l model.Ledger, name string) *model.Application {
		in, ok := l.Find(model.AppID{Tenant: "acme", Name: name})
		require.True(t, ok)
		require.Empty(t, in.Spec.InForce)
		return in.Spec
	}
	for _, l := range []model.Ledger{remembered, read} {
		require.Same(t, of(l, "a").Policy, of(l, "b").Policy)
		require.Equal(t, []int{5, 6}, []int{of(l, "a").Policy.MaxReplicas, of(l, "c").Policy.MaxReplicas})
	}
}
