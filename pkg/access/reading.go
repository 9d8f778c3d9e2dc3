package access

import (
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Identity is who signed in to a shared dashboard. The zero value is nobody.
type Identity struct {
	User   string
	Groups []string
}

// Reading is what somebody may read. The zero value is nothing.
type Reading struct {
	All     bool     // the whole fleet
	Tenants []string // without All: these, sorted
}

// Nothing reports whether nothing may be read.
func (r Reading) Nothing() bool { return !r.All && len(r.Tenants) == 0 }

// Reads reports whether a tenant may be read.
func (r Reading) Reads(tenant string) bool {
	if r.All {
		return true
	}
	_, found := slices.BinarySearch(r.Tenants, tenant)
	return found
}

// ReadsFile reports whether a file of the fleet repo belongs to a tenant that may be read. Those of the platform belong to none.
func (r Reading) ReadsFile(path string) bool {
	part := strings.SplitN(path, "/", 3)
	return r.All || len(part) == 3 && (part[0] == "tenants" || part[0] == "approvals") && r.Reads(part[1])
}

// Readers are who may read what, as the layers of one commit say it. They never change.
type Readers struct {
	policy   *Policy
	platform *model.Platform
	tenants  []model.Tenant
}

// NewReaders compiles the layers of a commit. A nil platform lets nobody read all.
func NewReaders(platform *model.Platform, tenants []model.Tenant) *Readers {
	return &Readers{New(platform, tenants), platform, tenants}
}

// Reading returns what somebody may read at a time: the layers that list them as viewer, and those in which a principal with their login
// has a role that is in force. A tenant speaks for itself only.
func (rs *Readers) Reading(who Identity, now time.Time) Reading {
	if who.User == "" {
		return Reading{}
	}
	var areas []area
	for i := range rs.policy.holders {
		if h := &rs.policy.holders[i]; h.Login == who.User && !h.Revoked && h.expired(now) == "" {
			areas = append(areas, h.areas...)
		}
	}
	if slices.Contains(areas, area{}) || rs.platform != nil && who.views(rs.platform.Access) {
		return Reading{All: true}
	}
	var r Reading
	for i := range rs.tenants {
		name := rs.tenants[i].Name
		if who.views(rs.tenants[i].Access) || slices.ContainsFunc(areas, func(a area) bool { return a.app.Tenant == name }) {
			r.Tenants = append(r.Tenants, name)
		}
	}
	slices.Sort(r.Tenants)
	return r
}

// Admins returns the handles of the platform's admins at a time, who can let somebody read.
func (rs *Readers) Admins(now time.Time) []string {
	return RolesAt(now, rs.policy).handles(func(h *holder) bool { return h.may(area{}) })
}

// views reports whether the viewers of a layer have somebody.
func (who Identity) views(a *model.Access) bool {
	return a != nil && slices.ContainsFunc(a.Viewers, func(viewer string) bool {
		kind, name, _ := strings.Cut(viewer, ":")
		switch kind {
		case model.Everybody:
			return true
		case "user":
			return name == who.User
		case "group":
			return slices.Contains(who.Groups, name)
		}
		return false
	})
}
