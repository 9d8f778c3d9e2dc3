package turn_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

const apiFile = "tenants/globex/apps/api/app.cue"

// frugal returns the example in which a component of globex/api requests nothing.
func frugal(t *testing.T) repo {
	return example(t).edited(t, apiFile, `resources: requests: {cpu: "500m", memory: "1Gi"}`, "")
}

// frugal returns the state of the component of globex/api that requests nothing.
func (r *runner) frugal() (*model.Instance, *model.ComponentState) {
	in, ok := r.ledger.Find(model.AppID{Tenant: "globex", Name: "api"})
	require.True(r.t, ok)
	i := slices.IndexFunc(in.Components, func(s model.ComponentState) bool {
		c, _ := in.Spec.Component(s.Grant.Component)
		return c.Runs() && c.Requests.CPU == 0
	})
	require.GreaterOrEqual(r.t, i, 0)
	return in, &in.Components[i]
}

// TestDefaultRequestsAtAnUpgrade: an application that was accepted without requests
// counts the default at once. Nothing that runs is told otherwise, and no run begins. Its
// next release brings the default to the objects, and an edit of the default does not.
func TestDefaultRequestsAtAnUpgrade(t *testing.T) {
	r, tree := newRunner(t), frugal(t)
	r.commit("1", tree)
	r.settle()
	given := model.Resources{CPU: 50, Memory: 64 << 20}
	_, s := r.frugal()
	require.Equal(t, given, s.Grant.Requests)
	require.Nil(t, s.Grant.Told)

	// The records as a version without defaults wrote them.
	r.ledger.Tenants = slices.Clone(r.ledger.Tenants)
	for i := range r.ledger.Tenants {
		r.ledger.Tenants[i].Policy.Requests, r.ledger.Tenants[i].Policy.DefaultRequests = "", model.Resources{}
	}
	for i := range r.ledger.Instances {
		in := &r.ledger.Instances[i]
		if in.Spec == nil {
			continue
		}
		spec := *in.Spec
		spec.Policy = new(*spec.Policy)
		spec.Policy.Requests, spec.Policy.DefaultRequests = "", model.Resources{}
		spec = spec.Seal()
		in.Spec = &spec
		d, _ := r.ledger.Decision(in.App)
		d.Spec = spec.Digest
	}
	in, s := r.frugal()
	c, _ := in.Spec.Component(s.Grant.Component)
	s.Grant.Requests = model.Resources{}
	s.Workload = model.WorkloadDigest(c, s.Grant, s.Run)
	before := *in
	before.Components = slices.Clone(in.Components)
	name, told := s.Grant.Component, s.Workload

	r.settle()
	in, s = r.frugal()
	require.Equal(t, given, s.Grant.Requests)
	require.Equal(t, &model.Resources{}, s.Grant.Told)
	require.Equal(t, told, s.Workload)
	require.Equal(t, []any{before.Number, before.Phase, before.Since, before.Run, before.Release()}, []any{in.Number, in.Phase, in.Since, in.Run, in.Release()})
	require.Equal(t, given.Times(s.Grant.Replicas), s.Takes())

	// More replicas are no release.
	r.commit("2", tree.edited(t, apiFile, "type: \"store\"", "type: \"store\", replicas: 2"))
	r.settle()
	_, s = r.frugal()
	require.Equal(t, &model.Resources{}, s.Grant.Told)

	// Another image is one.
	image := tree.edited(t, apiFile, "redis:7.4", "redis:7.5")
	r.commit("3", image)
	r.settle()
	_, s = r.frugal()
	require.Equal(t, name, s.Grant.Component)
	require.Equal(t, given, s.Grant.Requests)
	require.Nil(t, s.Grant.Told)
	told = s.Workload

	// Another default counts at once, and is told with the release after it. A smaller one
	// counts no less than what the objects have.
	for _, c := range []struct {
		cpu  string
		want int64
		told *model.Resources
	}{{"80m", 80, &given}, {"20m", 50, nil}} {
		r.commit(c.cpu, image.edited(t, "fleet.cue", "	policy: {\n", "	policy: {\n		defaults: requests: cpu: \""+c.cpu+"\"\n"))
		r.settle()
		_, s = r.frugal()
		require.Equal(t, c.want, s.Grant.Requests.CPU)
		require.Equal(t, c.told, s.Grant.Told)
		require.Equal(t, told, s.Workload)
	}
}
