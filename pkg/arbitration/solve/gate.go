package solve

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// Finding is a constraint that was checked, and the reason to refuse when it is not
// met. Amounts become text only where a decision is written.
type Finding struct {
	Name     string // quota.cpu, limits.priorityCeiling
	Resource string // whose amounts these are; "" for counts
	Asked    int64
	Used     int64 // by others, before this application
	Limit    int64
	Shared   bool // used counts: the limit is for several together
	OK       bool
	At       string // file:line:column where the limit is set
	Reason   model.Reason
	Text     [3]string // asked and limit where they are no amounts, and the sentence for people
}

// gate checks what applications ask for. It books nothing.
type gate struct {
	*Books
	platform *model.Platform
}

// checks are the gate's rules in the order in which they are reported. Each
// is about one subject.
var checks = append([]check{
	checkAmounts,
	checkPriority,
	checkCounts,
	checkQuota,
}, ofPlaces...)

// ofPlaces are the checks whose outcome no other application changes.
var ofPlaces = []check{
	checkPools,
	checkTogether,
	checkPoolQuotas,
	checkBudget,
	checkShare,
	checkLimits,
}

type check func(gate, *App, *model.Application, []Level) []Finding

// check runs every check on a spec and reports whether all are met.
func (g gate) check(app *App, spec *model.Application, levels []Level) (found []Finding, ok bool) {
	return g.each(checks, app, spec, levels)
}

// each runs some checks on a spec and reports whether all are met.
func (g gate) each(checks []check, app *App, spec *model.Application, levels []Level) (found []Finding, ok bool) {
	ok = true
	for _, check := range checks {
		for _, f := range check(g, app, spec, levels) {
			found = append(found, f)
			ok = ok && f.OK
		}
	}
	return found, ok
}

// refusal combines the findings that are not met. Its reason is that of the first.
func refusal(found []Finding) *model.Refusal {
	var r model.Refusal
	var messages []string
	for i := range found {
		if f := &found[i]; !f.OK {
			r.Reason = cmp.Or(r.Reason, f.Reason)
			messages = append(messages, f.Text[2])
		}
	}
	r.Message = strings.Join(messages, "; ")
	return &r
}

// checkAmounts refuses negative amounts and amounts that cannot be added up. The
// schema lets none of them pass.
func checkAmounts(g gate, app *App, spec *model.Application, levels []Level) (found []Finding) {
	for i := range spec.Components {
		comp := &spec.Components[i]
		least := min(int64(comp.Replicas), comp.Requests.CPU, comp.Requests.Memory)
		for _, n := range comp.Requests.Devices {
			least = min(least, n)
		}
		if least < 0 {
			found = append(found, Finding{Name: "components." + comp.Name, Reason: model.ReasonAbsurdAmount,
				Text: [3]string{"less than nothing", "0", "component " + comp.Name + " asks for less than nothing"}})
		}
	}
	for r, n := range levels[0].Total {
		if n >= most {
			name := g.Names[r]
			found = append(found, Finding{Name: "components." + name, Reason: model.ReasonAbsurdAmount,
				Text: [3]string{"more than can be counted", model.FormatAmount(name, most), "asks for more " + name + " than can be counted"}})
		}
	}
	return found
}

// checkPriority holds the application to the priority ceiling of its policy and
// tenant.
func checkPriority(g gate, app *App, spec *model.Application, _ []Level) []Finding {
	t := g.Nodes[app.Tenant].Tenant
	limit, at, owner := spec.Policy.PriorityCeiling, policyAt(spec, "limits.priorityCeiling"), "policy"
	if t.PriorityCeiling > 0 && t.PriorityCeiling < limit {
		limit, at, owner = t.PriorityCeiling, t.At["quota.priorityCeiling"], "tenant "+t.Name
	}
	f := Finding{Name: "priorityCeiling", Asked: int64(spec.Priority), Limit: int64(limit), OK: spec.Priority <= limit, At: at, Reason: model.ReasonPriorityTooHigh}
	if !f.OK {
		f.Text[2] = fmt.Sprintf("asks for priority %d, %s allows at most %d", spec.Priority, owner, limit)
	}
	return []Finding{f}
}

// checkCounts holds the application to the number of applications and workloads
// that its tenant may have. What runs may be as many as it is.
func checkCounts(g gate, app *App, spec *model.Application, _ []Level) (found []Finding) {
	n := g.Nodes[app.Tenant]
	held := [2]int{}
	if app.Incumbent() && app.Spec != nil {
		held = [2]int{1, workloads(app.Spec)}
	}
	count := func(name string, used, asked, held, limit int, reason model.Reason) {
		if limit == 0 {
			return
		}
		f := Finding{Name: "quota." + name, Asked: int64(asked), Used: int64(used), Limit: int64(limit), Shared: true,
			OK: used+asked <= limit || asked <= held, At: n.Tenant.At["quota."+name], Reason: reason}
		if !f.OK {
			f.Text[2] = fmt.Sprintf("tenant %s has %d of its %d %s in use and this needs %d more", n.Name, used, limit, name, asked)
		}
		found = append(found, f)
	}
	count("applications", n.applications, 1, held[0], n.Tenant.MaxApplications, model.ReasonTooManyApplications)
	count("workloads", n.workloads, workloads(spec), held[1], n.Tenant.MaxWorkloads, model.ReasonTooManyWorkloads)
	return found
}

