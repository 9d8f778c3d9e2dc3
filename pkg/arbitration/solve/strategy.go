package solve

import (
	"cmp"

	"github.com/d-aros/d-aros/pkg/model"
)

// strategies compare two pools for an application, by the names that policies use: the
// result is negative where x is the better place, positive where y is, and 0 where they
// are alike. A strategy sees what the application asks for and how full the pools are,
// so it can change where something runs but never whether it does.
var strategies = map[string]func(app *model.Application, x, y *Pool) int{
	"spread":   func(_ *model.Application, x, y *Pool) int { return fuller(x, y) }, // the emptiest pool
	"bin-pack": func(_ *model.Application, x, y *Pool) int { return fuller(y, x) }, // the fullest, so that others stay free for what is large
	"cost-aware": func(_ *model.Application, x, y *Pool) int { // the cheapest, by the price of a core with 4 GiB
		return cmp.Compare(x.spec.Price.CPU+4*x.spec.Price.Memory, y.spec.Price.CPU+4*y.spec.Price.Memory)
	},
	"sla-aware": slaAware,
}

// slaAware reads the objectives. An application with an availability goal goes to
// the pool with most domains; one that must answer fast goes to the emptiest pool;
// a batch application goes to the fullest pool, where it disturbs least.
func slaAware(app *model.Application, x, y *Pool) int {
	byDomains := 0
	if app.Objectives.Availability > 0 {
		byDomains = cmp.Compare(len(y.Domains), len(x.Domains))
	}
	if app.Objectives.Class == "batch" || app.Objectives.Class == "throughput" {
		return cmp.Or(byDomains, fuller(y, x))
	}
	return cmp.Or(byDomains, fuller(x, y))
}

// fuller compares pools by the share of their CPU that is granted, exactly.
func fuller(x, y *Pool) int {
	return compareProducts(uint64(max(x.Used[0], 0)), uint64(max(y.Offered[0], 0)), uint64(max(y.Used[0], 0)), uint64(max(x.Offered[0], 0)))
}
