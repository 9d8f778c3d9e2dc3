package page

import (
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
)

// costs are what is granted costs per hour, by tenant, in millionths of the currency. Nil: no pool has a price.
type costs map[string]int64

func costsOf(l *model.Ledger) costs {
	prices, priced := plan.PricesOf(l.Platform), false
	for _, p := range prices {
		priced = priced || p != model.Price{}
	}
	if !priced {
		return nil
	}
	c := costs{}
	for i := range l.Instances {
		if in := &l.Instances[i]; in.Phase.Active() {
			c[in.App.Tenant] += prices.Of(in)
		}
	}
	return c
}

// all writes what the fleet costs.
func (c costs) all() string {
	sum := int64(0)
	for _, n := range c {
		sum += n
	}
	return plan.Money(sum)
}
