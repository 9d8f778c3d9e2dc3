package decode

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// allotmentDoc is what the platform gives a tenant.
type allotmentDoc struct {
	model.Allotment               // the platform has it for all tenants
	Weight          int           `json:"weight"`
	Guarantee       *resourcesDoc `json:"guarantee"`
	Borrow          *resourcesDoc `json:"borrow"`
	Lend            *resourcesDoc `json:"lend"`
	PriorityCeiling *int          `json:"priorityCeiling"` // the policy in force has it
	Adopt           bool          `json:"adopt"`           // the policy in force has it
	Kinds           []string      `json:"kinds"`           // the policy in force has them
	Isolation       string        `json:"isolation"`       // locked or open
	PodSecurity     string        `json:"podSecurity"`     // restricted or baseline
	Peers           []string      `json:"peers"`           // the platform has the links that follow
	Quota           *quotaDoc     `json:"quota"`
	Work            struct {
		CPU string `json:"cpu"`
	} `json:"work"`
	Ingress struct {
		Classes     []string `json:"classes"`
		Annotations []string `json:"annotations"`
	} `json:"ingress"`
}

// quotaDoc is a quota, also of what a tenant runs.
type quotaDoc struct {
	groupQuotaDoc
	Applications int `json:"applications"`
	Workloads    int `json:"workloads"`
}

// shared returns what allotments say of what all tenants share, by tenant.
func shared(allotments map[string]allotmentDoc) (all []model.Allotment) {
	for _, name := range slices.Sorted(maps.Keys(allotments)) {
		d := allotments[name]
		a := d.Allotment
		a.Name, a.Classes, a.Annotations, a.Work = name, d.Ingress.Classes, d.Ingress.Annotations, unless(duration(d.Work.CPU), model.Work)
		if !reflect.DeepEqual(a, model.Allotment{Name: name}) {
			all = append(all, a)
		}
	}
	return all
}

// allotmentOf is the path of a tenant's allotment in the layer of the platform.
func allotmentOf(tenant string) string { return "platform.allotments." + tenant }

// AllottedApplications returns how many applications the allotment of a tenant allows, 0 for
// any number, and where that is written.
func AllottedApplications(tenant string, above *layer.Above) (n int, at string) {
	var a allotmentDoc
	if own := above.Allotments[tenant]; own == nil || decode(own, &a) != nil || a.Quota == nil {
		return 0, ""
	}
	return a.Quota.Applications, allotted(tenant, &above.Layer)["quota.applications"]
}

// allotted returns the places of a tenant's allotment, by the paths that the values have
// in a tenant.
func allotted(tenant string, platform *layer.Layer) model.Positions {
	out := model.Positions{}
	for path, at := range platform.Positions(func(path []string) bool {
		return len(path) > 2 && path[0] == "allotments" && path[1] == tenant
	}) {
		out[strings.TrimPrefix(path, "allotments."+tenant+".")] = at
	}
	return out
}

// tenant returns a tenant as its allotment has it.
func (d *allotmentDoc) tenant(name string, platform *layer.Layer) (t *model.Tenant, problems []model.Problem) {
	path := allotmentOf(name)
	t = &model.Tenant{Name: name, Weight: d.Weight, Isolation: model.Isolation(unless(d.Isolation, "open")), PodSecurity: model.PodSecurity(unless(d.PodSecurity, "baseline"))}
	if t.Guarantee, problems = d.Guarantee.amount(path+".guarantee", platform); problems != nil {
		return nil, problems
	}
	if d.Quota != nil {
		t.MaxApplications, t.MaxWorkloads = d.Quota.Applications, d.Quota.Workloads
		if t.Quota, problems = d.Quota.ceiling(path+".quota", platform); problems != nil {
			return nil, problems
		}
		if t.PoolQuotas, problems = d.Quota.Pools.quotas(path+".quota", platform, platform); problems != nil {
			return nil, problems
		}
		if t.Quota != nil && !t.Guarantee.Fits(*t.Quota) {
			return nil, []model.Problem{platform.Blame(catalogue.Guarantee, path+".guarantee", fmt.Sprintf("promises %v, more than the quota of %v", t.Guarantee, *t.Quota))}
		}
	}
	if t.Borrow, problems = d.Borrow.ceiling(path+".borrow", platform); problems != nil {
		return nil, problems
	}
	if t.Lend, problems = d.Lend.ceiling(path+".lend", platform); problems != nil {
		return nil, problems
	}
	return t, nil
}

// narrow lowers what is allotted to what the tenant writes.
func (d *tenantDoc) narrow(t *model.Tenant, own, platform *layer.Layer) (problems []model.Problem) {
	if d.Quota != nil {
		if d.Quota.Applications > 0 {
			t.MaxApplications = d.Quota.Applications
		}
		if d.Quota.Workloads > 0 {
			t.MaxWorkloads = d.Quota.Workloads
		}
		if t.Quota, problems = d.Quota.within(t.Quota, t.Name, "quota", own, platform); problems != nil {
			return problems
		}
		written, bad := d.Quota.Pools.quotas("tenant.quota", own, platform)
		if problems = append(bad, narrowPools(t, written, own, platform)...); problems != nil {
			return problems
		}
		if t.Quota != nil && !t.Guarantee.Fits(*t.Quota) {
			return []model.Problem{own.Blame(catalogue.Guarantee, "tenant.quota", fmt.Sprintf("is %v, less than the guarantee of %v", *t.Quota, t.Guarantee))}
		}
	}
	if d.Borrow != nil {
		t.Borrow, problems = d.Borrow.within(t.Borrow, t.Name, "borrow", own, platform)
	}
	return problems
}

// within returns a limit that is narrowed to what the tenant writes at a path, nil for no
// limit. What it does not write is as allotted.
func (d *resourcesDoc) within(limit *model.Resources, tenant, path string, own, platform *layer.Layer) (*model.Resources, []model.Problem) {
	if limit == nil {
		return d.ceiling("tenant."+path, own)
	}
	narrow, problems := d.amount("tenant."+path, own)
	if problems != nil {
		return nil, problems
	}
	if d.CPU == "" {
		narrow.CPU = limit.CPU
	}
	if d.Memory == "" {
		narrow.Memory = limit.Memory
	}
	written := narrow.Devices
	narrow.Devices = maps.Clone(limit.Devices)
	for name := range d.Devices {
		if narrow.Devices == nil {
			narrow.Devices = map[string]int64{}
		}
		narrow.Devices[name] = written[name]
	}
	if !narrow.Fits(*limit) {
		p := own.Blame(catalogue.Wider, "tenant."+path, fmt.Sprintf("allows %v, and the allotment of tenant %s has %v", narrow, tenant, *limit))
		if at, ok := platform.Value(allotmentOf(tenant) + "." + path); ok {
			p.Places = append(p.Places, model.Place{At: at, Note: fmt.Sprintf("%s.%s: %v", allotmentOf(tenant), path, *limit)})
		}
		return nil, []model.Problem{p}
	}
	return &narrow, nil
}
