package view

import (
	"path"
	"strings"

	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// Vet is what the reconciler would make of the files of a fleet repo.
type Vet struct {
	Directory      string          `json:"directory"`
	Below          string          `json:"below,omitempty"` // the part that is reported
	Tenants        int             `json:"tenants"`
	Applications   int             `json:"applications"`
	RefusedTenants []string        `json:"refusedTenants"`
	Refused        []model.AppID   `json:"refused"` // applications that would stay as they are, or not start
	Problems       []model.Problem `json:"problems"`
	Notes          []string        `json:"notes"`
}

// VetOf reports the part of a fleet that lies in a directory of the fleet repo, "." for all, and the problems there and in
// the layers above it.
func VetOf(fleet *model.Fleet, problems []model.Problem, directory, below string) Vet {
	v := Vet{Directory: directory, Refused: []model.AppID{}, Notes: []string{}}
	in := func(name string) bool { return below == "." || name == below || strings.HasPrefix(name, below+"/") }
	if below != "." {
		v.Below = below
	}
	v.RefusedTenants = kept(fleet.UnusableTenants, func(name *string) bool { return in(layer.TenantDir(*name)) })
	v.Tenants = len(v.RefusedTenants) + len(kept(fleet.Tenants, func(t *model.Tenant) bool { return in(layer.TenantDir(t.Name)) }))
	for _, u := range fleet.Unusable {
		if in(layer.ApplicationDir(u.App)) {
			v.Refused = append(v.Refused, u.App)
		}
	}
	v.Applications = len(v.Refused) + len(kept(fleet.Applications, func(a **model.Application) bool { return in(layer.ApplicationDir((*a).ID)) }))
	v.Problems = kept(problems, func(p *model.Problem) bool {
		file := blamed(*p)
		above := path.Dir(file)
		return in(file) || above == "." || strings.HasPrefix(below+"/", above+"/")
	})
	return v
}

// blamed returns the file that a problem blames, or one in the directory of what it is about.
func blamed(p model.Problem) string {
	switch {
	case len(p.Places) > 0:
		file, _, _ := strings.Cut(p.Places[0].At, ":")
		return file
	case p.App != "":
		return layer.ApplicationDir(model.AppID{Tenant: p.Tenant, Name: p.App}) + "/app.cue"
	case p.Tenant != "":
		return layer.TenantDir(p.Tenant) + "/tenant.cue"
	}
	return "fleet.cue"
}

// Policy is the policy in force for a tenant or an application.
type Policy struct {
	Tenant      string              `json:"tenant"`
	Application string              `json:"application,omitempty"`
	Policy      []model.PolicyValue `json:"policy"`
}
