package arbitration

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// decision writes down what was ruled about a claim and why.
func (a *arbiter) decision(c *claim, claims []*claim) model.Decision {
	d := model.Decision{
		App: c.app, Verdict: c.verdict, Reason: c.reason, Message: c.message,
		Degraded: c.level != full, Position: c.position, Grants: c.grants,
		Refused: c.refused, Constraints: c.constraints,
		Inputs: model.Inputs{Commit: a.commit, Policy: a.policyDigest(c), Capacity: a.capacity},
	}
	if c.spec != nil {
		d.Spec, d.Policies = c.spec.Digest, c.spec.Policy.InForce
	}
	switch {
	case c.verdict == model.Granted && c.level == full:
		d.Message = "everything it asks for is granted" + inPools(c.grants)
	case c.verdict == model.Granted:
		d.Message = "granted its minimum" + inPools(c.grants)
		if short := sentence(c.short); short != "" {
			d.Message += "; in full it " + short
		}
		d.BlockedBy = a.blockers(c, claims)
	case c.verdict == model.Waiting:
		d.Message = fmt.Sprintf("waits for capacity, number %d in line; it %s", c.position, sentence(c.short))
		d.BlockedBy = a.blockers(c, claims)
		d.WouldAdmit = []string{"free " + amounts(c.short)}
	case c.verdict == model.Rejected:
		d.WouldAdmit = remedies(c)
	}
	return d
}

func (a *arbiter) policyDigest(c *claim) model.Digest {
	t := a.tenant(c.app.Tenant)
	var policy model.Policy
	if c.spec != nil {
		policy = c.spec.Policy
	}
	return model.DigestOf([]any{policy, t.Quota, t.MaxApplications, t.MaxWorkloads, t.PriorityCeiling})
}

// blockers names who holds most of what is short, at most three applications.
func (a *arbiter) blockers(c *claim, claims []*claim) []model.AppID {
	if len(c.short) == 0 {
		return nil
	}
	short := c.short[0]
	held := map[model.AppID]int64{}
	var apps []model.AppID
	for _, other := range claims {
		if other.verdict != model.Granted || other == c {
			continue
		}
		if n := a.use(other, other.spec, other.grants)[short.pool].Get(short.name); n > 0 {
			held[other.app], apps = n, append(apps, other.app)
		}
	}
	slices.SortFunc(apps, func(x, y model.AppID) int { return cmp.Or(cmp.Compare(held[y], held[x]), x.Compare(y)) })
	return apps[:min(3, len(apps))]
}

// remedies says what single change would lift each refusal, when only one stands
// in the way.
func remedies(c *claim) []string {
	var failed []model.Constraint
	for _, k := range c.constraints {
		if !k.OK {
			failed = append(failed, k)
		}
	}
	if len(failed) != 1 || failed[0].Short == "" {
		return nil
	}
	k := failed[0]
	if strings.HasPrefix(k.Name, "quota.") {
		return []string{
			fmt.Sprintf("ask for %s less %s", k.Short, strings.TrimPrefix(k.Name, "quota.")),
			fmt.Sprintf("raise %s of tenant %s by %s", k.Name, c.app.Tenant, k.Short),
		}
	}
	return []string{fmt.Sprintf("ask for %s less (%s)", k.Short, k.Name)}
}

// sentence says what is short: "needs 4 cpu in pool general, where 1500m is free".
func sentence(short []shortage) string {
	parts := make([]string, len(short))
	for i, s := range short {
		parts[i] = fmt.Sprintf("needs %s %s in pool %s, where %s is free",
			model.FormatAmount(s.name, s.asked), s.name, s.pool.Name, model.FormatAmount(s.name, max(0, s.free)))
	}
	return strings.Join(parts, " and ")
}

// amounts says what would have to become free.
func amounts(short []shortage) string {
	parts := make([]string, len(short))
	for i, s := range short {
		parts[i] = fmt.Sprintf("%s more %s in pool %s", model.FormatAmount(s.name, s.asked-max(0, s.free)), s.name, s.pool.Name)
	}
	return strings.Join(parts, " and ")
}

// inPools names the pools of grants: " in pool general".
func inPools(grants []model.Grant) string {
	var pools []string
	for _, g := range grants {
		if g.Pool != "" && !slices.Contains(pools, g.Pool) {
			pools = append(pools, g.Pool)
		}
	}
	slices.Sort(pools)
	switch len(pools) {
	case 0:
		return ""
	case 1:
		return " in pool " + pools[0]
	}
	return " in pools " + strings.Join(pools, ", ")
}

// price is what resources cost per hour, in millionths: milli-CPU and bytes times
// prices per core and GiB.
func price(r model.Resources, p model.Price) int64 {
	cpu := new(big.Int).Mul(big.NewInt(r.CPU), big.NewInt(p.CPU))
	mem := new(big.Int).Mul(big.NewInt(r.Memory), big.NewInt(p.Memory))
	sum := cpu.Quo(cpu, big.NewInt(1000))
	return sum.Add(sum, mem.Quo(mem, big.NewInt(1<<30))).Int64()
}

// money writes millionths of the currency.
func money(n int64) string { return fmt.Sprintf("%d.%04d", n/1e6, n%1e6/100) }

// percent writes thousandths.
func percent(thousandths int64) string {
	if thousandths%10 == 0 {
		return fmt.Sprintf("%d %%", thousandths/10)
	}
	return fmt.Sprintf("%d.%d %%", thousandths/10, thousandths%10)
}
