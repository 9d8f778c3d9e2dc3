package solve

import (
	"cmp"
	"math/bits"

	"github.com/d-aros/d-aros/pkg/model"
)

// Strategy prefers one pool to another for an application. It sees what the
// application asks for and how full the pools are, and nothing else, so that a
// strategy can change where something runs but never whether it does.
type Strategy interface {
	// Compare is negative where x is the better place, positive where y is, and
	// 0 where they are alike.
	Compare(app *model.Application, x, y PoolView) int
}

// PoolView is a pool as strategies see it.
type PoolView struct {
	Name     string
	Price    model.Price
	Capacity int64 // of CPU, in thousandths of a core
	Used     int64 // granted of it
	Domains  int   // topology domains
}

// strategies are the plugins by the names that policies use.
var strategies = map[string]Strategy{
	"bin-pack":   binPack{},
	"spread":     spread{},
	"sla-aware":  slaAware{},
	"cost-aware": costAware{},
}

// spread takes the emptiest pool.
type spread struct{}

func (spread) Compare(_ *model.Application, x, y PoolView) int { return fuller(x, y) }

// binPack takes the fullest pool, so that others stay free for what is large.
type binPack struct{}

func (binPack) Compare(_ *model.Application, x, y PoolView) int { return fuller(y, x) }

// costAware takes the cheapest pool, by the price of a core with 4 GiB.
type costAware struct{}

func (costAware) Compare(_ *model.Application, x, y PoolView) int {
	return cmp.Compare(x.Price.CPU+4*x.Price.Memory, y.Price.CPU+4*y.Price.Memory)
}

// slaAware reads the objectives. An application with an availability goal goes to
// the pool with most domains; one that must answer fast goes to the emptiest pool;
// a batch application goes to the fullest pool, where it disturbs least.
type slaAware struct{}

func (slaAware) Compare(app *model.Application, x, y PoolView) int {
	byDomains := 0
	if app.Objectives.Availability > 0 {
		byDomains = cmp.Compare(y.Domains, x.Domains)
	}
	if app.Objectives.Class == "batch" || app.Objectives.Class == "throughput" {
		return cmp.Or(byDomains, fuller(y, x))
	}
	return cmp.Or(byDomains, fuller(x, y))
}

// fuller compares pools by the share of their CPU that is granted, exactly.
func fuller(x, y PoolView) int {
	xh, xl := bits.Mul64(uint64(max(x.Used, 0)), uint64(max(y.Capacity, 0)))
	yh, yl := bits.Mul64(uint64(max(y.Used, 0)), uint64(max(x.Capacity, 0)))
	return cmp.Or(cmp.Compare(xh, yh), cmp.Compare(xl, yl))
}
