package render

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// TestTenant compares what a tenant has besides its applications with
// testdata/tenant.yaml: one namespace for all, and one for each.
func TestTenant(t *testing.T) {
	tenant := &model.Tenant{Name: "acme", Quota: &model.Resources{
		CPU: 64_500, Memory: 256 << 30, Devices: map[string]int64{"nvidia.com/gpu": 4},
	}}
	apps := []model.AppID{{Tenant: "acme", Name: "shop"}, {Tenant: "acme", Name: "api"}, {Tenant: "other", Name: "api"}}
	tenant.Policy.Namespace = "tenant"
	got := asText(t, Tenant("example", "", tenant, model.Occupancy{Apps: apps}))
	tenant.Policy.Namespace, tenant.Quota = "application", nil
	got += "# a namespace for each application\n" + asText(t, Tenant("example", "test-", tenant, model.Occupancy{Apps: apps}))
	tenant.Policy.Namespace, tenant.Isolation, tenant.PodSecurity = "tenant", model.IsolationLocked, model.PodSecurityRestricted
	tenant.Quota = &model.Resources{CPU: 5, Memory: 8 << 30, Devices: map[string]int64{"nvidia.com/gpu": 4}}
	tenant.Policy.Exits = []string{"0.0.0.0/0:443", "169.254.20.10/32:53/UDP", "::/0"}
	got += "# locked\n" + asText(t, Tenant("example", "", tenant, model.Occupancy{Limits: model.Resources{Memory: 16 << 30}}))

	const file = "testdata/tenant.yaml"
	if flag.Lookup("update").Value.String() == "true" {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// TestReservedNamespaces: nothing of a tenant lands where the cluster lives.
func TestReservedNamespaces(t *testing.T) {
	for _, name := range []string{"default", "kube-system", "daros-system", "daros-x"} {
		s := scenario{Tenant: name, App: "shop"}
		_, err := Application(s.input(t, nil))
		require.ErrorContains(t, err, declared.CodeNamespace)
		require.Empty(t, Tenant("example", "", &model.Tenant{Name: name}, model.Occupancy{}).Objects)
	}
}

// TestReportedConflicts: what policy says about fields that others change is in the set.
func TestReportedConflicts(t *testing.T) {
	for _, conflicts := range []model.Conflicts{"", model.ConflictsReport} {
		s := scenario{Tenant: "acme", App: "shop"}
		in := s.input(t, nil)
		in.Instance.Spec.Policy.Conflicts = conflicts
		set, err := Application(in)
		require.NoError(t, err)
		require.Equal(t, conflicts == model.ConflictsReport, set.ReportConflicts)
	}
}

// TestQuotaHoldsWhatIsGranted: the ResourceQuota is the larger of the quota and of the room
// that what was granted needs, also while it is updated.
func TestQuotaHoldsWhatIsGranted(t *testing.T) {
	inst := &model.Instance{
		Spec: &model.Application{Components: []model.Component{{Name: "web", Type: "worker"}, {Name: "db", Type: "store"}, {Name: "migrate", Type: "job"}, {Name: "old", Type: "job"}}},
		Components: []model.ComponentState{
			{Grant: model.Grant{Component: "web", Replicas: 3, Surge: 3, Requests: model.Resources{CPU: 500, Memory: 1}}},
			{Grant: model.Grant{Component: "db", Replicas: 2, Requests: model.Resources{CPU: 1000, Memory: 1}}},
			{Grant: model.Grant{Component: "migrate", Replicas: 1, Requests: model.Resources{CPU: 100, Memory: 1}}},
			{Grant: model.Grant{Component: "old", Replicas: 1, Requests: model.Resources{CPU: 9000}}, State: model.StateDone},
		},
	}
	require.Equal(t, int64(7*500+2*1000+100), inst.Room().CPU)
	inst.PreviousGrants = []model.Grant{{Component: "db", Replicas: 2, Requests: model.Resources{CPU: 2000}}, {Component: "gone", Replicas: 1, Requests: model.Resources{CPU: 50}}}
	room := inst.Room()
	require.Equal(t, int64(7*500+3*2000+100+50), room.CPU)

	hard := func(quota *model.Resources) *model.Resources { return (&model.Tenant{Quota: quota}).Ceiling(room) }
	require.Nil(t, hard(nil))
	require.Equal(t, &model.Resources{CPU: room.CPU, Memory: 1 << 30}, hard(&model.Resources{CPU: 6000, Memory: 1 << 30}))
	require.Equal(t, int64(40_000), hard(&model.Resources{CPU: 40_000, Memory: 1}).CPU)
}

// TestReservedNames: no object takes a name of the system, whatever its application is
// called: those of an application d-aros would stand beside inventories.
func TestReservedNames(t *testing.T) {
	for _, name := range []string{"d-aros", "d-aros-x"} {
		s := readScenario(t, []byte("app: "+name+"\nregistries: [ghcr.io/acme]\ncomponents: [{name: site, type: worker, requests: {cpu: 100m, memory: 64Mi}, properties: {image: ghcr.io/acme/a}}]"))
		_, err := Application(s.input(t, nil))
		require.ErrorContains(t, err, declared.CodeReserved)
		require.ErrorContains(t, err, name+"-site")
	}
}
