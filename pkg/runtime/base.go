package runtime

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime/carrier"
)

// Base is what adapters have alike that carry what one Carrier names.
type Base struct {
	Changes
	*Background
	carrier carrier.Carrier
}

// NewBase returns one that has told nothing, and beside whose calls nothing goes on.
func NewBase(c carrier.Carrier) Base { return Base{NewChanges(), NewBackground(), c} }

// Name is what people call the runtime.
func (b Base) Name() string { return b.carrier.Name }

// Carries returns why the runtime does not carry a component in a pool, nil if it does.
func (b Base) Carries(c *model.Component, pool *model.PoolSpec) error {
	return b.carrier.CarriesIn(c, pool)
}

// Drifted returns nothing: nobody else changes what runs.
func (Base) Drifted() []model.AppID { return nil }

// PoolsOf returns what a runtime offers to each pool of a platform: what offer adds, unless it says that there is nothing, and in
// place of that the capacity that is declared. Pools of other runtimes get nothing.
func PoolsOf(platform *model.Platform, runtime string, offer func(*model.Pool, *model.PoolSpec) bool) (pools []model.Pool) {
	for i := 0; platform != nil && i < len(platform.Pools); i++ {
		spec := &platform.Pools[i]
		p := model.Pool{Name: spec.Name}
		if slices.Contains(spec.Runtimes, runtime) && offer(&p, spec) && spec.Capacity != nil {
			p.Capacity = *spec.Capacity
		}
		pools = append(pools, p)
	}
	return pools
}
