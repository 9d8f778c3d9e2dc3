package evaluate

import (
	"cmp"
	"encoding/json"
	"fmt"

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

// tenantResult is a tenant's layer, evaluated under the platform's. Its model is
// nil if there are problems.
type tenantResult struct {
	layer     layer
	tenant    *model.Tenant
	effective []byte // the policy in force for its applications
	problems  []model.Problem
}

// evaluateTenant evaluates the files of one tenant under a valid platform.
func evaluateTenant(name string, files []source, platform *layer) tenantResult {
	return evaluateTenantBy(form{}, name, files, platform)
}

// evaluateTenantBy evaluates a tenant and has its platform's form, which may be zero.
func evaluateTenantBy(f form, name string, files []source, platform *layer) tenantResult {
	own, trees, problems := parseLayer("tenant", files)
	r := tenantResult{layer: own, problems: problems}
	if len(problems) > 0 {
		return r
	}
	doc, effective, ok := f.fillTenant(trees)
	if !ok {
		doc, effective, problems = evaluateLayer(tenantDir(name), platform, &r.layer)
	}
	if problems != nil {
		r.problems = problems
		return r
	}
	var d tenantDoc
	var e effectiveDoc
	if err := cmp.Or(decode(doc, &d), decode(effective, &e)); err != nil {
		r.problems = []model.Problem{r.layer.blame(codeAmount, "tenant", err.Error())}
		return r
	}
	if d.Name != name {
		r.problems = []model.Problem{r.layer.blame(codeName, "tenant.name",
			fmt.Sprintf("says %s, and the directory says %s; both must be equal", d.Name, name))}
		return r
	}
	t, problem := d.tenant(&r.layer)
	if problem != nil {
		r.problems = []model.Problem{*problem}
		return r
	}
	if problems = d.reserve(t, &r.layer, platform); problems != nil {
		r.problems = problems
		return r
	}
	if t.Access, problems = d.Access.access(&r.layer, platform); problems != nil {
		r.problems = problems
		return r
	}
	t.Policy = e.policy(platform, &r.layer)
	t.PriorityCeiling = t.Policy.PriorityCeiling
	t.At = r.layer.positions(func(path []string) bool { return path[0] != "name" })
	definitions, _ := definitionsOf(platform) // the platform is valid
	r.tenant, r.effective = t, withDefinitions(canonical(effective), definitions)
	return r
}

func (d *tenantDoc) tenant(own *layer) (*model.Tenant, *model.Problem) {
	t := &model.Tenant{Name: d.Name, Weight: d.Weight}
	var err error
	if t.Guarantee, err = d.Guarantee.resources(); err != nil {
		p := own.blame(codeAmount, "tenant.guarantee", err.Error())
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
			p := own.blame(codeGuarantee, "tenant.guarantee", fmt.Sprintf("promises %v, more than the quota of %v", t.Guarantee, *quota))
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
