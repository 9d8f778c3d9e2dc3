package decode

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

type tenantDoc struct {
	Name     string          `json:"name"`
	Quota    *tenantQuotaDoc `json:"quota"`
	Borrow   *resourcesDoc   `json:"borrow"`
	Hosts    []string        `json:"hosts"`
	Policy   json.RawMessage `json:"policy"` // as written; _effective is what counts
	Releases map[string]struct {
		Commit string `json:"commit"`
	} `json:"releases"`
	Reservations map[string]struct {
		Application string        `json:"application"`
		Pool        string        `json:"pool"`
		Amount      *resourcesDoc `json:"amount"`
	} `json:"reservations"`
	Access      *tenantAccessDoc `json:"access"`
	Definitions json.RawMessage  `json:"definitions"` // for applications
}

type tenantQuotaDoc struct {
	quotaDoc
	PriorityCeiling *int `json:"priorityCeiling"`
}

// Tenant returns the tenant of a directory under a valid platform, or all that is
// wrong with it.
func Tenant(name string, doc layer.Document, above *layer.Above) (*model.Tenant, []model.Problem) {
	own, platform := &doc.Layer, &above.Layer
	if doc.Problems != nil {
		return nil, doc.Problems
	}
	var d tenantDoc
	var a allotmentDoc
	var e effectiveDoc
	if err := cmp.Or(decode(doc.JSON, &d), decode(above.Allotments[name], &a), decode(doc.Effective, &e)); err != nil {
		return nil, []model.Problem{own.Blame(catalogue.Amount, "tenant", err.Error())}
	}
	if d.Name != name {
		return nil, []model.Problem{own.Blame(catalogue.Name, "tenant.name",
			fmt.Sprintf("says %s, and the directory says %s; both must be equal", d.Name, name))}
	}
	t, problems := a.tenant(name, platform)
	if problems != nil {
		return nil, problems
	}
	if problems := d.narrow(t, own, platform); problems != nil {
		return nil, problems
	}
	if problems := d.reserve(t, own, platform); problems != nil {
		return nil, problems
	}
	if t.Access, problems = d.Access.ofTenant(own, platform); problems != nil {
		return nil, problems
	}
	t.Hosts = d.Hosts
	for app, release := range d.Releases {
		if t.Pins == nil {
			t.Pins = map[string]string{}
		}
		t.Pins[app] = release.Commit
	}
	t.Policy, t.InForce = e.policy(), inForce(doc.Effective, name, platform, own)
	t.PriorityCeiling = t.Policy.PriorityCeiling
	t.At = allotted(name, platform)
	maps.Copy(t.At, own.Positions(func(path []string) bool { return path[0] != "name" && path[0] != "definitions" }))
	return t, nil
}
