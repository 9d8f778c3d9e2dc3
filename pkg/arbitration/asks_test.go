package arbitration_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/arbitration"
	"github.com/d-aros/d-aros/pkg/model"
)

// frugal is an application of tenant acme whose component requests nothing.
func frugal(name string, replicas int) *model.Application {
	a := model.Application{ID: model.AppID{Tenant: "acme", Name: name}, Priority: 100, Desired: model.DesiredRunning,
		Policy:     &model.Policy{PriorityCeiling: 1000, MaxShare: 1000, Degradation: true},
		Components: []model.Component{{Name: "web", Type: "worker", Runtime: "container", OS: "linux", Replicas: replicas, Critical: true}},
	}.Seal()
	return &a
}

func frugalFleet(quota *model.Resources, apps ...*model.Application) (model.Fleet, model.Observation) {
	fleet := model.Fleet{
		Platform: &model.Platform{Policy: model.Policy{OvercommitCPU: 1000, OvercommitMem: 1000},
			Pools: []model.PoolSpec{{Name: "general", OS: []string{"linux"}, Runtimes: []string{"container"}}}},
		Tenants: []model.Tenant{{Name: "acme", Weight: 1, PriorityCeiling: 1000, Quota: quota,
			Policy: model.Policy{DefaultRequests: model.Resources{CPU: 100, Memory: 1 << 20}}}},
		Applications: apps,
	}
	return fleet, model.Observation{Pools: []model.Pool{{Name: "general", Nodes: 1, Capacity: model.Resources{CPU: 1000, Memory: 1 << 30}}}}
}

// TestNothingRequestedIsCounted: 50 pods without requests do not fit in a quota of 4 CPUs
// of which each takes a tenth.
func TestNothingRequestedIsCounted(t *testing.T) {
	fleet, seen := frugalFleet(&model.Resources{CPU: 4000, Memory: 1 << 40}, frugal("many", 50))
	seen.Pools[0].Capacity.CPU = 64_000
	d, ok := new(arbitration.Decide(fleet, seen, model.Ledger{}, time.Unix(0, 0))).Find(fleet.Applications[0].ID)
	require.True(t, ok)
	require.Equal(t, model.ReasonQuotaExceeded, d.Reason)
	require.Contains(t, d.Message, "asks for 5 cpu, tenant acme has 4 of 4 left")
}

// TestCountedDefaultTakesNoPlace: what is counted of an application beyond what its objects
// have lets nobody in, and puts nobody out.
func TestCountedDefaultTakesNoPlace(t *testing.T) {
	many := frugal("many", 20)
	fleet, seen := frugalFleet(nil, many, frugal("one", 1))
	ledger := model.Ledger{Instances: []model.Instance{{App: many.ID, Number: 1, Phase: model.PhaseRunning, Spec: many, Declared: time.Unix(0, 0),
		Components: []model.ComponentState{{Grant: model.Grant{Component: "web", Replicas: 20, Pool: "general"}, Run: 20, State: model.StateReady}}}}}
	ruling := arbitration.Decide(fleet, seen, ledger, time.Unix(0, 0))
	d, _ := ruling.Find(many.ID)
	require.Equal(t, model.VerdictGranted, d.Verdict)
	require.Equal(t, []model.Grant{{Component: "web", Replicas: 20, Requests: model.Resources{CPU: 100, Memory: 1 << 20}, Told: &model.Resources{}, Pool: "general"}}, d.Grants)
	d, _ = ruling.Find(fleet.Applications[1].ID)
	require.Equal(t, model.VerdictWaiting, d.Verdict)

	// A pool that shrinks below what the objects have is short as ever.
	ledger.Instances[0].Components[0].Grant.Requests.CPU = 60
	ruling = arbitration.Decide(fleet, seen, ledger, time.Unix(0, 0))
	d, _ = ruling.Find(many.ID)
	require.False(t, d.EvictAt.IsZero())
}
