package decode

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

type tenantDoc struct {
	Name      string          `json:"name"`
	Weight    int             `json:"weight"`
	Guarantee *resourcesDoc   `json:"guarantee"`
	Quota     *quotaDoc       `json:"quota"`
	Borrow    *resourcesDoc   `json:"borrow"`
	Lend      *resourcesDoc   `json:"lend"`
	Policy    json.RawMessage `json:"policy"` // as written; _effective is what counts
	Releases  map[string]struct {
		Commit string `json:"commit"`
	} `json:"releases"`
	Reservations map[string]struct {
		Application string        `json:"application"`
		Pool        string        `json:"pool"`
		Amount      *resourcesDoc `json:"amount"`
	} `json:"reservations"`
	Access *tenantAccessDoc `json:"access"`
}

type quotaDoc struct {
	resourcesDoc
	Applications    int  `json:"applications"`
	Workloads       int  `json:"workloads"`
	PriorityCeiling *int `json:"priorityCeiling"`
}

// Tenant returns the tenant of a directory under a valid platform, or all that is
// wrong with it.
func Tenant(name string, doc layer.Document, platform *layer.Layer) (*model.Tenant, []model.Problem) {
	own := &doc.Layer
	if doc.Problems != nil {
		return nil, doc.Problems
	}
	var d tenantDoc
	var e effectiveDoc
	if err := cmp.Or(decode(doc.JSON, &d), decode(doc.Effective, &e)); err != nil {
		return nil, []model.Problem{own.Blame(catalogue.Amount, "tenant", err.Error())}
	}
	if d.Name != name {
		return nil, []model.Problem{own.Blame(catalogue.Name, "tenant.name",
			fmt.Sprintf("says %s, and the directory says %s; both must be equal", d.Name, name))}
	}
	t, problem := d.tenant(own)
	if problem != nil {
		return nil, []model.Problem{*problem}
	}
	if problems := d.reserve(t, own, platform); problems != nil {
		return nil, problems
	}
	var problems []model.Problem
	if t.Access, problems = d.Access.access(own, platform); problems != nil {
		return nil, problems
	}
	t.Policy = e.policy(platform, own)
	t.PriorityCeiling = t.Policy.PriorityCeiling
	t.At = own.Positions(func(path []string) bool { return path[0] != "name" })
	return t, nil
}

func (d *tenantDoc) tenant(own *layer.Layer) (*model.Tenant, *model.Problem) {
	t := &model.Tenant{Name: d.Name, Weight: d.Weight}
	var err error
	if t.Guarantee, err = d.Guarantee.resources(); err != nil {
		p := own.Blame(catalogue.Amount, "tenant.guarantee", err.Error())
		return nil, &p
	}
	if d.Quota != nil {
		t.MaxApplications, t.MaxWorkloads = d.Quota.Applications, d.Quota.Workloads
		quota, problem := d.Quota.ceiling("tenant.quota", own)
		if problem != nil {
			return nil, problem
		}
		t.Quota = quota
		if quota != nil && !t.Guarantee.Fits(*quota) {
			p := own.Blame(catalogue.Guarantee, "tenant.guarantee", fmt.Sprintf("promises %v, more than the quota of %v", t.Guarantee, *quota))
			return nil, &p
		}
	}
	var problem *model.Problem
	if t.Borrow, problem = d.Borrow.ceiling("tenant.borrow", own); problem != nil {
		return nil, problem
	}
	if t.Lend, problem = d.Lend.ceiling("tenant.lend", own); problem != nil {
		return nil, problem
	}
	for app, release := range d.Releases {
		if t.Pins == nil {
			t.Pins = map[string]string{}
		}
		t.Pins[app] = release.Commit
	}
	return t, nil
}
