package access

import (
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Roles that a principal may have for an application, the widest first. A role
// includes those after it.
const (
	PlatformAdmin    = "platform-admin"
	TenantAdmin      = "tenant-admin"
	ApplicationOwner = "application-owner"
)

// Identify returns the signer of a commit and their roles for an application at the
// time now, for the requests in the commit. It works even if the platform does not
// enforce signatures, and ignores the paths of the commit. If principals of the key
// have a role, only they name the signer: a stranger who lists the key of another
// person cannot make that person look like two. Without a valid signature it returns
// the violation.
func (p *Policy) Identify(c Commit, app model.AppID, now time.Time) (signer string, roles []string, violation *Violation) {
	signers, violation := p.signers(c, now)
	if violation != nil {
		return "", nil, violation
	}
	live := slices.DeleteFunc(slices.Clone(signers), func(n int) bool { return !p.holders[n].may(area{app}) })
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
		signers = live
	}
	return p.names(signers), roles, nil
}
