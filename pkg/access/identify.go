package access

import (
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Roles that a principal may have for an application, the widest first. Who has
// one has those after it as well.
const (
	PlatformAdmin    = "platform-admin"
	TenantAdmin      = "tenant-admin"
	ApplicationOwner = "application-owner"
)

// Identify returns who signed a commit and the roles that they have for an
// application, at the time now: what may be asked by its means, whether or not
// commits need signatures. It says nothing about the paths that the commit changes.
// Where the key has principals with a role, the others do not name the signer: no
// stranger can make one person look like two by listing the key. Without a
// signature that holds there is nobody, and why.
func (p *Policy) Identify(c Commit, app model.AppID, now time.Time) (signer string, roles []string, violation *Violation) {
	c.Paths = nil
	signer, violation = p.Verify(c, now)
	if violation != nil {
		return "", nil, violation
	}
	s, _ := p.signature(c, now) // it was good a moment ago
	live, _ := p.live(s.holders, c.Time, now)
	live = slices.DeleteFunc(live, func(n int) bool { return !p.holders[n].may(area{app}) })
	for _, r := range []struct {
		name string
		of   area
	}{
		{PlatformAdmin, area{}},
		{TenantAdmin, area{model.AppID{Tenant: app.Tenant}}},
		{ApplicationOwner, area{app}},
	} {
		if slices.ContainsFunc(live, func(n int) bool { return p.holders[n].may(r.of) }) {
			roles = append(roles, r.name)
		}
	}
	if len(live) > 0 {
		signer = p.names(live)
	}
	return signer, roles, nil
}
