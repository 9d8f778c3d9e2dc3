package solve

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/model"
)

// checkTogether checks that what has to stand in one domain fits, at the least, into one that is empty.
func checkTogether(g gate, app *App, spec *model.Application, levels []Level) (found []Finding) {
	gang := levels[len(levels)-1].gang
	if gang == nil || !gang.required || gang.amount.isNothing() {
		return nil
	}
	pools := []int{gang.pool}
	if gang.pool < 0 {
		pools = g.Choices(app, spec)
	}
	for _, at := range pools {
		q := g.Pools[at]
		r, largest := q.largestDomain(gang.amount)
		if r < 0 {
			return nil
		}
		if found != nil {
			continue
		}
		name := g.Names[r]
		f := Finding{Name: "components." + gang.members[0] + ".placement.together." + name, Resource: name, Asked: gang.amount[r], Limit: largest,
			At: spec.At["components."+gang.members[0]+".placement.together"], Reason: model.ReasonDomainTooSmall}
		amounts := model.FormatAmounts(name, f.Asked, f.Limit)
		f.Text[2] = fmt.Sprintf("stands in one %s with %s %s at the least, the largest %s of pool %s has %s", gang.over, amounts[0], name, gang.over, q.Name, amounts[1])
		if len(q.Domains) == 0 {
			f.Text[2] = fmt.Sprintf("stands in one %s, and no node of pool %s names its %s in the label %s", gang.over, q.Name, gang.over, q.spec.TopologyKey)
		}
		found = []Finding{f}
	}
	return found
}

// largestDomain is the resource of which an amount is more than any domain of the pool has, and how much the one has that
// comes nearest; -1 if one of them has enough of all.
func (q *Pool) largestDomain(amount Vector) (resource int, has int64) {
	resource = q.mostOf(amount)
	var nearest *domain
	for _, d := range q.domains {
		switch {
		case d.gone:
			continue
		case d.nodes == 0 || amount.Fits(d.capacity):
			return -1, 0
		case nearest == nil || d.capacity[resource] > nearest.capacity[resource]:
			nearest = d
		}
	}
	if nearest == nil {
		return resource, 0
	}
	for r, n := range amount {
		if n > nearest.capacity[r] {
			return r, nearest.capacity[r]
		}
	}
	return resource, 0
}
