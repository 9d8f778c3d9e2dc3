package access

import (
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Roles are who may change what at one time, whatever they have signed.
type Roles struct {
	now    time.Time
	policy *Policy
}

// RolesAt returns the roles that a policy gives at a time.
func RolesAt(now time.Time, p *Policy) Roles { return Roles{now, p} }

// Approval is an area whose files a change touches, and who may change these. App is that of the area: its Name is "" for a
// tenant, and both names are "" for the platform.
type Approval struct {
	App    model.AppID
	Files  int
	Path   string   // the first of them
	People int      // how many have to sign, 0 where access is not enforced
	Who    []string // handles, sorted
}

// Approvals tells who may make a change of these paths, an entry for each area.
func (r Roles) Approvals(paths []string) (list []Approval) {
	at := map[area]int{}
	for _, path := range paths {
		a := areaOf(path)
		n, known := at[a]
		if !known {
			n, at[a] = len(list), len(list)
			made := Approval{App: a.app, Path: path, Who: r.handles(func(h *holder) bool { return h.may(a) })}
			if r.policy.enforced {
				made.People, _ = r.policy.need(a)
			}
			list = append(list, made)
		}
		list[n].Files++
	}
	slices.SortFunc(list, func(a, b Approval) int { return a.App.Compare(b.App) })
	return list
}

// Owners returns the handles of those who are named for a tenant. Platform admins, who may change all, are among them only if
// a tenant names them.
func (r Roles) Owners(tenant string) []string {
	own := area{model.AppID{Tenant: tenant}}
	return r.handles(func(h *holder) bool { return slices.Contains(h.areas, own) })
}

// handles lists those of some holders whose keys are not revoked or expired, sorted.
func (r Roles) handles(of func(*holder) bool) []string {
	return r.policy.handles(func(h *holder) bool { return of(h) && h.expired(r.now) == "" })
}

// None reports whether nobody is named for anything.
func (r Roles) None() bool {
	return !slices.ContainsFunc(r.policy.holders, func(h holder) bool { return len(h.areas) > 0 })
}
