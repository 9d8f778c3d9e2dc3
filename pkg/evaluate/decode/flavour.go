package decode

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

type placementDoc struct {
	model.Placement
	Flavours []flavourDoc `json:"flavours"`
}

type flavourDoc struct {
	Pool     string        `json:"pool"`
	Requests *resourcesDoc `json:"requests"`
}

// placement returns where a component may run. Path is that of the component.
func (d *placementDoc) placement(path string, own *layer.Layer) (p model.Placement, problems []model.Problem) {
	p = d.Placement
	path += ".placement."
	if len(d.Flavours) > 0 && d.Pool != "" {
		problems = append(problems, beside(own, own.Blame(catalogue.PoolAndFlavours, path+"pool", "names a pool, and flavours stand beside it"), path+"flavours"))
	}
	first := map[string]int{}
	for n := range d.Flavours {
		f, at := &d.Flavours[n], fmt.Sprintf("%sflavours.%d.", path, n)
		requests, bad := f.Requests.amount(at+"requests", own)
		p.Flavours, problems = append(p.Flavours, model.Flavour{Pool: f.Pool, Requests: requests}), append(problems, bad...)
		if other, twice := first[f.Pool]; twice {
			problems = append(problems, beside(own, own.Blame(catalogue.FlavourTwice, at+"pool", fmt.Sprintf("asks for pool %s, as flavour %d does", f.Pool, other)),
				fmt.Sprintf("%sflavours.%d.pool", path, other)))
			continue
		}
		first[f.Pool] = n
	}
	return p, problems
}

// flavourLimits blames flavours that request more than the component is limited to. Path is that of the component.
func flavourLimits(c *model.Component, path string, own *layer.Layer) (problems []model.Problem) {
	for n := range c.Placement.Flavours {
		requests := c.Placement.Flavours[n].Requests
		for _, name := range requests.Names() {
			asked, limit := requests.Get(name), c.Limits.Get(name)
			if limit == 0 || asked <= limit {
				continue
			}
			amounts := model.FormatAmounts(name, asked, limit)
			problems = append(problems, beside(own, own.Blame(catalogue.FlavourLimit, fmt.Sprintf("%s.placement.flavours.%d.requests.%s", path, n, fieldOf(name)),
				fmt.Sprintf("requests %s %s, and the component is limited to %s", amounts[0], name, amounts[1])), path+".resources.limits."+fieldOf(name)))
		}
	}
	return problems
}

// fieldOf is where an amount of a resource is written below requests, limits or a quota.
func fieldOf(resource string) string {
	if resource == "cpu" || resource == "memory" {
		return resource
	}
	return "devices." + resource
}

// beside adds to a problem the place of another value, of its layer or of another one.
func beside(own *layer.Layer, p model.Problem, path string) model.Problem {
	if at, ok := own.Value(path); ok {
		p.Places = append(p.Places, model.Place{At: at, Note: path})
	}
	return p
}
