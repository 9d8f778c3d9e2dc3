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
	t, problems := d.tenant(own)
	if problems != nil {
		return nil, problems
	}
	if problems := d.reserve(t, own, platform); problems != nil {
		return nil, problems
	}
	if t.Access, problems = d.Access.access(own, platform); problems != nil {
		return nil, problems
	}
	t.Policy = e.policy(doc.Effective, platform, own)
	t.PriorityCeiling = t.Policy.PriorityCeiling
	t.At = own.Positions(func(path []string) bool { return path[0] != "name" })
	return t, nil
}

func (d *tenantDoc) tenant(own *layer.Layer) (t *model.Tenant, problems []model.Problem) {
	t = &model.Tenant{Name: d.Name, Weight: d.Weight}
	if t.Guarantee, problems = d.Guarantee.amount("tenant.guarantee", own); problems != nil {
		return nil, problems
	}
	if d.Quota != nil {
		t.MaxApplications, t.MaxWorkloads = d.Quota.Applications, d.Quota.Workloads
		if t.Quota, problems = d.Quota.ceiling("tenant.quota", own); problems != nil {
			return nil, problems
		}
		if t.Quota != nil && !t.Guarantee.Fits(*t.Quota) {
			return nil, []model.Problem{own.Blame(catalogue.Guarantee, "tenant.guarantee", fmt.Sprintf("promises %v, more than the quota of %v", t.Guarantee, *t.Quota))}
		}
	}
	if t.Borrow, problems = d.Borrow.ceiling("tenant.borrow", own); problems != nil {
		return nil, problems
	}
	if t.Lend, problems = d.Lend.ceiling("tenant.lend", own); problems != nil {
		return nil, problems
	}
	for app, release := range d.Releases {
		if t.Pins == nil {
			t.Pins = map[string]string{}
		}
		t.Pins[app] = release.Commit
	}
	return t, nil
}
