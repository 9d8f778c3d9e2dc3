package check

import (
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
)

// Namespaces returns the applications whose own namespace, TENANT-APPLICATION, would
// be that of another tenant: b of tenant a, and tenant a-b. This can happen only where one
// tenant's name is the beginning of another's, before a dash.
func Namespaces(fleet *model.Fleet) map[model.AppID]model.Problem {
	tenants := slices.Concat(fleet.UnusableTenants, model.Names(fleet.Tenants))
	meets := meeting(tenants)
	if len(meets) == 0 {
		return nil
	}
	shared := map[model.AppID]model.Problem{}
	for _, a := range fleet.Applications {
		name := a.ID.Tenant + "-" + a.ID.Name
		if meets[a.ID.Tenant] && a.Policy.Namespace == "application" && slices.Contains(tenants, name) {
			shared[a.ID] = model.Problem{
				Code: catalogue.Namespace, Path: "application.name",
				Message: fmt.Sprintf("its namespace would be %s, which is that of another tenant", name),
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
