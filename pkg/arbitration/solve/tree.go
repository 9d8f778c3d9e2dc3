package solve

import (
	"cmp"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Node is a tenant or a group of tenants in the tree in which capacity is shared.
// The root is node 0.
type Node struct {
	Name     string
	Tenant   *model.Tenant // nil for groups
	group    *model.Group  // nil for tenants and the root
	Parent   int           // -1 at the root
	children []int         // by name, groups before tenants
	Terms
	Usage
	Floor     Vector // the guarantee that holds, with its part of those of its groups: less than declared when capacity fell short of all guarantees
	FairShare Share  // see divide
	Had       Share  // of all capacity, when this arbitration began to allot
	pools     []poolQuota
	Stood
}

// Terms are what is declared of a node's part of the capacity.
type Terms struct {
	Weight    int64 // that counts: the declared one, or what past use makes of it
	Guarantee Vector
	borrow    Vector // most that it may use beyond its guarantee, nil: no limit
	lend      Vector // most of its unused guarantee that others may use, nil: all
	quota     Vector // of what its applications declare, nil: none
	Scaling
}

// Usage is what applications at and below a node take.
type Usage struct {
	Used                    Vector // granted
	declared                Vector // in full, by everything that passed the gate
	withheld                Vector // of its guarantee and of those below it, unused and not lent
	applications, workloads int    // that passed the gate
}

// Tree is the tree of groups and tenants, parents before children.
type Tree struct {
	Nodes   []*Node
	Tenants map[string]int
	lending bool // a node withholds some of its guarantee
	limited bool // a node has a limit of what it may borrow or lend

	HalfLife   time.Duration // of past use, 0: weights do not follow it
	unweighted []Share       // by node, fair shares without past use, nil: weights do not follow it
}

// buildTree makes the tree. A node whose parent does not exist hangs from the root;
// the schema refuses such a parent.
func (b *Books) buildTree(fleet *model.Fleet) {
	b.Tenants, b.HalfLife = map[string]int{}, halfLife(fleet.Platform)
	b.Nodes = []*Node{{Parent: -1, Terms: Terms{Weight: 1, Guarantee: b.Zero(), Scaling: Scaling{Declared: 1}}}}
	groups := slices.Clone(fleet.Platform.Groups)
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
			place[g.Name] = b.addNode(Node{Name: g.Name, group: g, Parent: parent,
				Terms: b.terms(g.Weight, g.Guarantee, g.Borrow, g.Lend, g.Quota), pools: b.quotas(g.PoolQuotas)})
			placed = true
		}
	}
	home := map[string]int{}
	for i := range groups {
		for _, t := range groups[i].Tenants {
			home[t] = place[groups[i].Name]
		}
	}
	tenants := make([]*model.Tenant, len(fleet.Tenants))
	for i := range fleet.Tenants {
		tenants[i] = &fleet.Tenants[i]
	}
	slices.SortFunc(tenants, func(x, y *model.Tenant) int { return cmp.Compare(x.Name, y.Name) })
	for _, t := range tenants {
		b.Tenants[t.Name] = b.addNode(Node{Name: t.Name, Tenant: t, Parent: home[t.Name],
			Terms: b.terms(t.Weight, t.Guarantee, t.Borrow, t.Lend, t.Quota), pools: b.quotas(t.PoolQuotas)})
	}
	for _, n := range b.Nodes {
		n.Used, n.declared, n.withheld = b.Zero(), b.Zero(), b.Zero()
		b.lending = b.lending || n.lend != nil
		b.limited = b.limited || n.lend != nil || n.borrow != nil
	}
	for i := len(b.Nodes) - 1; i >= 0; i-- {
		b.withhold(i)
	}
}

// heaviest bounds weights, so that sums of them do not overflow. The schema allows
// less.
const heaviest = 1 << 16

func (d *Dimensions) terms(weight int, guarantee model.Resources, borrow, lend, quota *model.Resources) Terms {
	declared := min(max(int64(weight), 0), heaviest)
	return Terms{declared, d.Of(guarantee), d.limit(borrow), d.limit(lend), d.limit(quota), Scaling{Declared: declared}}
}

