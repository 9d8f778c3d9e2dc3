package model

import (
	"cmp"
	"slices"
)

// Amount is what a tenant is granted of one resource. Amounts are in thousandths of a CPU, bytes, or numbers.
type Amount struct {
	Resource  string `json:"resource"` // cpu, memory, a device, applications or workloads
	Guarantee int64  `json:"guarantee"`
	Granted   int64  `json:"granted"`
	Quota     *int64 `json:"quota"`    // null: no ceiling
	Headroom  *int64 `json:"headroom"` // what is left of the quota, never negative; null: no ceiling
}

// AmountsOf lists the resources of a tenant, nil if its layer is not known, and what its applications use of them.
func AmountsOf(t *Tenant, use Usage) []Amount {
	t = cmp.Or(t, &Tenant{})
	quota := *cmp.Or(t.Quota, &Resources{})
	var list []Amount
	for _, r := range use.Granted.Names(quota, t.Guarantee) {
		a := Amount{Resource: r, Guarantee: t.Guarantee.Get(r), Granted: use.Granted.Get(r)}
		if t.Quota != nil {
			a.limit(quota.Get(r))
		}
		list = append(list, a)
	}
	for _, n := range []struct {
		what       string
		used, most int
	}{{"applications", use.Applications, t.MaxApplications}, {"workloads", use.Workloads, t.MaxWorkloads}} {
		a := Amount{Resource: n.what, Granted: int64(n.used)}
		if n.most > 0 {
			a.limit(int64(n.most))
		}
		list = append(list, a)
	}
	return slices.Clip(list)
}

// limit sets a ceiling.
func (a *Amount) limit(quota int64) {
	left := max(0, quota-a.Granted)
	a.Quota, a.Headroom = &quota, &left
}
