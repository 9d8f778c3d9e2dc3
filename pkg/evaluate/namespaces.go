package evaluate

import (
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// sharedNamespaces refuses applications with a namespace of their own,
// TENANT-APPLICATION, that would be that of another tenant, or of an application
// of another tenant: b of tenant a, and tenant a-b. Only tenants of which one name
// begins with the other and a dash can meet.
func (p *pass) sharedNamespaces() {
	tenants := slices.Clone(p.fleet.UnusableTenants)
	for i := range p.fleet.Tenants {
		tenants = append(tenants, p.fleet.Tenants[i].Name)
	}
	meets := meeting(tenants)
	if len(meets) == 0 {
		return
	}
	byNamespace := map[string][]*model.Application{}
	for i := range p.fleet.Applications {
		if a := p.fleet.Applications[i]; meets[a.ID.Tenant] && a.Policy.Namespace == "application" {
			name := a.ID.Tenant + "-" + a.ID.Name
			byNamespace[name] = append(byNamespace[name], a)
		}
	}
	refused := map[model.AppID]model.Problem{}
	for name, apps := range byNamespace {
		whose := "an application of another tenant"
		if slices.Contains(tenants, name) {
			whose = "another tenant"
		} else if len(apps) == 1 {
			continue
		}
		for _, a := range apps {
			refused[a.ID] = model.Problem{
				Code: codeNamespace, Path: "application.name",
				Message: fmt.Sprintf("its namespace would be %s, which is that of %s", name, whose),
				Places:  []model.Place{{At: a.At["components"], Note: a.ID.String()}},
			}
		}
	}
	p.refuse(refused)
}

// meeting are the tenants of whose names one begins with another.
func meeting(tenants []string) map[string]bool {
	known, meets := map[string]bool{}, map[string]bool{}
	for _, t := range tenants {
		known[t] = true
	}
	for _, t := range tenants {
		for i := range t {
			if t[i] == '-' && known[t[:i]] {
				meets[t], meets[t[:i]] = true, true
			}
		}
	}
	return meets
}
