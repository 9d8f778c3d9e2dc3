package check

import (
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime/carrier"
)

// together checks that a component that is to stand together with others can: its runtime binds it to a domain, what it says is no
// contradiction, and the pools that it may run in have domains.
func together(a *model.Application, c *model.Component, platform *model.Platform, own *layer.Layer) []model.Problem {
	path := "application.components." + c.Name
	blame := func(code, text, at, note string) []model.Problem {
		p := own.Blame(code, path+".placement.together", text)
		if at != "" {
			p.Places = append(p.Places, model.Place{At: at, Note: note})
		}
		return []model.Problem{p}
	}
	refuse := func(text, other string) []model.Problem {
		at, _ := own.Value(other)
		return blame(catalogue.NotTogether, text, at, other)
	}
	switch spread := c.Placement.Spread; {
	case carrier.Check(c, carrier.InCluster) != nil:
		return refuse(fmt.Sprintf("is to stand together and runs as %s, which no runtime binds to a domain; containers and virtual machines are", carrier.KindOf(c)), path+".runtime")
	case slices.Contains([]string{"daemon", "raw", "kustomize"}, c.Type):
		return refuse(fmt.Sprintf("is to stand together and is a %s, whose pods are not placed by its grant", c.Type), path)
	case spread != nil && spread.Over != "node":
		return refuse(fmt.Sprintf("is to stand together in one %s and to spread over %ss", c.Placement.Together.Over, spread.Over), path+".placement.spread")
	}
	for i := range a.Components {
		o := &a.Components[i]
		if o.Name == c.Name {
			break
		}
		if o.Placement.Together != nil && !alike(&o.Placement, &c.Placement) {
			return refuse(fmt.Sprintf("is to stand together with %s, which asks for another pool, domain or mode", o.Name), "application.components."+o.Name+".placement")
		}
	}
	for _, pool := range candidates(c, platform) {
		if pool.TopologyKey == "" {
			return blame(catalogue.TogetherKey, fmt.Sprintf("is to stand in one %s of pool %s, which has no topologyKey", c.Placement.Together.Over, pool.Name),
				platform.At["pools."+pool.Name], "platform.pools."+pool.Name)
		}
	}
	return nil
}

// alike reports whether two components that stand together may be placed in one domain.
func alike(x, y *model.Placement) bool {
	return x.Pool == y.Pool && *x.Together == *y.Together && slices.EqualFunc(x.Flavours, y.Flavours, func(f, g model.Flavour) bool { return f.Pool == g.Pool })
}

// candidates are the pools that a component names. If it names none, they are those that offer what it needs and have domains; if
// none of these has, all of them.
func candidates(c *model.Component, platform *model.Platform) (pools []*model.PoolSpec) {
	names := []string{c.Placement.Pool}
	for i := range c.Placement.Flavours {
		names = append(names, c.Placement.Flavours[i].Pool)
	}
	var without []*model.PoolSpec
	named := c.Placement.Pool != "" || len(c.Placement.Flavours) > 0
	for i := range platform.Pools {
		pool := &platform.Pools[i]
		switch {
		case named && slices.Contains(names, pool.Name):
			pools = append(pools, pool)
		case named || !slices.Contains(pool.Runtimes, c.Runtime) || !slices.Contains(pool.OS, c.OS):
		case pool.TopologyKey != "":
			pools = append(pools, pool)
		default:
			without = append(without, pool)
		}
	}
	if !named && pools == nil {
		return without
	}
	return pools
}
