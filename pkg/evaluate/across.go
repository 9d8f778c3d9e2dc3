package evaluate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// offered checks what an application asks of the platform.
func (p *pass) offered(a *declared) (problems []model.Problem) {
	platform := p.platform.platform
	pool := func(name string) bool {
		return slices.ContainsFunc(platform.Pools, func(p model.PoolSpec) bool { return p.Name == name })
	}
	profile := func(name string) bool {
		return slices.ContainsFunc(platform.Profiles, func(p model.QoSProfile) bool { return p.Name == name })
	}
	for _, c := range a.result.application.Components {
		path := "application.components." + c.Name
		if c.Placement.Pool != "" && !pool(c.Placement.Pool) {
			var names []string
			for _, p := range platform.Pools {
				names = append(names, p.Name)
			}
			problems = append(problems, a.result.own().blame(codePool, path+".placement.pool",
				fmt.Sprintf("asks for pool %s; the platform has %s", c.Placement.Pool, strings.Join(names, ", "))))
		}
		names := []string{c.QoS}
		if c.Degrade != nil {
			names = append(names, c.Degrade.QoS)
		}
		for i, name := range names {
			if name != "" && !profile(name) {
				problems = append(problems, a.result.own().blame(codeProfile, path+[]string{".qos", ".degrade.qos"}[i],
					fmt.Sprintf("asks for QoS profile %s, which the platform does not have", name)))
			}
		}
	}
	return problems
}

// across checks what no directory sees alone.
func (p *pass) across() {
	p.sharedHosts()
	p.sharedObjects()
	p.sharedNamespaces()
	p.promises()
}

// refuse takes applications out of the fleet.
func (p *pass) refuse(refused map[model.AppID]model.Problem) {
	if len(refused) == 0 {
		return
	}
	p.fleet.Applications = slices.DeleteFunc(p.fleet.Applications, func(a *model.Application) bool {
		problem, bad := refused[a.ID]
		if bad {
			p.report(a.ID.Tenant, a.ID.Name, problem)
			p.fleet.Unusable = append(p.fleet.Unusable, unusable(a.ID, problem))
		}
		return bad
	})
	slices.SortFunc(p.fleet.Unusable, func(a, b model.Unusable) int { return a.App.Compare(b.App) })
}
