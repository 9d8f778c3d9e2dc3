package plan

import (
	"math"
	"math/big"

	"github.com/d-aros/d-aros/pkg/model"
)

// Price is what something costs per hour, in millionths of the fleet's currency.
type Price struct {
	Before int64 `json:"before"`
	After  int64 `json:"after"`
}

// Prices are those of a platform by pool.
type Prices map[string]model.Price

// PricesOf returns the prices that a platform declares.
func PricesOf(p *model.Platform) Prices {
	list := Prices{}
	if p != nil {
		for i := range p.Pools {
			list[p.Pools[i].Name] = p.Pools[i].Price
		}
	}
	return list
}

// of returns what an application costs.
func (p Prices) of(s *appState) int64 {
	if !s.runs() {
		return 0
	}
	return p.Of(s.instance)
}

// Of returns what an instance that runs costs per hour, in millionths of the currency: the grants of its components at the
// prices of their pools. A component that is done costs nothing.
func (p Prices) Of(in *model.Instance) int64 {
	sum := new(big.Int)
	for i := range in.Components {
		c := &in.Components[i]
		takes, price := c.Takes(), p[c.Grant.Pool]
		sum.Add(sum, times(takes.CPU, price.CPU, 1000))
		sum.Add(sum, times(takes.Memory, price.Memory, 1<<30))
	}
	if !sum.IsInt64() {
		return math.MaxInt64
	}
	return sum.Int64()
}

// times is amount · price ÷ unit, rounded down.
func times(amount, price, unit int64) *big.Int {
	n := new(big.Int).Mul(big.NewInt(amount), big.NewInt(price))
	return n.Quo(n, big.NewInt(unit))
}
