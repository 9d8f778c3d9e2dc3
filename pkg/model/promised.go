package model

// Promised is the sum of all guarantees and reservations: the guarantees of the groups
// and tenants at the top of the tree, and the reservations of the platform. Those for
// systems are not in it, because they are of each node, and those of tenants are parts of
// their guarantees.
func Promised(p *Platform, tenants []Tenant) (sum Resources) {
	if p == nil {
		return sum
	}
	group := map[string]string{} // of a tenant
	for i := range p.Groups {
		for _, name := range p.Groups[i].Tenants {
			group[name] = p.Groups[i].Name
		}
	}
	members := map[string]Resources{} // what the members of a group are guaranteed, "" at the top
	for i := range tenants {
		of := group[tenants[i].Name]
		members[of] = members[of].Add(tenants[i].Guarantee)
	}
	var floor func(g *Group) Resources
	below := func(parent string) (sum Resources) {
		for i := range p.Groups {
			if g := &p.Groups[i]; g.Parent == parent {
				sum = sum.Add(floor(g))
			}
		}
		return sum.Add(members[parent])
	}
	floor = func(g *Group) Resources {
		if !g.Guarantee.IsZero() {
			return g.Guarantee
		}
		return below(g.Name)
	}
	sum = below("")
	for _, r := range p.Reservations {
		if r.System == "" {
			sum = sum.Add(r.Amount)
		}
	}
	return sum
}
