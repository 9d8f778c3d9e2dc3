package arbitration

import (
	"cmp"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// node is a tenant or a group of them in the tree in which capacity is shared.
// The root is node 0.
type node struct {
	name     string
	tenant   *model.Tenant // nil for groups
	group    *model.Group  // nil for tenants and the root
	parent   int           // -1 at the root
	children []int         // by name, groups before tenants

	weight    int64
	guarantee vector
	borrow    vector // most that it may use beyond its guarantee, nil: no limit
	lend      vector // most of its unused guarantee that others may use, nil: all
	quota     vector // of what its applications declare, nil: none

	used     vector // granted
	declared vector // in full, by everything that passed the gate
	withheld vector // of its guarantee and of those below it, unused and not lent

	applications, workloads int // that passed the gate

	floor    vector // the guarantee that holds: less than declared when capacity fell short of all guarantees
	entitled share  // see entitle
	steady   span   // entitlements with which everything of the tenant would stand as it does
}

// buildTree makes the tree of groups and tenants, parents before children. What
// names a parent that does not exist hangs from the root; the schema refuses it.
func (p *problem) buildTree() {
	p.nodes = []node{{name: "", parent: -1, weight: 1}}
	groups := slices.Clone(p.platform.Groups)
	slices.SortFunc(groups, func(x, y model.Group) int { return cmp.Compare(x.Name, y.Name) })
	place := map[string]int{"": 0}
	for placed := true; placed && len(place) <= len(groups); {
		placed = false
		for i := range groups {
			g := &groups[i]
			parent, ok := place[g.Parent]
			if _, done := place[g.Name]; done || !ok {
				continue
			}
			place[g.Name] = p.addNode(node{name: g.Name, group: g, parent: parent, weight: int64(g.Weight),
				guarantee: p.of(g.Guarantee), borrow: p.limit(g.Borrow), lend: p.limit(g.Lend), quota: p.limit(g.Quota)})
			placed = true
		}
	}
	home := map[string]int{}
	for i := range groups {
		for _, t := range groups[i].Tenants {
			home[t] = place[groups[i].Name]
		}
	}
	tenants := make([]*model.Tenant, len(p.fleet.Tenants))
	for i := range p.fleet.Tenants {
		tenants[i] = &p.fleet.Tenants[i]
	}
	slices.SortFunc(tenants, func(x, y *model.Tenant) int { return cmp.Compare(x.Name, y.Name) })
	for _, t := range tenants {
		p.tenants[t.Name] = p.addNode(node{name: t.Name, tenant: t, parent: home[t.Name], weight: int64(t.Weight),
			guarantee: p.of(t.Guarantee), borrow: p.limit(t.Borrow), lend: p.limit(t.Lend), quota: p.limit(t.Quota)})
	}
	for i := range p.nodes {
		n := &p.nodes[i]
		if n.guarantee == nil {
			n.guarantee = p.zero()
		}
		n.used, n.declared, n.withheld = p.zero(), p.zero(), p.zero()
		p.lending = p.lending || n.lend != nil
		p.limited = p.limited || n.lend != nil || n.borrow != nil
	}
	for i := len(p.nodes) - 1; i >= 0; i-- {
		p.withhold(i)
	}
}

// heaviest bounds weights, so that sums of them do not overflow. The schema allows
// less.
const heaviest = 1 << 16

func (p *problem) addNode(n node) int {
	n.weight = min(max(n.weight, 0), heaviest)
	p.nodes = append(p.nodes, n)
	i := len(p.nodes) - 1
	p.nodes[n.parent].children = append(p.nodes[n.parent].children, i)
	return i
}

// tenant returns the node of a tenant. One that is no longer declared has no
// limits and no weight; what is left of it is on its way out.
func (p *problem) tenant(name string) int {
	i, ok := p.tenants[name]
	if !ok {
		i = p.addNode(node{name: name, tenant: &model.Tenant{Name: name}, parent: 0,
			guarantee: p.zero(), floor: p.zero(), used: p.zero(), declared: p.zero(), withheld: p.zero()})
		p.tenants[name] = i
	}
	return i
}

// book adds what is granted to a tenant, or takes it away.
func (p *problem) book(tenant int, amount vector, sign int) {
	for i := tenant; i >= 0; i = p.nodes[i].parent {
		if sign > 0 {
			p.nodes[i].used.add(amount)
		} else {
			p.nodes[i].used.sub(amount)
		}
		p.withhold(i)
	}
}

// withhold counts how much of the guarantees at and below a node nobody else may
// use although it is free: what is guaranteed, not used and not lent.
func (p *problem) withhold(i int) {
	n := &p.nodes[i]
	if !p.lending {
		return
	}
	for r := range n.withheld {
		var below int64
		for _, c := range n.children {
			below += p.nodes[c].withheld[r]
		}
		var own int64
		if n.lend != nil {
			own = n.guarantee[r] - n.used[r] - n.lend[r]
		}
		n.withheld[r] = max(below, own, 0)
	}
}

// limits checks the law of the tree for amount more in a tenant: no node uses
// more than its guarantee and what it may borrow, and all together leave free
// what is guaranteed and not lent. It returns what stands in the way. Kept is
// what the application holds anyway.
func (p *problem) limits(tenant int, amount, kept vector) (short []shortage) {
	for i := tenant; i > 0; i = p.nodes[i].parent {
		n := &p.nodes[i]
		if n.borrow == nil {
			continue
		}
		for r, asked := range amount {
			if free := n.guarantee[r] + n.borrow[r] - n.used[r]; asked > max(free, kept[r]) {
				short = append(short, shortage{pool: -1, node: i, resource: r, asked: asked, free: free})
			}
		}
	}
	if !p.lending {
		return short
	}
	p.book(tenant, amount, 1)
	root := &p.nodes[0]
	for r, asked := range amount {
		free := p.total[r] - root.used[r] - root.withheld[r] + asked
		if asked > kept[r] && asked > free {
			short = append(short, shortage{pool: -1, node: 0, resource: r, asked: asked, free: free})
		}
	}
	p.book(tenant, amount, -1)
	return short
}
