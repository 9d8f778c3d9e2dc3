package check

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// flavours checks that the platform has the pools in which a component may run.
func flavours(c *model.Component, platform *model.Platform, own *layer.Layer) (problems []model.Problem) {
	for n := range c.Placement.Flavours {
		pool := c.Placement.Flavours[n].Pool
		if _, ok := model.Find(platform.Pools, pool); ok {
			continue
		}
		p := own.Blame(catalogue.FlavourPool, fmt.Sprintf("application.components.%s.placement.flavours.%d.pool", c.Name, n),
			fmt.Sprintf("asks for pool %s; the platform has %s", pool, poolNames(platform)))
		p.Places = append(p.Places, model.Place{At: platform.At["pools"], Note: "platform.pools"})
		problems = append(problems, p)
	}
	return problems
}
