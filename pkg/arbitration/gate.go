package arbitration

import (
	"fmt"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// finding is a constraint that was checked, and the reason to refuse when it is
// not met. Texts are made from it only for those who read the decision.
type finding struct {
	name     string // quota.cpu, limits.priorityCeiling
	resource string // whose amounts these are; "" for counts
	asked    int64
	used     int64 // by others, before this application
	limit    int64
	shared   bool // used counts: the limit is for several together
	ok       bool
	at       string // file:line:column where the limit is set
	reason   model.Reason
	text     [3]string // asked and limit where they are no amounts, and the sentence for people
}

// checks are the gate's rules in the order in which they are reported. Each
// finds out about one subject; none books anything.
var checks = []func(*problem, *claim, *model.Application, []rung) []finding{
	checkAmounts,
	checkPriority,
	checkCounts,
	checkQuota,
	checkGroups,
	checkPools,
	checkBudget,
	checkShare,
	checkLimits,
}

// gate runs every check on a spec and says whether all are met.
func (p *problem) gate(c *claim, spec *model.Application, ladder []rung) (found []finding, ok bool) {
	ok = true
	for _, check := range checks {
		for _, f := range check(p, c, spec, ladder) {
			found = append(found, f)
			ok = ok && f.ok
		}
	}
	return found, ok
}

// refusal makes the findings that are not met into a refusal. Its reason is that
// of the first.
func refusal(found []finding) *model.Refusal {
	var r model.Refusal
	var messages []string
	for i := range found {
		if f := &found[i]; !f.ok {
			if r.Reason == "" {
				r.Reason = f.reason
			}
			messages = append(messages, f.text[2])
		}
	}
	r.Message = strings.Join(messages, "; ")
	return &r
}

// constraint writes a finding down.
func (f *finding) constraint() model.Constraint {
	k := model.Constraint{Name: f.name, OK: f.ok, At: f.at}
	if k.Asked, k.Limit = f.text[0], f.text[1]; k.Asked == "" {
		k.Asked = model.FormatAmount(f.resource, f.asked)
	}
	if k.Limit == "" {
		k.Limit = model.FormatAmount(f.resource, f.limit)
	}
	if f.shared {
		k.Used = model.FormatAmount(f.resource, f.used)
	}
	if over := f.used + f.asked - f.limit; !f.ok && over > 0 && f.text[0] == "" {
		k.Short = model.FormatAmount(f.resource, over)
	}
	return k
}

// count passes a spec through the books of its tenant and the groups above: what
// it declares in full, so that quota does not move with capacity.
func (p *problem) count(c *claim, spec *model.Application, full vector, sign int) {
	for i := c.tenant; i >= 0; i = p.nodes[i].parent {
		n := &p.nodes[i]
		n.applications += sign
		n.workloads += sign * workloads(spec)
		if sign > 0 {
			n.declared.add(full)
		} else {
			n.declared.sub(full)
		}
	}
}

// workloads counts the components that run.
func workloads(spec *model.Application) int {
	n := 0
	for i := range spec.Components {
		if spec.Components[i].Runs() {
			n++
		}
	}
	return n
}

// checkAmounts refuses what cannot be meant: the schema lets none of it pass, but
// what arbitration counts it must be able to add up.
func checkAmounts(p *problem, c *claim, spec *model.Application, ladder []rung) (found []finding) {
	for i := range spec.Components {
		comp := &spec.Components[i]
		if comp.Replicas < 0 || comp.Requests.CPU < 0 || comp.Requests.Memory < 0 || anyNegative(comp.Requests.Devices) {
			found = append(found, finding{name: "components." + comp.Name, reason: model.AbsurdAmount,
				text: [3]string{"less than nothing", "0", "component " + comp.Name + " asks for less than nothing"}})
		}
	}
	for r, n := range ladder[0].total {
		if n >= most {
			name := p.names[r]
			found = append(found, finding{name: "components." + name, reason: model.AbsurdAmount,
				text: [3]string{"more than can be counted", model.FormatAmount(name, most), "asks for more " + name + " than can be counted"}})
		}
	}
	return found
}

func anyNegative(devices map[string]int64) bool {
	for _, n := range devices {
		if n < 0 {
			return true
		}
	}
	return false
}

func checkPriority(p *problem, c *claim, spec *model.Application, _ []rung) []finding {
	t := p.nodes[c.tenant].tenant
	limit, at, owner := spec.Policy.PriorityCeiling, policyAt(spec, "limits.priorityCeiling"), "policy"
	if t.PriorityCeiling > 0 && t.PriorityCeiling < limit {
		limit, at, owner = t.PriorityCeiling, t.At["quota.priorityCeiling"], "tenant "+t.Name
	}
	f := finding{name: "priorityCeiling", asked: int64(spec.Priority), limit: int64(limit), ok: spec.Priority <= limit, at: at, reason: model.PriorityTooHigh}
	if !f.ok {
		f.text[2] = fmt.Sprintf("asks for priority %d, %s allows at most %d", spec.Priority, owner, limit)
	}
	return []finding{f}
}

func checkCounts(p *problem, c *claim, spec *model.Application, _ []rung) (found []finding) {
	n := &p.nodes[c.tenant]
	count := func(name string, used, asked, limit int, reason model.Reason) {
		if limit == 0 {
			return
		}
		f := finding{name: "quota." + name, asked: int64(asked), used: int64(used), limit: int64(limit), shared: true,
			ok: used+asked <= limit, at: n.tenant.At["quota."+name], reason: reason}
		if !f.ok {
			f.text[2] = fmt.Sprintf("tenant %s has %d of its %d %s in use and this needs %d more", n.name, used, limit, name, asked)
		}
		found = append(found, f)
	}
	count("applications", n.applications, 1, n.tenant.MaxApplications, model.TooManyApplications)
	count("workloads", n.workloads, workloads(spec), n.tenant.MaxWorkloads, model.TooManyWorkloads)
	return found
}

func checkQuota(p *problem, c *claim, _ *model.Application, ladder []rung) []finding {
	n := &p.nodes[c.tenant]
	return p.quota(n, "quota.", "tenant "+n.name, n.tenant.At, ladder[0].total)
}

// checkGroups holds the application to the quota of every group above its tenant.
func checkGroups(p *problem, c *claim, _ *model.Application, ladder []rung) (found []finding) {
	for i := p.nodes[c.tenant].parent; i > 0; i = p.nodes[i].parent {
		n := &p.nodes[i]
		found = append(found, p.quota(n, "groups."+n.name+".quota.", "group "+n.name, p.platform.At, ladder[0].total)...)
	}
	return found
}

func (p *problem) quota(n *node, prefix, owner string, at model.Positions, full vector) (found []finding) {
	if n.quota == nil {
		return nil
	}
	for r, asked := range full {
		if asked == 0 || n.quota[r] >= most {
			continue
		}
		name := p.names[r]
		f := finding{name: prefix + name, resource: name, asked: asked, used: n.declared[r], limit: n.quota[r], shared: true,
			ok: n.declared[r]+asked <= n.quota[r], at: at[quotaPath(prefix, r, name)], reason: model.QuotaExceeded}
		if !f.ok {
			f.text[2] = fmt.Sprintf("asks for %s %s, %s has %s of %s left", model.FormatAmount(name, asked), name, owner,
				model.FormatAmount(name, max(0, f.limit-f.used)), model.FormatAmount(name, f.limit))
		}
		found = append(found, f)
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

// checkLimits compares the least that the application can run with what its
// tenant can ever use: its guarantee and what it and its groups may borrow, and
// all capacity less what others are guaranteed and do not lend.
func checkLimits(p *problem, c *claim, _ *model.Application, ladder []rung) (found []finding) {
	least := ladder[len(ladder)-1].total
	for i := c.tenant; i > 0; i = p.nodes[i].parent {
		n := &p.nodes[i]
		for r, asked := range least {
			if n.borrow == nil || asked == 0 {
				break
			}
			f := finding{name: n.name + ".borrow." + p.names[r], resource: p.names[r], asked: asked, limit: n.guarantee[r] + n.borrow[r],
				at: p.limitAt(i, "borrow", r), reason: model.LimitExceeded}
			if f.ok = asked <= f.limit; !f.ok {
				f.text[2] = fmt.Sprintf("needs at least %s %s at once, %s may use %s: its guarantee and what it may borrow",
					model.FormatAmount(f.resource, asked), f.resource, n.name, model.FormatAmount(f.resource, f.limit))
			}
			found = append(found, f)
		}
	}
	if !p.lending {
		return found
	}
	for r, asked := range least {
		reach := p.total[r] - p.unlent(0, c.tenant, r)
		if asked <= reach || asked == 0 {
			continue
		}
		f := finding{name: "lend." + p.names[r], resource: p.names[r], asked: asked, limit: reach, reason: model.LimitExceeded}
		f.text[2] = fmt.Sprintf("needs at least %s %s at once, others lend so little of what they are guaranteed that tenant %s can reach %s",
			model.FormatAmount(f.resource, asked), f.resource, p.nodes[c.tenant].name, model.FormatAmount(f.resource, reach))
		found = append(found, f)
	}
	return found
}

// unlent is what the nodes at and below i keep back from a tenant when they use
// nothing.
func (p *problem) unlent(i, tenant, r int) int64 {
	var below int64
	for _, child := range p.nodes[i].children {
		below += p.unlent(child, tenant, r)
	}
	n := &p.nodes[i]
	if n.lend == nil || p.above(i, tenant) {
		return below
	}
	return max(below, n.guarantee[r]-n.lend[r])
}

// above says whether node i is the tenant or a group that it is in.
func (p *problem) above(i, tenant int) bool {
	for ; tenant >= 0; tenant = p.nodes[tenant].parent {
		if tenant == i {
			return true
		}
	}
	return false
}

// limitAt is where a limit of a node is written.
func (p *problem) limitAt(i int, limit string, r int) string {
	if n := &p.nodes[i]; n.tenant != nil {
		return n.tenant.At[quotaPath(limit+".", r, p.names[r])]
	}
	return p.platform.At[quotaPath("groups."+p.nodes[i].name+"."+limit+".", r, p.names[r])]
}

// policyAt returns where the effective policy value of a path was set.
func policyAt(spec *model.Application, path string) string {
	for i := range spec.Policy.InForce {
		if v := &spec.Policy.InForce[i]; v.Path == path {
			return v.At
		}
	}
	return ""
}
