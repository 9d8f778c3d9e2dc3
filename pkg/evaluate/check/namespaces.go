package check

import (
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
)

// Namespaces returns the applications whose own namespace, TENANT-APPLICATION, would
// be that of another tenant or of another tenant's application: b of tenant a, and
// tenant a-b. This can happen only where one tenant's name is the beginning of
// another's, before a dash.
func Namespaces(fleet *model.Fleet) map[model.AppID]model.Problem {
	tenants := slices.Clone(fleet.UnusableTenants)
	for i := range fleet.Tenants {
		tenants = append(tenants, fleet.Tenants[i].Name)
	}
	meets := meeting(tenants)
	if len(meets) == 0 {
		return nil
	}
	byNamespace := map[string][]*model.Application{}
	for i := range fleet.Applications {
		if a := fleet.Applications[i]; meets[a.ID.Tenant] && a.Policy.Namespace == "application" {
			name := a.ID.Tenant + "-" + a.ID.Name
			byNamespace[name] = append(byNamespace[name], a)
		}
	}
	shared := map[model.AppID]model.Problem{}
	for name, apps := range byNamespace {
		whose := "an application of another tenant"
		if slices.Contains(tenants, name) {
			whose = "another tenant"
		} else if len(apps) == 1 {
			continue
		}
		for _, a := range apps {
			shared[a.ID] = model.Problem{
				Code: catalogue.Namespace, Path: "application.name",
				Message: fmt.Sprintf("its namespace would be %s, which is that of %s", name, whose),
				Places:  []model.Place{{At: a.At["components"], Note: a.ID.String()}},
			}
		}
	}
	return shared
}

// meeting returns the pairs of tenants where the name of one, with a dash, is the
// beginning of the other's.
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
