package offline

import (
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// mostUnreclaimable is how many guarantees a note lists.
const mostUnreclaimable = 8

// Unreclaimable returns notes about guarantees that are never taken back from other tenants,
// because the preemption in force for those that are guaranteed them forbids it: one for each
// policy that decides this, with the places of both. The policy of those that hold the capacity
// does not count, as for arbitration.
func Unreclaimable(fleet *model.Fleet) (notes []string) {
	if fleet.Platform == nil {
		return nil
	}
	type decider struct{ value, layer, at string }
	var deciders []decider
	guarantees := map[decider][]string{}
	add := func(who, at string, members []*model.Tenant) {
		if len(members) == 0 || len(members) == len(fleet.Tenants)+len(fleet.UnusableTenants) {
			return // nobody asks for it, or nobody else could hold it
		}
		if slices.ContainsFunc(members, reclaims) {
			return
		}
		d := decider{value: string(members[0].Policy.Preemption)}
		if by, ok := model.Find(members[0].InForce, "preemption"); ok { // a tenant kept from the ledger does not tell who set it
			d = decider{by.Value, by.Layer, by.At}
		}
		if !slices.Contains(deciders, d) {
			deciders = append(deciders, d)
		}
		if at != "" {
			who += " (" + at + ")"
		}
		guarantees[d] = append(guarantees[d], who)
	}
	for _, g := range fleet.Platform.Groups {
		if lends(g.Guarantee, g.Lend) {
			add(fmt.Sprintf("group %s %v", g.Name, g.Guarantee), fleet.Platform.At["groups."+g.Name+".guarantee"], membersOf(fleet, g.Name))
		}
	}
	for i := range fleet.Tenants {
		if t := &fleet.Tenants[i]; lends(t.Guarantee, t.Lend) {
			add(fmt.Sprintf("tenant %s %v", t.Name, t.Guarantee), t.At["guarantee"], []*model.Tenant{t})
		}
	}
	for _, d := range deciders {
		who := d.value
		switch {
		case d.at != "":
			who += " (" + d.at + ")"
		case d.layer == "schema":
			who += " (the default)"
		}
		notes = append(notes, fmt.Sprintf("preemption is %s, so these guarantees are never taken back from other tenants that hold the capacity: %s",
			who, text.Enumerate(guarantees[d], mostUnreclaimable)))
	}
	return notes
}

// reclaims reports whether applications of a tenant may take from other tenants. Its policy is
// never wider than that of the platform, so it alone decides.
func reclaims(t *model.Tenant) bool {
	return t.Policy.Preemption == model.PreemptionReclaim || t.Policy.Preemption == model.PreemptionAny
}

// lends reports whether others may use some of a guarantee.
func lends(guarantee model.Resources, lend *model.Resources) bool {
	return !guarantee.IsZero() && (lend == nil || !lend.IsZero())
}

// membersOf returns the tenants of a group and of the groups in it.
func membersOf(fleet *model.Fleet, group string) (members []*model.Tenant) {
	for _, g := range fleet.Platform.Groups {
		if g.Parent == group {
			members = append(members, membersOf(fleet, g.Name)...)
		}
		if g.Name != group {
			continue
		}
		for _, name := range g.Tenants {
			if t, ok := model.Find(fleet.Tenants, name); ok {
				members = append(members, t)
			}
		}
	}
	return members
}
