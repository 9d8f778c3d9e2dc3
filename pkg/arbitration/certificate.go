package arbitration

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// competitors is how many of those that hold what is short a decision names.
const competitors = 3

// ruling writes down what was decided about every claim and why.
func (p *problem) ruling() model.Ruling {
	p.line()
	p.shelf = newShelf(len(p.claims))
	r := model.Ruling{Decisions: p.shelf.decisions()}
	for i, c := range p.claims {
		r.Decisions[i] = p.decision(c)
	}
	return r
}

// line gives those that wait their place in the line of their tenant.
func (p *problem) line() {
	for i := range p.lines {
		p.number(i, func(*claim) {})
	}
}

// number numbers those of a tenant that wait still, and tells of each that has
// another place than before.
func (p *problem) number(i int, moved func(*claim)) {
	place := 0
	for _, c := range p.lines[i] {
		if c.verdict != model.Waiting {
			continue
		}
		if place++; c.position != place {
			c.position = place
			moved(c)
		}
	}
}

// inLine orders those of a tenant that wait.
func inLine(x, y *claim) int { return cmp.Or(x.base().compare(y.base()), elders(x, y)) }

func (p *problem) decision(c *claim) model.Decision {
	d := model.Decision{
		App: c.app, Verdict: c.verdict, Reason: c.reason, Message: c.message,
		Degraded: c.granted() && c.rung > 0, Position: c.position, Grants: c.grants,
		Refused: c.refused, EvictAt: c.evictAt,
		Inputs: model.Inputs{Commit: p.fleet.Commit, Policy: p.policyDigest(c), Capacity: p.capacity},
	}
	if c.spec != nil {
		d.Spec, d.Policies = c.spec.Digest, c.spec.Policy.InForce
	}
	if n := len(c.findings); n > 0 {
		d.Constraints = make([]model.Constraint, n, n+len(c.short))
		for i := range c.findings {
			d.Constraints[i] = c.findings[i].constraint()
		}
	}
	if c.standing != nil {
		d.Standing = classNames[c.base().class]
		d.Shares = p.shares(c)
	}
	for _, v := range c.victims {
		d.Displaced = append(d.Displaced, v.displacement())
	}
	if c.favoured != nil {
		d.For = c.favoured.app.String()
	}
	switch {
	case c.granted() && c.rung == 0:
		d.Message = "everything it asks for is granted" + inPools(c.grants)
		if c.message != "" {
			d.Message = c.message
		}
	case c.granted():
		d.Message = cmp.Or(c.message, "granted less than it asks for, "+c.ladder[c.rung].cut.String()+inPools(c.grants))
		if short := p.sentence(c.short); short != "" {
			d.Message += "; in full it " + short
		}
		p.nameAhead(&d, c)
	case c.verdict == model.Waiting:
		for _, s := range c.short {
			d.Constraints = append(d.Constraints, p.shortConstraint(s))
		}
		d.Message = fmt.Sprintf("waits for capacity, number %d in the line of its tenant", c.position)
		if short := p.sentence(c.short); short != "" {
			d.Message += "; it " + short
		}
		if why := p.obstacle(c); why != "" {
			d.Message += "; " + why
		}
		p.nameAhead(&d, c)
	}
	return d
}

// shares are the dominant shares of the application's tenant and of the groups
// above it, in thousandths of all capacity.
func (p *problem) shares(c *claim) []model.TenantShare {
	var shares []model.TenantShare
	for i := c.tenant; i > 0; i = p.nodes[i].parent {
		n := &p.nodes[i]
		s := model.TenantShare{Of: n.name, Used: thousandths(n.used.dominant(p.total)), Guaranteed: thousandths(n.guarantee.dominant(p.total)),
			Entitled: thousandths(n.entitled), Weight: int(n.weight)}
		shares = append(shares, s)
	}
	return shares
}

func thousandths(s share) int { return int((min(s, 1000*whole)*1000 + whole/2) / whole) }

// obstacle says why nobody gives way to an application that waits.
func (p *problem) obstacle(c *claim) string {
	if len(c.short) == 0 {
		return ""
	}
	n := &p.nodes[c.tenant]
	allowed := min(preemption(&p.platform.Policy), preemption(c.policy()))
	if c.base().class > entitled && allowed >= reclaim {
		return fmt.Sprintf("tenant %s may have %s of all capacity, and with it would have more, so nobody gives way", n.name, percent(int64(thousandths(n.entitled))))
	}
	switch allowed {
	case never:
		return "policy lets nobody give way (preemption: none)"
	case withinTenant:
		return "nothing of a lower priority in its tenant is enough to make room (preemption: within-tenant)"
	}
	return "what others hold beyond what they are entitled to is not enough to make room, or has not run for its minRuntime"
}

