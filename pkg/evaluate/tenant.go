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
	Policy    json.RawMessage `json:"policy"` // as written; _effective is what counts
	Releases  map[string]struct {
		Commit string `json:"commit"`
	} `json:"releases"`
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
	own, problems := newLayer("tenant", files)
	r := tenantResult{layer: own, problems: problems}
	if len(problems) > 0 {
		return r
	}
	doc, effective, problems := evaluateLayer(tenantDir(name), platform, &r.layer)
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
	if t.Access, problems = d.Access.access(&r.layer, platform); problems != nil {
		r.problems = problems
		return r
	}
	t.Policy = e.policy(platform, &r.layer)
	t.PriorityCeiling = t.Policy.PriorityCeiling
	t.At = r.layer.positions(func(path []string) bool { return path[0] != "name" })
	r.tenant, r.effective = t, canonical(effective)
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
		quota, err := d.Quota.resources()
		if err != nil {
			p := own.blame(codeAmount, "tenant.quota", err.Error())
			return nil, &p
		}
		t.MaxApplications, t.MaxWorkloads = d.Quota.Applications, d.Quota.Workloads
		switch written := d.Quota; {
		case written.CPU != "" && written.Memory != "":
			t.Quota = &quota
		case written.CPU != "" || written.Memory != "" || written.Devices != nil:
			p := own.blame(codeQuota, "tenant.quota", "says only some of its resources; write both cpu and memory, or neither for no ceiling")
			return nil, &p
		}
		if t.Quota != nil && !t.Guarantee.Fits(quota) {
			p := own.blame(codeGuarantee, "tenant.guarantee", fmt.Sprintf("promises %v, more than the quota of %v", t.Guarantee, quota))
			return nil, &p
		}
	}
	for app, release := range d.Releases {
		if t.Pins == nil {
			t.Pins = map[string]string{}
		}
		t.Pins[app] = release.Commit
	}
	return t, nil
}
