package arbitration

import (
	"maps"
	"slices"
)

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
		if c.slot >= 0 {
			p.weak = nil
		}
		if before[i] == nil || before[i][len(before[i])-1].class != c.base().class {
			p.outdate(c)
			c.short = nil // so that it is tried, and what it lacks is told anew
		}
	}
	return changed
}
