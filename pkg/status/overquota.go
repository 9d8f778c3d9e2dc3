package status

import (
	"fmt"
	"maps"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// overQuota plans the files of tenants that are over quota, or were. Format 1 has none.
func (p *plan) overQuota(next *model.Ledger) error {
	before, now := quotasOf(p.base.ledger.OverQuota), quotasOf(next.OverQuota)
	for name := range before {
		if now[name] == nil {
			now[name] = nil // it has no file any more
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		dir, err := tenantDir(name)
		if err != nil {
			return err
		}
		over, written := now[name], p.written
		if p.format.Major == 1 {
			over = nil
		}
		back, err := write(p, dir+"/"+quotaFile, before[name], over)
		if err != nil {
			return err
		}
		if p.written > written {
			p.tenants[name] = true
		}
		if back != nil {
			p.ledger.OverQuota = append(p.ledger.OverQuota, back.OverQuota...)
		}
	}
	return nil
}

// quotasOf returns the content of the files by tenant.
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

// overQuota reads what a tenant has beyond its quota.
func (r *reader) overQuota(dir, tenant string) ([]model.OverQuota, error) {
	var q quota
	if _, err := r.read(dir+"/"+quotaFile, &q); err != nil {
		return nil, err
	}
	for i := range q.OverQuota {
		if about := q.OverQuota[i].Tenant; about != tenant {
			return nil, damaged(r.format.name(dir+"/"+quotaFile), fmt.Errorf("it is about tenant %q", about))
		}
	}
	if len(q.OverQuota) > maxOver {
		return nil, damaged(r.format.name(dir+"/"+quotaFile), fmt.Errorf("has %d resources, at most %d are kept", len(q.OverQuota), maxOver))
	}
	return q.OverQuota, nil
}
