package arbitration_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
)

// A quota that is lowered below use lets nothing grow: of what a tenant is over quota it
// has no more than it held.
func TestOverQuotaGrowsNothing(t *testing.T) { holds(t, 5, overQuotaGrowsNothing) }

func overQuotaGrowsNothing(t *rapid.T) {
	s := dressed(t).lived(t)
	s.arrive()
	for i := range s.Fleet.Tenants {
		if s.one(2) {
			s.Fleet.Tenants[i].Quota = &model.Resources{CPU: int64(rapid.IntRange(0, 8).Draw(t, "cpu")) * 500, Memory: 4 << 30}
		}
	}
	held := map[string]model.Resources{}
	for i := range s.Ledger.Instances {
		in := &s.Ledger.Instances[i]
		for k := range in.Components {
			if in.Phase.Active() {
				held[in.App.Tenant] = held[in.App.Tenant].Add(in.Components[k].Takes())
			}
		}
	}
	for _, q := range s.Decide().OverQuota {
		if q.Resource == "applications" || q.Resource == "workloads" {
			continue
		}
		if had := held[q.Tenant].Get(q.Resource); q.Granted > had {
			t.Fatalf("%s, and it held %d", q, had)
		}
	}
}
