package page

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestFirstPageHasPrices: what is granted costs something where pools have prices, by tenant and together.
func TestFirstPageHasPrices(t *testing.T) {
	l := &model.Ledger{Platform: &model.Platform{Pools: []model.PoolSpec{{Name: "general", Price: model.Price{CPU: 30_000}}}}}
	for i, tenant := range []string{"acme", "globex"} {
		grant := model.Grant{Component: "web", Replicas: 2 * (i + 1), Requests: model.Resources{CPU: 500}, Pool: "general"}
		l.Instances = append(l.Instances, model.Instance{
			App: model.AppID{Tenant: tenant, Name: "shop"}, Phase: model.PhaseRunning, Components: []model.ComponentState{{Grant: grant}},
		})
	}
	l.Instances = append(l.Instances, model.Instance{App: model.AppID{Tenant: "initech", Name: "waits"}, Phase: model.PhaseAdmitted})
	got := string(Fleet(l, model.UsageByTenant(l), Branch{}))
	require.Contains(t, got, "What is granted costs **0.0900** per hour.\n")
	require.Regexp(t, `(?m)^\| \[acme\].* \| 0\.0300 \|$`, got)
	require.Regexp(t, `(?m)^\| \[globex\].* \| 0\.0600 \|$`, got)
	require.Regexp(t, `(?m)^\| \[initech\].* \| 0\.0000 \|$`, got)

	l.Platform.Pools[0].Price = model.Price{}
	require.NotContains(t, string(Fleet(l, nil, Branch{})), "er hour")
}
