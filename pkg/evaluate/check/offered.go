package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime/carrier"
)

// Offered checks that a runtime carries each component of an application, that the platform
// has the pools and QoS profiles that it asks for, and links its tenant with those that it
// connects to. Own returns the layer of the application.
func Offered(a *model.Application, platform *model.Platform, own func() *layer.Layer) (problems []model.Problem) {
	profile := func(name string) bool {
		return slices.ContainsFunc(platform.Profiles, func(p model.QoSProfile) bool { return p.Name == name })
	}
	for _, c := range a.Components {
		path := "application.components." + c.Name
		if err := carrier.Check(&c, carrier.All); err != nil {
			problems = append(problems, own().Blame(catalogue.NotCarried, path+".runtime", err.Error()))
		}
		if _, ok := model.Find(platform.Pools, c.Placement.Pool); !ok && c.Placement.Pool != "" {
			problems = append(problems, own().Blame(catalogue.Pool, path+".placement.pool",
				fmt.Sprintf("asks for pool %s; the platform has %s", c.Placement.Pool, poolNames(platform))))
		}
		if c.Placement.Together != nil {
			problems = append(problems, together(a, &c, platform, own())...)
		}
		if len(c.Placement.Flavours) > 0 { // else the layer is not asked for
			problems = append(problems, flavours(&c, platform, own())...)
		}
		for i, text := range c.Connects {
			if other := model.PeerOf(a.ID.Tenant, text).App.Tenant; other != a.ID.Tenant && !platform.Network.Linked(a.ID.Tenant, other) {
				problems = append(problems, own().Blame(catalogue.Unlinked, fmt.Sprintf("%s.connects.%d", path, i),
					fmt.Sprintf("connects to %s, and the allotments of %s and %s do not name each other (platform.allotments.TENANT.peers)", text, a.ID.Tenant, other)))
			}
		}
		names := []string{c.QoS}
		if c.Degrade != nil {
			names = append(names, c.Degrade.QoS)
		}
		for i, name := range names {
			if name != "" && !profile(name) {
				problems = append(problems, own().Blame(catalogue.Profile, path+[]string{".qos", ".degrade.qos"}[i],
					fmt.Sprintf("asks for QoS profile %s, which the platform does not have", name)))
			}
		}
	}
	return problems
}

func poolNames(platform *model.Platform) string {
	return strings.Join(model.Names(platform.Pools), ", ")
}
