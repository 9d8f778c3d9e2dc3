package check

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
)

// Whatever tenants want, the same applications share a host, with the same rivals, as
// a search through all claims finds.
func TestSharedHosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []*Claims
		for _, tenant := range []string{"acme", "globex", "initech"} {
			if rapid.Bool().Draw(t, "declared") {
				all = append(all, someClaims(t, tenant))
			}
		}
		shared, rivals := Hosts(all), search(all)
		require.Len(t, shared, len(rivals))
		for app, problem := range shared {
			rival, ok := rivals[app]
			require.True(t, ok, problem)
			if rival.App.Tenant != app.Tenant {
				require.Len(t, problem.Places, 1, "where is the other tenant's affair")
			} else {
				require.Equal(t, rival.Host.At, problem.Places[1].At)
			}
		}
	})
}

func someClaims(t *rapid.T, tenant string) *Claims {
	var all []Claim
	for i := range rapid.IntRange(0, 3).Draw(t, "applications") {
		app := model.AppID{Tenant: tenant, Name: fmt.Sprint("app-", i)}
		for j := range rapid.IntRange(0, 3).Draw(t, "hosts") {
			all = append(all, Claim{app, Host{
				Name: rapid.SampledFrom([]string{"a.example", "b.example", "c.example", "d.example"}).Draw(t, "host"),
				Path: rapid.SampledFrom([]string{"/", "/api"}).Draw(t, "path"),
				At:   fmt.Sprintf("%v:%d", app, j),
			}})
		}
	}
	return ClaimsOf(all)
}

// search finds for each application with a rival the first claim against its own.
func search(tenants []*Claims) map[model.AppID]Claim {
	var all []Claim
	for _, t := range tenants {
		all = append(all, t.all...)
	}
	rivals := map[model.AppID]Claim{}
	for _, c := range all {
		for _, other := range all {
			excludes := other.App.Tenant != c.App.Tenant || other.App != c.App && other.Host.Path == c.Host.Path
			if _, known := rivals[c.App]; !known && other.Host.Name == c.Host.Name && excludes {
				rivals[c.App] = other
			}
		}
	}
	return rivals
}
