package arbitration

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// follow decides once more after edits, and brings a ruling up to date that was
// about the same problem. Cases that were edited or moved are made anew, then what
// follows from them: quotas of their tenants and groups, entitlements, the
// standings of tenants of which these moved, and in the end who gets what. All
// else stands as it was; of those that waited only those are tried that have
// hopes.
func (p *problem) follow(e *edits, ruling *model.Ruling) {
	f := &following{problem: p, edits: e, ruling: ruling, dirty: map[int]bool{}}
	f.takeOver()
	f.grow()
	f.retell()
	f.gates()
	f.stand()
	p.allot()
	f.write()
}

// following is one pass of follow.
type following struct {
	*problem
	edits  *edits
	ruling *model.Ruling
	fresh  []*claim     // made anew
	dirty  map[int]bool // tenants whose members or what these ask for are others
}

// takeOver makes cases anew: of what was edited, what the last ruling moved, as
// the ledger may say that it was not so, and what is new with every pass.
func (f *following) takeOver() {
	p, e := f.problem, f.edits
	for _, c := range p.touched {
		e.apps = append(e.apps, c.app)
	}
	if !e.now.Equal(p.now) {
		for _, c := range p.newcomers {
			e.apps = append(e.apps, c.app)
		}
	}
	p.fleet, p.ledger, p.seen, p.now = e.fleet, e.ledger, e.seen.Pools, e.now
	p.again, p.weak, p.held, p.touched, p.stale = true, nil, nil, nil, nil
	slices.SortFunc(e.apps, model.AppID.Compare)
	for _, id := range slices.Compact(e.apps) {
		f.remake(id)
	}
	p.newcomers = slices.DeleteFunc(p.newcomers, func(c *claim) bool {
		_, now := p.find(c.app)
		return now != c
	})
}

// remake makes the case of one application anew. It keeps a copy of the instance,
// so that one application does not keep the ledger of a pass.
func (f *following) remake(id model.AppID) {
	p := f.problem
	at, old := p.find(id)
	wanted, edited := f.edits.wanted[id]
	switch {
	case edited:
	case old != nil:
		wanted = old.wanted
	default:
		wanted = p.idle[id]
	}
	unusable, edited := f.edits.unusable[id]
	if !edited && old != nil {
		unusable = old.unusable
	}
	var inst *model.Instance
	if i, ok := p.ledger.Find(id); ok {
		held := *i
		inst = &held
	}
	if old != nil {
		f.dirty[old.tenant] = true
		if old.taken != nil {
			p.release(old)
		}
		p.delist(old)
	}
	delete(p.idle, id)
	c := &claim{}
	filed := (wanted != nil || unusable != nil) && p.file(c, id, wanted, unusable, inst)
	switch {
	case !filed && old != nil:
		p.claims = slices.Delete(p.claims, at, at+1)
		f.ruling.Decisions = slices.Delete(f.ruling.Decisions, at, at+1)
	case filed && old == nil:
		p.claims = slices.Insert(p.claims, at, c)
		f.ruling.Decisions = slices.Insert(f.ruling.Decisions, at, model.Decision{})
	case filed:
		p.claims[at] = c
	}
	if !filed {
		if wanted != nil {
			p.idle[id] = wanted
		}
		return
	}
	p.enlist(c)
	p.outdate(c)
	f.dirty[c.tenant] = true
	f.fresh = append(f.fresh, c)
}

// outdate notes that a decision is to be written anew.
func (p *problem) outdate(c *claim) {
	if !c.stale {
		c.stale = true
		p.stale = append(p.stale, c)
	}
}

// grow takes over capacity that has grown, and edits of tenants.
func (f *following) grow() {
	p := f.problem
	if f.edits.capacity != "" {
		old := p.pools
		p.pools = nil
		p.buildPools(f.edits.seen)
		p.reserve()
		for i := range p.pools {
			p.pools[i].used = old[i].used
			for j := range p.pools[i].promises {
				p.pools[i].promises[j].used = old[i].promises[j].used
			}
		}
	}
	if len(f.edits.tenants) > 0 {
		p.policies = map[policyKey]model.Digest{}
	}
	for i := range f.edits.fleet.Tenants {
		t := &f.edits.fleet.Tenants[i]
		if !f.edits.tenants[t.Name] {
			continue
		}
		n := &p.nodes[p.tenants[t.Name]]
		edited := *t
		n.tenant, n.quota = &edited, p.limit(t.Quota)
		n.weight = min(max(int64(t.Weight), 0), heaviest)
		f.dirty[p.tenants[t.Name]] = true
	}
	for i := range p.pools {
		p.pools[i].kept = p.zero()
	}
}