func (p *problem) shortConstraint(s shortage) model.Constraint {
	k := model.Constraint{Name: p.shortName(s), Asked: fmt.Sprint(s.asked), Limit: fmt.Sprint(s.free)}
	switch {
	case s.resource < 0:
		return k
	case s.pool >= 0:
		q := &p.pools[s.pool]
		k.Used, k.Limit = p.amount(s.resource, q.used[s.resource]), p.amount(s.resource, q.capacity[s.resource])
		k.At = p.platform.At["pools."+q.Name]
	default:
		k.Limit = p.amount(s.resource, max(0, s.free))
	}
	k.Asked, k.Short = p.amount(s.resource, s.asked), p.amount(s.resource, s.asked-max(0, s.free))
	return k
}

func (p *problem) shortName(s shortage) string {
	switch {
	case s.resource < 0:
		return "free." + p.pools[s.pool].Name + ".domains"
	case s.pool >= 0:
		return "free." + p.pools[s.pool].Name + "." + p.names[s.resource]
	case s.node > 0:
		return p.nodes[s.node].name + ".borrow." + p.names[s.resource]
	}
	return "lend." + p.names[s.resource]
}

func (p *problem) amount(resource int, n int64) string {
	return model.FormatAmount(p.names[resource], n)
}

// sentence says what is short: "needs 4 cpu in pool general, where 1500m is free".
func (p *problem) sentence(short []shortage) string {
	parts := make([]string, len(short))
	for i, s := range short {
		switch {
		case s.resource < 0:
			parts[i] = fmt.Sprintf("spreads over %d domains of pool %s, of which %d have room", s.asked, p.pools[s.pool].Name, s.free)
		case s.pool >= 0:
			parts[i] = "needs " + p.amount(s.resource, s.asked) + " " + p.names[s.resource] + " in pool " + p.pools[s.pool].Name +
				", where " + p.amount(s.resource, max(0, s.free)) + " is free"
		case s.node > 0:
			parts[i] = fmt.Sprintf("needs %s %s, and %s may borrow %s more", p.amount(s.resource, s.asked), p.names[s.resource],
				p.nodes[s.node].name, p.amount(s.resource, max(0, s.free)))
		default:
			parts[i] = fmt.Sprintf("needs %s %s, and others lend %s of what they are guaranteed", p.amount(s.resource, s.asked), p.names[s.resource],
				p.amount(s.resource, max(0, s.free)))
		}
	}
	return strings.Join(parts, " and ")
}

// nameAhead names who holds most of what is short, with the shares of their tenants.
func (p *problem) nameAhead(d *model.Decision, c *claim) {
	if len(c.short) == 0 || c.short[0].pool < 0 || c.short[0].resource < 0 {
		return
	}
	pool, resource := c.short[0].pool, c.short[0].resource
	for _, other := range p.holders(pool, resource) {
		if other == c || len(d.BlockedBy) == competitors {
			continue
		}
		n := &p.nodes[other.tenant]
		d.BlockedBy = append(d.BlockedBy, other.app)
		d.Ahead = append(d.Ahead, model.Competitor{
			App: other.app, Holds: p.amount(resource, heldOf(other.taken, pool, resource)) + " " + p.names[resource],
			Standing: classNames[other.base().class], Share: thousandths(n.used.dominant(p.total)), Entitled: thousandths(n.entitled),
		})
	}
}

// holders lists those that hold most of a resource of a pool, one more than are named.
func (p *problem) holders(pool, resource int) []*claim {
	key := [2]int{pool, resource}
	if list, ok := p.held[key]; ok {
		return list
	}
	if p.held == nil {
		p.held = map[[2]int][]*claim{}
	}
	more := func(x, y *claim) int {
		return cmp.Or(cmp.Compare(heldOf(y.taken, pool, resource), heldOf(x.taken, pool, resource)), x.app.Compare(y.app))
	}
	list := make([]*claim, 0, competitors+2)
	add := func(c *claim) {
		full := len(list) > competitors
		if !c.granted() || heldOf(c.taken, pool, resource) == 0 || full && more(c, list[competitors]) > 0 {
			return
		}
		n, _ := slices.BinarySearchFunc(list, c, more)
		list = slices.Insert(list, n, c)
		list = list[:min(len(list), competitors+1)]
	}
	for _, c := range p.running {
		add(c)
	}
	for _, c := range p.touched {
		if !c.incumbent() {
			add(c)
		}
	}
	p.held[key] = list
	return list
}

