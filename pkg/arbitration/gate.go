package arbitration

import (
	"fmt"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// finding is a constraint that was checked, and the reason to refuse when it is
// not met.
type finding struct {
	model.Constraint
	reason  model.Reason
	message string
}

// checks are the gate's rules in the order in which they are reported. Each
// finds out about one subject; none books anything.
var checks = []func(*arbiter, *claim, *model.Application) []finding{
	checkPriority,
	checkCounts,
	checkQuota,
	checkBudget,
	checkPools,
	checkShare,
}

// gate runs every check on a spec and returns all constraints, and a refusal if
// any of them is not met. The refusal's reason is that of the first.
func (a *arbiter) gate(c *claim, spec *model.Application) ([]model.Constraint, *model.Refusal) {
	var constraints []model.Constraint
	var reason model.Reason
	var messages []string
	for _, check := range checks {
		for _, f := range check(a, c, spec) {
			constraints = append(constraints, f.Constraint)
			if f.OK {
				continue
			}
			if reason == "" {
				reason = f.reason
			}
			messages = append(messages, f.message)
		}
	}
	if reason == "" {
		return constraints, nil
	}
	return constraints, &model.Refusal{Reason: reason, Message: strings.Join(messages, "; ")}
}

func checkPriority(a *arbiter, c *claim, spec *model.Application) []finding {
	t := a.tenant(c.app.Tenant)
	limit, at, owner := spec.Policy.PriorityCeiling, policyAt(spec, "limits.priorityCeiling"), "policy"
	if t.PriorityCeiling > 0 && t.PriorityCeiling < limit {
		limit, at, owner = t.PriorityCeiling, t.At["quota.priorityCeiling"], "tenant "+t.Name
	}
	return []finding{{
		Constraint: model.Constraint{Name: "priorityCeiling", Asked: fmt.Sprint(spec.Priority), Limit: fmt.Sprint(limit),
			OK: spec.Priority <= limit, At: at},
		reason:  model.PriorityTooHigh,
		message: fmt.Sprintf("asks for priority %d, %s allows at most %d", spec.Priority, owner, limit),
	}}
}

func checkCounts(a *arbiter, c *claim, spec *model.Application) (found []finding) {
	t := a.tenant(c.app.Tenant)
	count := func(name string, used, asked, limit int, reason model.Reason) {
		if limit == 0 {
			return
		}
		found = append(found, finding{
			Constraint: model.Constraint{Name: "quota." + name, Asked: fmt.Sprint(asked), Used: fmt.Sprint(used), Limit: fmt.Sprint(limit),
				OK: used+asked <= limit, At: t.At["quota."+name]},
			reason: reason,
			message: fmt.Sprintf("tenant %s has %d of its %d %s in use and this needs %d more",
				t.Name, used, limit, name, asked),
		})
	}
	count("applications", t.applications, 1, t.MaxApplications, model.TooManyApplications)
	count("workloads", t.workloads, workloads(spec), t.MaxWorkloads, model.TooManyWorkloads)
	return found
}

func checkQuota(a *arbiter, c *claim, spec *model.Application) (found []finding) {
	t := a.tenant(c.app.Tenant)
	if t.Quota == nil {
		return nil
	}
	demand := c.demand(spec, full)
	for _, name := range demand.Names() {
		asked, used, limit := demand.Get(name), t.used.Get(name), t.Quota.Get(name)
		if asked == 0 || limit == 0 && name != "cpu" && name != "memory" && t.Quota.Devices == nil {
			continue
		}
		over := used + asked - limit
		f := finding{
			Constraint: model.Constraint{Name: "quota." + name, Asked: model.FormatAmount(name, asked), Used: model.FormatAmount(name, used),
				Limit: model.FormatAmount(name, limit), OK: over <= 0, At: t.At[quotaPath(name)]},
			reason: model.QuotaExceeded,
			message: fmt.Sprintf("asks for %s %s, tenant %s has %s of %s left", model.FormatAmount(name, asked), name,
				t.Name, model.FormatAmount(name, max(0, limit-used)), model.FormatAmount(name, limit)),
		}
		if over > 0 {
			f.Short = model.FormatAmount(name, over)
		}
		found = append(found, f)
	}
	return found
}

// quotaPath is where a tenant writes the quota of a resource.
func quotaPath(resource string) string {
	if resource == "cpu" || resource == "memory" {
		return "quota." + resource
	}
	return "quota.devices." + resource
}

// policyAt returns where the effective policy value of a path was set.
func policyAt(spec *model.Application, path string) string {
	for _, v := range spec.Policy.InForce {
		if v.Path == path {
			return v.At
		}
	}
	return ""
}