func (t *Tree) addNode(n Node) int {
	t.Nodes = append(t.Nodes, &n)
	i := len(t.Nodes) - 1
	t.Nodes[n.Parent].children = append(t.Nodes[n.Parent].children, i)
	return i
}

// tenantNode returns the node of a tenant. A tenant that is no longer declared gets
// a node without limits and weight: what is left of it is on its way out.
func (b *Books) tenantNode(name string) int {
	i, ok := b.Tenants[name]
	if !ok {
		i = b.addNode(Node{Name: name, Tenant: &model.Tenant{Name: name}, Parent: 0,
			Floor: b.Zero(),
			Terms: Terms{Guarantee: b.Zero()}, Usage: Usage{Used: b.Zero(), declared: b.Zero(), withheld: b.Zero()}})
		b.Tenants[name] = i
	}
	return i
}

// book adds what is granted to a tenant, or takes it away.
func (t *Tree) book(tenant int, amount Vector, sign int) {
	for i := tenant; i >= 0; i = t.Nodes[i].Parent {
		t.Nodes[i].Used.move(amount, sign)
		t.withhold(i)
	}
}

// withhold recounts how much of the guarantees at and below a node others may not
// use although it is free: what is guaranteed, not used and not lent.
func (t *Tree) withhold(i int) {
	n := t.Nodes[i]
	if !t.lending {
		return
	}
	for r := range n.withheld {
		var below int64
		for _, c := range n.children {
			below += t.Nodes[c].withheld[r]
		}
		var own int64
		if n.lend != nil {
			own = n.Guarantee[r] - n.Used[r] - n.lend[r]
		}
		n.withheld[r] = max(below, own, 0)
	}
}

// Count adds what a spec declares in full to its tenant and the groups above, or
// takes it away, so that quota does not move with capacity.
func (t *Tree) Count(tenant int, spec *model.Application, full Vector, sign int) {
	for i := tenant; i >= 0; i = t.Nodes[i].Parent {
		n := t.Nodes[i]
		n.applications += sign
		n.workloads += sign * workloads(spec)
		n.declared.move(full, sign)
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

// unlent is what the nodes at and below i withhold from a tenant when they use
// nothing.
func (t *Tree) unlent(i, tenant, r int) int64 {
	var below int64
	for _, child := range t.Nodes[i].children {
		below += t.unlent(child, tenant, r)
	}
	n := t.Nodes[i]
	if n.lend == nil || t.Above(i, tenant) {
		return below
	}
	return max(below, n.Guarantee[r]-n.lend[r])
}

// Above reports whether node i is the tenant or a group that it is in.
func (t *Tree) Above(i, tenant int) bool {
	for ; tenant >= 0; tenant = t.Nodes[tenant].Parent {
		if tenant == i {
			return true
		}
	}
	return false
}

// QuotaOver is the highest node at or above a tenant that has a quota or counts
// applications, 0 if none does.
func (t *Tree) QuotaOver(tenant int) (top int) {
	for i := tenant; i > 0; i = t.Nodes[i].Parent {
		n := t.Nodes[i]
		if n.quota != nil || n.Tenant != nil && (n.Tenant.MaxApplications > 0 || n.Tenant.MaxWorkloads > 0) {
			top = i
		}
	}
	return top
}

// Top is the node just below the root that a node is in.
func (t *Tree) Top(i int) int {
	for t.Nodes[i].Parent > 0 {
		i = t.Nodes[i].Parent
	}
	return i
}

// ResetCount forgets what was counted as declared at a node.
func (t *Tree) ResetCount(node int) {
	n := t.Nodes[node]
	n.applications, n.workloads = 0, 0
	n.declared = make(Vector, len(n.declared))
}

// CountedOf lists what is declared and used of what limits a node, nil: it has no limit.
func (t *Tree) CountedOf(i int) (limits []Vector) {
	n := t.Nodes[i]
	if n.quota != nil || n.Tenant != nil && (n.Tenant.MaxApplications > 0 || n.Tenant.MaxWorkloads > 0) {
		limits = append(limits, n.declared, Vector{int64(n.applications), int64(n.workloads)})
	}
	for k := range n.pools {
		limits = append(limits, n.pools[k].used)
	}
	if t.limited {
		limits = append(limits, n.Used, n.withheld)
	}
	return limits
}
