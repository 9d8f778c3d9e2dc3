package deploy

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	adapter "github.com/d-aros/d-aros/pkg/runtime/kubernetes"
)

// BenchmarkTenantWatches measures what 200 tenants with a Secret each take in memory once all of it is watched: heap,
// and stacks of goroutines. 100 MiB are allowed.
func BenchmarkTenantWatches(b *testing.B) {
	const tenants = 200
	in := install(b)
	var all []render.Set
	for i := range tenants {
		tenant := &model.Tenant{Name: fmt.Sprintf("%s-%d", in.fleet, i), Isolation: model.IsolationLocked, PodSecurity: model.PodSecurityRestricted}
		tenant.Policy = model.Policy{Namespace: "tenant", Kinds: kinds}
		app := &model.Application{ID: model.AppID{Tenant: tenant.Name, Name: "a"}, Policy: &tenant.Policy, Commit: "0000000000000000000000000000000000000000",
			Components: []model.Component{{Name: "s", Type: "secret", Runtime: "container", OS: "linux", Properties: []byte(`{"data": {"key": "value"}}`)}}}
		inst := &model.Instance{App: app.ID, Number: 1, Phase: model.PhaseRunning, Spec: app,
			Components: []model.ComponentState{{Grant: model.Grant{Component: "s"}}}}
		secret, err := render.Application(render.Input{Fleet: in.fleet, Instance: inst, Tenant: tenant})
		require.NoError(b, err)
		all = append(all, render.Tenant(in.fleet, "", tenant, model.Occupancy{Apps: []model.AppID{app.ID}}), secret)
	}
	carry := func() (carrier *adapter.Runtime, used uint64) {
		before := inUse()
		carrier, err := adapter.New(in.config, adapter.Options{Fleet: in.fleet, Patience: patience, TenantRole: in.role})
		require.NoError(b, err)
		_, err = carrier.Inspect(b.Context(), &model.Platform{})
		require.NoError(b, err)
		report := carrier.Apply(b.Context(), all)
		require.NoError(b, report.Err)
		for _, s := range report.Sets {
			require.True(b, s.OK(), "%+v", s)
		}
		return carrier, inUse() - before
	}
	first, _ := carry() // creates everything
	first.Close()
	for b.Loop() {
		carrier, used := carry()
		b.ReportMetric(float64(used)/(1<<20), "MiB")
		require.Less(b, used, uint64(100<<20))
		carrier.Close()
	}
}

func inUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}
