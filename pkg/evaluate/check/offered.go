package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
)

// Offered checks that the platform has what an application asks for. Blame makes a
// problem with a value of the application.
func Offered(a *model.Application, platform *model.Platform, blame func(code, path, message string) model.Problem) (problems []model.Problem) {
	pool := func(name string) bool {
		return slices.ContainsFunc(platform.Pools, func(p model.PoolSpec) bool { return p.Name == name })
	}
	profile := func(name string) bool {
		return slices.ContainsFunc(platform.Profiles, func(p model.QoSProfile) bool { return p.Name == name })
	}
	for _, c := range a.Components {
		path := "application.components." + c.Name
		if c.Placement.Pool != "" && !pool(c.Placement.Pool) {
			var names []string
			for _, p := range platform.Pools {
				names = append(names, p.Name)
			}
			problems = append(problems, blame(catalogue.Pool, path+".placement.pool",
				fmt.Sprintf("asks for pool %s; the platform has %s", c.Placement.Pool, strings.Join(names, ", "))))
		}
		names := []string{c.QoS}
		if c.Degrade != nil {
			names = append(names, c.Degrade.QoS)
		}
		for i, name := range names {
			if name != "" && !profile(name) {
				problems = append(problems, blame(catalogue.Profile, path+[]string{".qos", ".degrade.qos"}[i],
					fmt.Sprintf("asks for QoS profile %s, which the platform does not have", name)))
			}
		}
	}
	return problems
}