// checkQuota holds what the application asks for in full to the quota of its tenant and of every group above it. A
// newer spec that asks for no more than the accepted one passes, also where the quota
// was lowered below that. It may not take for good what the accepted one has for a second
// version, which is temporary.
func checkQuota(g gate, app *App, _ *model.Application, levels []Level) (found []Finding) {
	full, held := &levels[0], (*Level)(nil)
	if app.Incumbent() && app.Levels != nil {
		held = &app.Levels[0]
	}
	for i := app.Tenant; i > 0; i = g.Nodes[i].Parent {
		n, prefix, owner := g.Nodes[i], "quota.", "tenant "
		if n.group != nil {
			prefix, owner = "groups."+n.Name+".quota.", "group "
		}
		for r, limit := range n.quota {
			asked, name := full.Total[r], g.Names[r]
			if asked == 0 || limit >= most {
				continue
			}
			f := Finding{Name: prefix + name, Resource: name, Asked: asked, Used: n.declared[r], Limit: limit, Shared: true,
				OK: n.declared[r]+asked <= limit || held != nil && asked <= held.Total[r] && full.lasts[r] <= held.lasts[r], At: g.limitAt(i, "quota", r), Reason: model.ReasonQuotaExceeded}
			if !f.OK {
				amounts := model.FormatAmounts(name, asked, max(0, limit-f.Used), limit)
				f.Text[2] = fmt.Sprintf("asks for %s %s, %s%s has %s of %s left", amounts[0], name, owner, n.Name, amounts[1], amounts[2])
			}
			found = append(found, f)
		}
	}
	return found
}

// quotaPath is where the quota of a resource is written.
func quotaPath(prefix string, r int, name string) string {
	if r >= 2 {
		return prefix + "devices." + name
	}
	return prefix + name
}

// checkLimits compares the minimum of the application with what its tenant can ever
// use: its guarantee and what it and its groups may borrow, and all capacity less
// what others are guaranteed and do not lend.
func checkLimits(g gate, app *App, _ *model.Application, levels []Level) (found []Finding) {
	least := levels[len(levels)-1].Total
	for i := app.Tenant; i > 0; i = g.Nodes[i].Parent {
		n := g.Nodes[i]
		for r, asked := range least {
			if n.borrow == nil || asked == 0 {
				continue
			}
			f := Finding{Name: n.Name + ".borrow." + g.Names[r], Resource: g.Names[r], Asked: asked, Limit: n.Guarantee[r] + n.borrow[r],
				At: g.limitAt(i, "borrow", r), Reason: model.ReasonLimitExceeded}
			if f.OK = asked <= f.Limit; !f.OK {
				amounts := model.FormatAmounts(f.Resource, asked, f.Limit)
				f.Text[2] = fmt.Sprintf("needs at least %s %s at once, %s may use %s: its guarantee and what it may borrow", amounts[0], f.Resource, n.Name, amounts[1])
			}
			found = append(found, f)
		}
	}
	if !g.lending {
		return found
	}
	for r, asked := range least {
		reach := g.Total[r] - g.unlent(0, app.Tenant, r)
		if asked <= reach || asked == 0 {
			continue
		}
		f := Finding{Name: "lend." + g.Names[r], Resource: g.Names[r], Asked: asked, Limit: reach, Reason: model.ReasonLimitExceeded}
		amounts := model.FormatAmounts(f.Resource, asked, reach)
		f.Text[2] = fmt.Sprintf("needs at least %s %s at once, others lend so little of what they are guaranteed that tenant %s can reach %s",
			amounts[0], f.Resource, g.Nodes[app.Tenant].Name, amounts[1])
		found = append(found, f)
	}
	return found
}

// limitAt is where a limit of a node is written.
func (g gate) limitAt(i int, limit string, r int) string {
	if n := g.Nodes[i]; n.Tenant != nil {
		return n.Tenant.At[quotaPath(limit+".", r, g.Names[r])]
	}
	return g.platform.At[quotaPath("groups."+g.Nodes[i].Name+"."+limit+".", r, g.Names[r])]
}

// policyAt returns where the effective policy value of a path was set.
func policyAt(spec *model.Application, path string) string {
	return model.Get(spec.InForce, path).At
}