// retell books what the cases made anew hold, and where.
func (f *following) retell() {
	for i := range f.pools {
		for j := range f.pools[i].domains {
			clear(f.pools[i].domains[j].used)
		}
		if len(f.pools[i].domains) == 0 {
			continue
		}
		for _, c := range f.running {
			for k := range c.grants {
				if g := &c.grants[k]; g.Pool == f.pools[i].Name && len(g.Domains) > 0 {
					f.hint(c, g)
				}
			}
		}
	}
	for _, c := range f.fresh {
		f.keep(c)
	}
}

// gates sends those through the gate again for which it may have another answer:
// cases made anew, where there are quotas also all that share them, and when
// capacity has grown all that were refused.
func (f *following) gates() {
	shared := map[int]bool{}
	for t := range f.dirty {
		if d := f.quotaOver(t); d > 0 {
			shared[d] = true
		}
	}
	again := f.fresh
	if f.edits.capacity != "" {
		for _, c := range f.claims {
			if c.stale || c.verdict != model.Rejected && c.refused == nil {
				continue
			}
			again = append(again, c)
			if d := f.quotaOver(c.tenant); d > 0 {
				shared[d] = true
			}
		}
	}
	slices.SortFunc(again, elders)
	for _, c := range again {
		if d := f.quotaOver(c.tenant); d <= 0 {
			f.pass(c)
		}
	}
	for _, d := range slices.Sorted(maps.Keys(shared)) {
		f.recount(d)
	}
}

// quotaOver is the highest node at or above a tenant that has a quota or counts
// applications, 0 if none does.
func (p *problem) quotaOver(tenant int) (top int) {
	for i := tenant; i > 0; i = p.nodes[i].parent {
		n := &p.nodes[i]
		if n.quota != nil || n.tenant != nil && (n.tenant.MaxApplications > 0 || n.tenant.MaxWorkloads > 0) {
			top = i
		}
	}
	return top
}

// recount counts anew what is declared at and below a node.
func (f *following) recount(top int) {
	var all []*claim
	for i := top; i < len(f.nodes); i++ {
		if !f.above(top, i) {
			continue
		}
		n := &f.nodes[i]
		n.applications, n.workloads, n.declared = 0, 0, f.zero()
		all = append(all, f.members[i]...)
	}
	slices.SortFunc(all, elders)
	for _, c := range all {
		if c.incumbent() && c.spec != nil {
			f.count(c, c.spec, c.ladder[0].total, 1)
		}
	}
	for _, c := range all {
		f.pass(c)
	}
}

// pass sends a case through the gate as if for the first time, and notes what
// that changes.
func (f *following) pass(c *claim) {
	p := f.problem
	if c.wanted == nil {
		p.pass(c)
		return
	}
	verdict, reason, refused, ladder := c.verdict, c.reason, c.refused, c.ladder
	c.findings, c.updateFindings, c.message = nil, nil, ""
	if c.incumbent() {
		c.refused, c.update = nil, nil
	} else {
		c.ladder = nil
	}
	p.pass(c)
	if verdict != c.verdict || reason != c.reason || !sameRefusal(refused, c.refused) {
		p.outdate(c)
		f.dirty[c.tenant] = true
	}
	if c.verdict == model.Rejected {
		c.standing, c.short, c.position = nil, nil, 0
	} else if ladder != nil && !c.incumbent() {
		c.ladder = ladder
	}
}

func sameRefusal(x, y *model.Refusal) bool { return x == y || x != nil && y != nil && *x == *y }

