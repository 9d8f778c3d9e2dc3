package solve

import (
	"cmp"
	"slices"
)

// CountDemand adds up what all applications ask for in full, by band and tenant.
func (c *Case) CountDemand() {
	c.demanded = make([][]Vector, len(c.Fleet.Platform.Bands)+1)
	for b := range c.demanded {
		c.demanded[b] = make([]Vector, len(c.Nodes))
	}
	for tenant := range c.Nodes {
		c.RecountDemand(tenant)
	}
}

// RecountDemand adds up again what a tenant asks for, and reports whether that has
// changed.
func (c *Case) RecountDemand(tenant int) (changed bool) {
	before := make([]Vector, len(c.demanded))
	for b := range c.demanded {
		before[b], c.demanded[b][tenant] = c.demanded[b][tenant], nil
	}
	for _, app := range c.Members[tenant] {
		if app.Levels == nil {
			continue
		}
		sum := &c.demanded[app.Band][tenant]
		if *sum == nil {
			*sum = c.Zero()
		}
		sum.Add(cmp.Or(app.Update, app.declined).orMore(app.Levels[0].lasts))
	}
	for b := range c.demanded {
		changed = changed || !slices.Equal(before[b], c.demanded[b][tenant])
	}
	return changed
}

// orMore is what an application asks for that gets a newer spec, which is nil for none: the
// larger of its present amount and that of the newer spec.
func (n *newer) orMore(now Vector) Vector {
	if n == nil {
		return now
	}
	return now.atLeast(n.levels[0].lasts)
}

// FairShares divides all capacity and records the result on the nodes.
func (c *Case) FairShares() {
	demand := c.boundedDemand()
	if c.unweighted = nil; c.HalfLife > 0 {
		for i := range c.Nodes {
			c.Nodes[i].Weight = c.Nodes[i].Declared
		}
		c.unweighted, _ = divide(c.Books, demand)
		c.Reweigh()
	}
	fair, floors := divide(c.Books, demand)
	for i := range c.Nodes {
		c.Nodes[i].FairShare = fair[i]
		c.Nodes[i].Floor = floors[i]
	}
}

// boundedDemand is what the applications of each tenant ask for in full, by band,
// then node, up to what the tenant may use.
func (c *Case) boundedDemand() [][]Vector {
	demand := make([][]Vector, len(c.demanded))
	for b := range demand {
		demand[b] = slices.Clone(c.demanded[b])
	}
	for i, n := range c.Nodes {
		if n.borrow == nil || n.Tenant == nil {
			continue
		}
		sum := c.Zero()
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
