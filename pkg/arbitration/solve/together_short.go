package solve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// GangShort is how domains lack room for a gang.
type GangShort struct {
	Over string // what a domain is called
	In   string // the only domain that comes into question, "": any
	Has  []Room // of each domain, by name, what it lacks first
	More int    // domains that are not listed, and have no more
}

// Room is what a domain has of what it lacks.
type Room struct {
	Domain   string
	Resource int
	Free     int64
}

// lacking says what each domain of a pool lacks for the gang of an application. Of many it lists those that have most.
func (q *Pool) lacking(pool int, app *App, g *gang) Shortage {
	all := q.roomiest(app, g.amount)
	lack := &GangShort{Over: g.over, More: max(0, len(all)-mostDomains)}
	short := Shortage{Pool: pool, Resource: q.mostOf(g.amount), Gang: lack}
	for _, d := range all[:len(all)-lack.More] {
		r := q.lacks(d, app, g.amount, short.Resource)
		lack.Has = append(lack.Has, Room{d.name, r, max(0, q.freeIn(d, app, r))})
	}
	if len(lack.Has) > 0 {
		short.Resource = lack.Has[0].Resource
		short.Free = lack.Has[0].Free
	}
	short.Asked = g.amount[short.Resource]
	slices.SortFunc(lack.Has, func(x, y Room) int { return strings.Compare(x.Domain, y.Domain) })
	return short
}

// lacks is a resource of which a domain has less for an application than an amount: the given one, if it is one of these.
func (q *Pool) lacks(d *domain, app *App, amount Vector, first int) int {
	if amount[first] > q.freeIn(d, app, first) {
		return first
	}
	for r, n := range amount {
		if n > q.freeIn(d, app, r) {
			return r
		}
	}
	return first
}

// gangSentence describes how domains lack room for a gang: "needs one rack for all, and no rack of pool batch has 8
// nvidia.com/gpu free: r1 has 4, r2 has 6".
func (s Shortage) gangSentence(b *Books) string {
	lack, pool := s.Gang, b.Pools[s.Pool].Name
	n := model.FormatAmounts(b.Names[s.Resource], s.Asked, max(0, s.Free))
	if lack.In != "" {
		return fmt.Sprintf("needs %s %s in %s %s of pool %s, where %s is free", n[0], b.Names[s.Resource], lack.Over, lack.In, pool, n[1])
	}
	if len(lack.Has) == 0 {
		return fmt.Sprintf("needs one %s for all, and pool %s has none", lack.Over, pool)
	}
	alike := !slices.ContainsFunc(lack.Has, func(h Room) bool { return h.Resource != s.Resource })
	has := make([]string, len(lack.Has))
	for i, h := range lack.Has {
		if has[i] = h.Domain + " has " + b.Amount(h.Resource, h.Free); !alike {
			has[i] += " " + b.Names[h.Resource]
		}
	}
	if lack.More > 0 {
		has = append(has, fmt.Sprintf("%d others have no more", lack.More))
	}
	what := "room for all"
	if alike {
		what = n[0] + " " + b.Names[s.Resource] + " free"
	}
	return fmt.Sprintf("needs one %s for all, and no %s of pool %s has %s: %s", lack.Over, lack.Over, pool, what, strings.Join(has, ", "))
}
