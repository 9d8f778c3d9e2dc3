package view

import (
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
)

// Tenant is what a tenant has, may have and uses.
type Tenant struct {
	TenantCounts
	Declared        bool              `json:"declared"` // its last good layer is known
	Weight          int               `json:"weight,omitempty"`
	PriorityCeiling int               `json:"priorityCeiling,omitempty"`
	Isolation       model.Isolation   `json:"isolation,omitempty"`
	PodSecurity     model.PodSecurity `json:"podSecurity,omitempty"`

	Amounts     []model.Amount `json:"amounts"`
	CostPerHour int64          `json:"costPerHour"` // of what is granted, in millionths of the currency

	// Shares are the dominant shares of the tenant, and of the groups above it, as the latest decision with shares has them.
	Shares []model.TenantShare `json:"shares,omitempty"`

	// Past is what the tenant had, nil if its weight does not follow it.
	Past *model.PastShare `json:"past,omitempty"`

	Applications int               `json:"applications"` // that have not ended
	OverQuota    []model.OverQuota `json:"overQuota"`
	Problems     []model.Problem   `json:"problems"` // of its files, at most MaxRows
}

// TenantOf returns what the ledger says of a tenant. A tenant that it does not know is an error.
func TenantOf(l *model.Ledger, name string) (Tenant, error) {
	s := Selection{Tenant: name}
	declared, found := model.Find(l.Tenants, name)
	if !found && !s.Known(l) {
		return Tenant{}, s.Missing(l)
	}
	v := Tenant{
		Declared: found, TenantCounts: TenantCounts{Tenant: name, Phases: map[model.Phase]int{}},
		OverQuota: append([]model.OverQuota{}, s.overQuota(l)...),
	}
	var use model.Usage
	var decided model.Inputs // of the decision with the shares
	prices := plan.PricesOf(l.Platform)
	for i := range l.Instances {
		in := &l.Instances[i]
		if in.App.Tenant != name {
			continue
		}
		use.Add(in)
		v.add(l, in)
		if in.Phase.Active() {
			v.CostPerHour += prices.Of(in)
		}
		if d, ok := l.Decision(in.App); ok && len(d.Shares) > 0 && !d.Inputs.At.Before(decided.At) {
			v.Shares, decided = d.Shares, d.Inputs
		}
	}
	v.Applications, v.Past = use.Applications, l.PastOf(name)
	if found {
		v.Weight, v.PriorityCeiling, v.Isolation, v.PodSecurity = declared.Weight, declared.PriorityCeiling, declared.Isolation, declared.PodSecurity
	}
	v.Amounts = model.AmountsOf(declared, use)
	v.Problems = firstRows(kept(l.AllProblems(), func(p *model.Problem) bool { return p.Tenant == name }))
	return v, nil
}
