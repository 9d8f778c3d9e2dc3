package access

import (
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// area is a part of the fleet repo: that of an application, of a tenant (Name is
// ""), or of the platform (both names are ""). Areas are nested: a signer who may
// change one may change those below it.
type area struct{ app model.AppID }

// Directories at the root of the repo that belong to tenants.
const (
	tenantsDir   = "tenants"
	approvalsDir = "approvals"
)

// areaOf returns the smallest area that has a path. The area of a tenant or
// application has the paths below its directory, but not a file in place of the
// directory. A path with an invalid name belongs to the area around it, and a path
// with "." or ".." to the platform. What confirms removals belongs to the tenant.
func areaOf(path string) area {
	parts := strings.Split(path, "/")
	leads := func(part string) bool { return part == "" || part == "." || part == ".." }
	switch {
	case len(parts) < 3 || !model.ValidName(parts[1]) || slices.ContainsFunc(parts, leads):
		return area{}
	case parts[0] == tenantsDir && len(parts) > 4 && parts[2] == "apps" && model.ValidName(parts[3]):
		return area{model.AppID{Tenant: parts[1], Name: parts[3]}}
	case parts[0] == approvalsDir && len(parts) > 3 && model.ValidName(parts[2]) && parts[2] != model.RemovalsDir:
		return area{model.AppID{Tenant: parts[1], Name: parts[2]}}
	case parts[0] == tenantsDir || parts[0] == approvalsDir:
		return area{model.AppID{Tenant: parts[1]}}
	}
	return area{}
}

// holds reports whether b lies in a.
func (a area) holds(b area) bool {
	return a.app.Tenant == "" || a == b || a.app.Name == "" && a.app.Tenant == b.app.Tenant
}

// who names the roles that may change the area.
func (a area) who() string {
	switch {
	case a.app.Tenant == "":
		return "only platform admins"
	case a.app.Name == "":
		return fmt.Sprintf("only admins of tenant %s and platform admins", a.app.Tenant)
	}
	return fmt.Sprintf("only owners of %s, admins of tenant %s and platform admins", a.app, a.app.Tenant)
}

// SaysWho reports whether a file may change the policy of access: the CUE files of the
// platform and of tenants, and CUE files between the layers, which make the layers
// unusable.
func SaysWho(path string) bool {
	n := strings.Count(path, "/")
	return strings.HasSuffix(path, ".cue") && (n == 0 || n <= 3 && strings.HasPrefix(path, tenantsDir+"/"))
}
