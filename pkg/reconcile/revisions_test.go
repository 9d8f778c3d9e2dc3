package reconcile

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestNarrowerPolicyReachesQuestions: an application with what runs elsewhere is carried out
// again when a layer allows other hosts, although its own spec stays; others are not.
func TestNarrowerPolicyReachesQuestions(t *testing.T) {
	inst := func(kind string) *model.Instance {
		spec := model.Application{ID: model.AppID{Tenant: "acme", Name: kind}, Components: []model.Component{{Name: "mail", Type: kind}}}.Seal()
		return &model.Instance{App: spec.ID, Number: 1, Phase: model.PhaseRunning, Spec: &spec}
	}
	layers := func(platform, tenant string) (*model.Tenant, *model.Platform) {
		return &model.Tenant{Name: "acme", Policy: model.Policy{Egress: []string{tenant}}}, &model.Platform{Policy: model.Policy{Egress: []string{platform}}}
	}
	r := revisions{}
	of := func(inst *model.Instance, platform, tenant string) string {
		of, on := layers(platform, tenant)
		return r.of(inst, of, on, model.DigestOf(on.Policy.Egress))
	}
	elsewhere, worker := inst("external"), inst("worker")
	all := of(elsewhere, "*.example.com", "mail.example.com")
	require.Equal(t, all, of(elsewhere, "*.example.com", "mail.example.com"))
	require.NotEqual(t, all, of(elsewhere, "*.example.com", "other.example.com"))
	require.NotEqual(t, all, of(elsewhere, "other.example.com", "mail.example.com"))
	require.Equal(t, of(worker, "*.example.com", "mail.example.com"), of(worker, "other.example.com", "other.example.com"))
}
