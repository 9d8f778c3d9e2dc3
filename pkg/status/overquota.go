package status

import (
	"fmt"
	"maps"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// overQuota plans the files of tenants and groups that are over quota, or were. Format 1
// has none.
func (p *plan) overQuota(next *model.Ledger) error {
	before, now := quotasOf(p.base.ledger.OverQuota), quotasOf(next.OverQuota)
	for name := range before {
		if now[name] == nil {
			now[name] = nil // it has no file any more
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now)) { // the groups, then the tenants
		file, err := quotaFileOf(name)
		if err != nil {
			return err
		}
		over, written := now[name], p.written
		if p.format.Major == 1 {
			over = nil
		}
		back, err := write(p, file, before[name], over)
		if err != nil {
			return err
		}
		if p.written > written {
			p.redrawTenants(name, next.Platform)
		}
		if back != nil {
			p.ledger.OverQuota = append(p.ledger.OverQuota, back.OverQuota...)
		}
	}
	return nil
}

// redrawTenants has the pages drawn again that tell of a quota: that of its tenant, or of
// all tenants in groups if it has no name.
func (p *plan) redrawTenants(tenant string, platform *model.Platform) {
	if tenant != "" {
		p.tenants[tenant] = true
		return
	}
	if platform == nil {
		return
	}
	for i := range platform.Groups {
		for _, name := range platform.Groups[i].Tenants {
			p.tenants[name] = true
		}
	}
}

// quotaFileOf returns the file about a tenant, or about all groups if it has no name.
func quotaFileOf(tenant string) (string, error) {
	if tenant == "" {
		return groupQuotaFile, nil
	}
	dir, err := tenantDir(tenant)
	return dir + "/" + quotaFile, err
}

// quotasOf returns the content of the files by tenant, "" for the groups.
func quotasOf(list []model.OverQuota) map[string]*quota {
	files := map[string]*quota{}
	for _, q := range list {
		if files[q.Tenant] == nil {
			files[q.Tenant] = &quota{}
		}
		if f := files[q.Tenant]; len(f.OverQuota) < maxOver {
			f.OverQuota = append(f.OverQuota, q)
		}
	}
	return files
}

// overQuota reads what a tenant has beyond its quota, or what all groups have if it has no
// name.
func (r *reader) overQuota(tenant string) ([]model.OverQuota, error) {
	file, err := quotaFileOf(tenant)
	if err != nil {
		return nil, err
	}
	if r.same(file) {
		return r.since.overQuota(tenant), nil
	}
	var q quota
	if _, err := r.read(file, &q); err != nil {
		return nil, err
	}
	for i := range q.OverQuota {
		if o := &q.OverQuota[i]; o.Tenant != tenant || (o.Group != "") != (tenant == "") {
			return nil, damaged(r.format.name(file), fmt.Errorf("it is about %s", o.Owner()))
		}
	}
	if len(q.OverQuota) > maxOver {
		return nil, damaged(r.format.name(file), fmt.Errorf("has %d resources, at most %d are kept", len(q.OverQuota), maxOver))
	}
	return q.OverQuota, nil
}
