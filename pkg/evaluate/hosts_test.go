package evaluate

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
)

// Whatever tenants wanted before, the same applications are refused, with the same
// rivals, as a search through all claims finds.
func TestSharedHostsRemember(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := &Evaluator{}
		before := map[string]*part{}
		for range rapid.IntRange(1, 6).Draw(t, "passes") {
			p := &pass{e: e}
			after := map[string]*part{}
			for _, name := range []string{"acme", "globex", "initech"} {
				if !rapid.Bool().Draw(t, "declared") {
					continue
				}
				part := before[name]
				if part == nil || rapid.Bool().Draw(t, "changed") {
					part = partWithHosts(t, name)
				}
				after[name] = part
				p.parts = append(p.parts, part)
			}
			e.hosts.replace(before, after)
			before = after
			p.assemble()
			declared := len(p.fleet.Applications)
			p.sharedHosts()

			rivals := search(p.parts)
			require.Len(t, p.fleet.Applications, declared-len(rivals))
			require.Len(t, p.fleet.Problems, len(rivals))
			for _, problem := range p.fleet.Problems {
				rival, ok := rivals[model.AppID{Tenant: problem.Tenant, Name: problem.App}]
				require.True(t, ok, problem)
				if rival.app.Tenant != problem.Tenant {
					require.Len(t, problem.Places, 1, "where is the other tenant's affair")
				} else {
					require.Equal(t, rival.host.at, problem.Places[1].At)
				}
			}
		}
	})
}

func partWithHosts(t *rapid.T, tenant string) *part {
	p := &part{name: tenant, declared: true, layer: memory[tenantResult]{result: tenantResult{tenant: &model.Tenant{Name: tenant}}}}
	for i := range rapid.IntRange(0, 3).Draw(t, "applications") {
		app := model.AppID{Tenant: tenant, Name: fmt.Sprint("app-", i)}
		p.applications = append(p.applications, &model.Application{ID: app})
		for j := range rapid.IntRange(0, 3).Draw(t, "hosts") {
			p.claims = append(p.claims, claim{app, host{
				name: rapid.SampledFrom([]string{"a.example", "b.example", "c.example", "d.example"}).Draw(t, "host"),
				path: rapid.SampledFrom([]string{"/", "/api"}).Draw(t, "path"),
				at:   fmt.Sprintf("%v:%d", app, j),
			}})
		}
	}
	p.gatherHosts()
	return p
}

// search finds for each application with a rival the first claim against its own.
func search(parts []*part) map[model.AppID]claim {
	var all []claim
	for _, p := range parts {
		all = append(all, p.claims...)
	}
	rivals := map[model.AppID]claim{}
	for _, c := range all {
		for _, other := range all {
			excludes := other.app.Tenant != c.app.Tenant || other.app != c.app && other.host.path == c.host.path
			if _, known := rivals[c.app]; !known && other.host.name == c.host.name && excludes {
				rivals[c.app] = other
			}
		}
	}
	return rivals
}
