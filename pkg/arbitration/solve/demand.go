package solve

import "slices"

// addDemand counts what an application asks for in full.
func (p *Case) addDemand(c *App) {
	at := &p.demanded[c.Band][c.Tenant]
	if *at == nil {
		*at = p.Zero()
	}
	at.Add(c.Levels[0].lasts)
}

// countDemand adds up what all applications ask for.
func (p *Case) CountDemand() {
	p.demanded = make([][]Vector, len(p.Fleet.Platform.Bands)+1)
	for b := range p.demanded {
		p.demanded[b] = make([]Vector, len(p.Nodes))
	}
	for _, c := range p.Apps {
		if c.Levels != nil {
			p.addDemand(c)
		}
	}
}

// recountDemand adds up anew what a tenant asks for, and reports whether that has
// changed.
func (p *Case) RecountDemand(tenant int) (changed bool) {
	before := make([]Vector, len(p.demanded))
	for b := range p.demanded {
		before[b], p.demanded[b][tenant] = p.demanded[b][tenant], nil
	}
	for _, c := range p.Members[tenant] {
		if c.Levels != nil {
			p.addDemand(c)
		}
	}
	for b := range p.demanded {
		changed = changed || !slices.Equal(before[b], p.demanded[b][tenant])
	}
	return changed
}

// fairShares divides all capacity and records the result on the nodes.
func (p *Case) FairShares() {
	fair, floors := divide(p.Books, p.boundedDemand())
	for i := range p.Nodes {
		p.Nodes[i].FairShare = fair[i]
		if p.Nodes[i].Tenant != nil {
			p.Nodes[i].Floor = floors[i]
		}
	}
}

// boundedDemand is what the applications of each tenant ask for in full, by band,
// then node, up to what the tenant may use.
func (p *Case) boundedDemand() [][]Vector {
	demand := make([][]Vector, len(p.demanded))
	for b := range demand {
		demand[b] = slices.Clone(p.demanded[b])
	}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if n.borrow == nil || n.Tenant == nil {
			continue
		}
		sum := p.Zero()
		for b := range demand {
			demand[b][i] = slices.Clone(demand[b][i])
			for r := range demand[b][i] {
				d := &demand[b][i][r]
				*d = max(0, min(*d, n.Guarantee[r]+n.borrow[r]-sum[r]))
				sum[r] += *d
			}
		}
	}
	return demand
}