// stand brings entitlements and standings up to date.
func (f *following) stand() {
	p := f.problem
	entitlements := f.edits.capacity != "" || len(f.edits.tenants) > 0
	for t := range f.dirty {
		entitlements = p.askAgain(t) || entitlements
	}
	moved := map[int]bool{}
	if entitlements {
		floors := make([]vector, len(p.nodes))
		for i := range p.nodes {
			floors[i] = p.nodes[i].floor
		}
		p.entitle()
		for i := range p.nodes {
			n := &p.nodes[i]
			if n.tenant != nil && (f.edits.capacity != "" || n.entitled < n.steady.from || n.entitled >= n.steady.to || !slices.Equal(floors[i], n.floor)) {
				moved[i] = true
			}
		}
	}
	for t := range f.dirty {
		moved[t] = true
	}
	for _, t := range slices.Sorted(maps.Keys(moved)) {
		if p.standAgain(t) || f.dirty[t] {
			p.lineUp(t)
			f.dirty[t] = true
		}
	}
}

// askAgain adds up anew what a tenant asks for, and says whether that has changed.
func (p *problem) askAgain(tenant int) (changed bool) {
	before := make([]vector, len(p.asked))
	for b := range p.asked {
		before[b], p.asked[b][tenant] = p.asked[b][tenant], nil
	}
	for _, c := range p.members[tenant] {
		if c.ladder != nil {
			p.askFor(c)
		}
	}
	for b := range p.asked {
		changed = changed || !slices.Equal(before[b], p.asked[b][tenant])
	}
	return changed
}

// standAgain ranks a tenant's applications anew, and says whether one stands
// otherwise.
func (p *problem) standAgain(tenant int) (changed bool) {
	members := p.members[tenant]
	before := make([][]standing, len(members))
	for i, c := range members {
		before[i] = c.standing
	}
	p.standTenant(tenant)
	for i, c := range members {
		if c.ladder == nil || slices.Equal(before[i], c.standing) {
			continue
		}
		changed = true
		if before[i] == nil || before[i][len(before[i])-1].class != c.base().class {
			p.outdate(c)
			c.short = nil // so that it is tried, and what it lacks is told anew
		}
	}
	return changed
}

// write brings the ruling up to date. Where somebody only has another place in
// the line, nothing but the place is written.
func (f *following) write() {
	p := f.problem
	for _, c := range p.touched {
		p.outdate(c)
		f.dirty[c.tenant] = true
	}
	for _, t := range slices.Sorted(maps.Keys(f.dirty)) {
		p.number(t, func(c *claim, place int) {
			if !c.stale {
				at, _ := p.find(c.app)
				f.ruling.Decisions[at].Message = renumbered(f.ruling.Decisions[at].Message, place)
				f.ruling.Decisions[at].Position = place
			}
		})
	}
	slices.SortFunc(p.stale, func(x, y *claim) int { return x.app.Compare(y.app) })
	var changed []*claim
	for _, c := range p.stale {
		c.stale = false
		at, _ := p.find(c.app)
		if d := p.decision(c); !sameDecision(&f.ruling.Decisions[at], &d) {
			f.ruling.Decisions[at] = d
			changed = append(changed, c)
		}
	}
	p.explain(f.ruling, changed)
}

// sameDecision says whether two decisions about an application decide the same.
func sameDecision(x, y *model.Decision) bool {
	return x.App == y.App && x.Verdict == y.Verdict && x.Reason == y.Reason && x.Spec == y.Spec && x.Degraded == y.Degraded &&
		x.Position == y.Position && x.EvictAt.Equal(y.EvictAt) && x.Standing == y.Standing && x.For == y.For &&
		sameRefusal(x.Refused, y.Refused) && sameGrants(x.Grants, y.Grants) &&
		slices.EqualFunc(x.Grants, y.Grants, func(g, h model.Grant) bool { return slices.Equal(g.Domains, h.Domains) })
}

// inLineAt begins the message about one that waits.
const inLineAt = "waits for capacity, number "

// renumbered is a message about one that waits with another number.
func renumbered(message string, place int) string {
	rest := strings.TrimLeft(strings.TrimPrefix(message, inLineAt), "0123456789")
	return inLineAt + strconv.Itoa(place) + rest
}

func sameGrants(x, y []model.Grant) bool {
	return slices.EqualFunc(x, y, func(g, h model.Grant) bool { return sameGrant(&g, &h) })
}
