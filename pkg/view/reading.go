package view

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
)

// Only returns what somebody may read of a ledger. Answers about it that sum up what others have, such as pools, need the whole ledger.
func Only(l *model.Ledger, r access.Reading) *model.Ledger {
	if r.All {
		return l
	}
	own := *l
	own.Tenants = kept(l.Tenants, func(t *model.Tenant) bool { return r.Reads(t.Name) })
	own.Instances = kept(l.Instances, func(in *model.Instance) bool { return r.Reads(in.App.Tenant) })
	own.Decisions = kept(l.Decisions, func(d *model.Decision) bool { return r.Reads(d.App.Tenant) })
	for i := range own.Decisions {
		own.Decisions[i] = *onlyDecision(&own.Decisions[i], r)
	}
	own.Problems = onlyProblems(l.Problems, r)
	own.Damaged = kept(l.Damaged, func(d *model.DamagedRecord) bool { return r.Reads(d.App.Tenant) })
	own.Orphans = kept(l.Orphans, func(o *model.Inventory) bool { return r.Reads(o.App.Tenant) })
	own.OverQuota = kept(l.OverQuota, func(q *model.OverQuota) bool {
		return slices.ContainsFunc(r.Tenants, func(t string) bool { return slices.Contains(l.OverQuotaOf(t), *q) })
	})
	return &own
}

// Only returns the pools with what others hold as one number.
func (v Pools) Only(r access.Reading) Pools {
	if r.All {
		return v
	}
	for i := range v.Pools {
		for n := range v.Pools[i].Resources {
			of := &v.Pools[i].Resources[n]
			for _, t := range of.Tenants {
				if !r.Reads(t.Name) {
					of.Others += t.Granted
				}
			}
			of.Tenants = kept(of.Tenants, func(t *NamedShare) bool { return r.Reads(t.Name) })
		}
	}
	return v
}

// Only returns the commits with what somebody may read of their changes. The numbers are those of all.
func (v Timeline) Only(r access.Reading) Timeline {
	if r.All {
		return v
	}
	for i := range v.Commits {
		c := &v.Commits[i]
		c.Changes = kept(c.Changes, func(a *announce.Announcement) bool { return a.App == model.AppID{} || r.Reads(a.App.Tenant) })
	}
	return v
}

// Only returns what a fleet offers without the names of tenants that may not be read.
func (v Offers) Only(r access.Reading) Offers {
	v.Tenants = kept(v.Tenants, func(t *string) bool { return r.Reads(*t) })
	return v
}

// Only returns what the files say of an application without the problems of tenants that may not be read.
func (v Source) Only(r access.Reading) Source {
	v.Problems = kept(v.Problems, func(p *Problem) bool { return p.Tenant == "" || r.Reads(p.Tenant) })
	return v
}

// Only returns the preview with what somebody may read of its effect.
func (v Preview) Only(r access.Reading) Preview {
	v.Problems = kept(v.Problems, func(p *Problem) bool { return p.Tenant == "" || r.Reads(p.Tenant) })
	if v.Plan != nil {
		own := v.Plan.Only(r)
		v.Plan = &own
	}
	return v
}

// Page returns the preview with as much of its effect as a page lists of a plan.
func (v Preview) Page() Preview {
	v.Problems = firstRows(v.Problems)
	if v.Plan != nil {
		page := v.Plan.Page()
		v.Plan = &page
	}
	return v
}

// onlyDecision returns a decision without the components of others that gave way for it. Nil is none.
func onlyDecision(d *model.Decision, r access.Reading) *model.Decision {
	if d == nil || !slices.ContainsFunc(d.Displaced, func(x model.Displacement) bool { return !r.Reads(x.App.Tenant) }) {
		return d
	}
	own := *d
	own.Displaced = slices.Clone(d.Displaced)
	for i := range own.Displaced {
		if x := &own.Displaced[i]; !r.Reads(x.App.Tenant) {
			x.From, x.To = "", ""
		}
	}
	return &own
}

// onlyProblems returns the problems of the platform and of tenants that may be read.
func onlyProblems(list []model.Problem, r access.Reading) []model.Problem {
	return kept(list, func(p *model.Problem) bool { return p.Tenant == "" || r.Reads(p.Tenant) })
}

// kept returns the elements for which keep holds, in a list of its own that is not nil.
func kept[T any](list []T, keep func(*T) bool) []T {
	own := []T{}
	for i := range list {
		if keep(&list[i]) {
			own = append(own, list[i])
		}
	}
	return own
}

// Words for what an answer does not name.
const (
	otherTenant      = "another tenant"
	otherApplication = "an application of another tenant"
	otherFile        = "a file of another tenant"
)

// nameOr returns the name of a tenant if it may be read.
func nameOr(tenant string, r access.Reading) string {
	if tenant == "" || r.Reads(tenant) {
		return tenant
	}
	return otherTenant
}

// TenantsIn returns the names of the tenants that a ledger speaks of, some of them several times.
func TenantsIn(l *model.Ledger) []string {
	names := slices.Concat(
		model.Names(l.Tenants),
		tenantsIn(l.Instances, func(in *model.Instance) string { return in.App.Tenant }),
		tenantsIn(l.Decisions, func(d *model.Decision) string { return d.App.Tenant }),
		tenantsIn(l.Problems, func(p *model.Problem) string { return p.Tenant }),
		tenantsIn(l.Orphans, func(o *model.Inventory) string { return o.App.Tenant }),
		tenantsIn(l.Damaged, func(d *model.DamagedRecord) string { return d.App.Tenant }),
	)
	if l.Platform != nil {
		for i := range l.Platform.Groups {
			names = append(names, l.Platform.Groups[i].Tenants...)
		}
	}
	return names
}

// tenantsIn returns the names that the elements of a list have, those that follow each other once.
func tenantsIn[T any](list []T, of func(*T) string) (names []string) {
	for i := range list {
		if name := of(&list[i]); name != "" && (len(names) == 0 || names[len(names)-1] != name) {
			names = append(names, name)
		}
	}
	return names
}
