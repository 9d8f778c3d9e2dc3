package render

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestTenant compares what a tenant has besides its applications with
// testdata/tenant.yaml: one namespace for all, and one for each.
func TestTenant(t *testing.T) {
	tenant := &model.Tenant{Name: "acme", Quota: &model.Resources{
		CPU: 64_500, Memory: 256 << 30, Devices: map[string]int64{"nvidia.com/gpu": 4},
	}}
	apps := []model.AppID{{Tenant: "acme", Name: "shop"}, {Tenant: "acme", Name: "api"}, {Tenant: "other", Name: "api"}}
	tenant.Policy.Namespace = "tenant"
	got := asText(t, Tenant("example", "", tenant, apps))
	tenant.Policy.Namespace, tenant.Quota = "application", nil
	got += "# a namespace for each application\n" + asText(t, Tenant("example", "test-", tenant, apps))

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
	for _, name := range []string{"default", "kube-system"} {
		s := scenario{Tenant: name, App: "shop"}
		_, err := Application(s.input(t, nil))
		require.ErrorContains(t, err, CodeNamespace)
		require.Empty(t, Tenant("example", "", &model.Tenant{Name: name}, nil).Objects)
	}
}