// why tells a victim and its beneficiary why it is this one that gives way.
func (p *problem) why(c *claim, s standing, v *claim, m move) string {
	z := v.worst(v.rung)
	if m.to < 0 {
		z = v.base()
	}
	lead := "gives way to " + c.app.String() + ": "
	switch {
	case c.tenant == v.tenant:
		return lead + fmt.Sprintf("priority %d is higher than %d", c.priority, v.priority)
	case s.class == guaranteed:
		return lead + fmt.Sprintf("tenant %s takes back what it is guaranteed, %s runs beyond the guarantee of its tenant", c.app.Tenant, v.app)
	case s.class == entitled && z.class == beyond:
		return lead + fmt.Sprintf("tenant %s is within its share of %s of all capacity, %s is beyond the %s of tenant %s",
			c.app.Tenant, percent(int64(thousandths(p.nodes[c.tenant].entitled))), v.app, percent(int64(thousandths(p.nodes[v.tenant].entitled))), v.app.Tenant)
	}
	return lead + fmt.Sprintf("band %s is served before band %s", p.bandName(c.band), p.bandName(v.band))
}

func (d *displaced) displacement() model.Displacement {
	v := d.claim
	if d.evicted {
		return model.Displacement{App: v.app, From: "granted", To: "evicted", Why: d.why}
	}
	var from, to []string
	for i := range d.spec.Components {
		comp := &d.spec.Components[i]
		had, hadQoS := at(comp, d.from)
		has, hasQoS := at(comp, d.to)
		if had != has {
			from, to = append(from, replicasOf(had, comp.Name)), append(to, replicasOf(has, comp.Name))
		}
		if hadQoS != hasQoS {
			from, to = append(from, comp.Name+" "+hadQoS), append(to, comp.Name+" "+hasQoS)
		}
	}
	return model.Displacement{App: v.app, From: strings.Join(from, ", "), To: strings.Join(to, ", "), Why: d.why}
}

func replicasOf(n int, component string) string {
	if n == 1 {
		return "1 replica of " + component
	}
	return fmt.Sprint(n) + " replicas of " + component
}

// announcement is when an earlier decision said that the application would lose
// its place, zero if none did.
func (p *problem) announcement(c *claim) time.Time {
	if d := p.recorded(c.app); d != nil {
		return d.EvictAt
	}
	return time.Time{}
}

// recorded is the last decision about an application that the ledger holds.
func (p *problem) recorded(app model.AppID) *model.Decision {
	n, ok := slices.BinarySearchFunc(p.ledger.Decisions, app, func(d model.Decision, app model.AppID) int { return d.App.Compare(app) })
	if !ok {
		return nil
	}
	return &p.ledger.Decisions[n]
}

// policyKey identifies an effective policy and the quota of its tenant: the
// policies of a tenant's applications differ only in what applications may set.
type policyKey struct {
	tenant      int
	inForce     *model.PolicyValue
	strategy    string
	preemption  string
	degradation bool
	onFailure   string
	deadline    time.Duration
}

func (p *problem) policyDigest(c *claim) model.Digest {
	key := policyKey{tenant: c.tenant}
	var policy model.Policy
	if c.spec != nil {
		policy = c.spec.Policy
		key.strategy, key.preemption, key.degradation = policy.Strategy, policy.Preemption, policy.Degradation
		key.onFailure, key.deadline = policy.OnUpdateFailure, policy.StartDeadline
		if len(policy.InForce) > 0 {
			key.inForce = &policy.InForce[0]
		}
	}
	if d, ok := p.policies[key]; ok && key.inForce != nil {
		return d
	}
	t := p.nodes[c.tenant].tenant
	d := model.DigestOf([]any{policy, t.Quota, t.MaxApplications, t.MaxWorkloads, t.PriorityCeiling})
	p.policies[key] = d
	return d
}

// inPools names the pools of grants: " in pool general".
func inPools(grants []model.Grant) string {
	var pools []string
	for i := range grants {
		if name := grants[i].Pool; name != "" && !slices.Contains(pools, name) {
			pools = append(pools, name)
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

// money writes millionths of the currency.
func money(n int64) string { return fmt.Sprintf("%d.%04d", n/1e6, n%1e6/100) }

// percent writes thousandths.
func percent(thousandths int64) string {
	if thousandths%10 == 0 {
		return fmt.Sprintf("%d %%", thousandths/10)
	}
	return fmt.Sprintf("%d.%d %%", thousandths/10, thousandths%10)
}
