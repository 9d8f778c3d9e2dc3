package advice

import (
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// quiet knows the tenants whose applications need no look in the next pass: all of them are advised, the ledger has it, and
// nothing that their advice depends on is otherwise. So a pass looks at as many applications as it concerns.
type quiet struct {
	settled map[int]settled // by node of a tenant
	kept    map[int]bool    // by node of a tenant: its decisions have the advice that the ledger has

	pass  int
	pools state            // what is free, and whether something moves
	nodes []state          // what tenants and groups have and may have
	wide  map[string]state // digests of what concerns all tenants, as they were last asked for

	decisions []model.Decision // of the ledger of the last pass
	revisions []model.Revision // of these: lists of decisions are too large to be read in every pass
	ledger    model.Revision
	at        time.Time
}

// settled says when a tenant was found to need no look, which digests the advice for its applications depends on, and until when it
// is true.
type settled struct {
	pass  int
	wide  []string
	until time.Time // zero: for ever
}

// state is what is so since a pass.
type state struct {
	is     solve.Vector
	digest string
	since  int
}

// as returns the state of a pass, given the one before.
func (s state) as(is solve.Vector, digest string, pass int) state {
	if s.since > 0 && s.digest == digest && slices.Equal(s.is, is) {
		return s
	}
	return state{slices.Clone(is), digest, pass}
}

// span is where the applications of a tenant stand in the list of all.
type span struct{ tenant, from, to int }

// Touch makes the next pass look at a tenant: what its applications ask for, have, or how they stand may be otherwise.
func (a *Advisor) Touch(tenant int) {
	delete(a.quiet.settled, tenant)
	a.quiet.kept[tenant] = false
}

// note notes what is free, and what tenants and groups have and may have, in a pass that looks at applications.
func (a *Advisor) note() {
	q := &a.quiet
	q.pass++
	q.pools = q.pools.as(a.offers(), "", q.pass)
	q.nodes = slices.Grow(q.nodes, len(a.Nodes))[:len(a.Nodes)]
	var has solve.Vector
	for i, n := range a.Nodes {
		has = append(append(append(has[:0], n.Used...), n.Floor...), int64(n.FairShare))
		for _, v := range a.CountedOf(i) {
			has = append(has, v...)
		}
		q.nodes[i] = q.nodes[i].as(has, "", q.pass)
	}
}

// release touches the tenants of which something that runs was protected or held down until now, and those of which something
// waits that might have passed a promised start at the time of the last pass, and would end too late now.
func (a *Advisor) release() {
	passed := func(end time.Time) bool { return a.quiet.at.Before(end) && !a.Now.Before(end) }
	for _, app := range a.Running {
		if passed(a.ProtectedUntil(app)) || app.Level > 0 && passed(a.RestoredFrom(app)) {
			a.Touch(app.Tenant)
		}
	}
	if len(a.basis.promised()) > 0 {
		for _, app := range a.Apps {
			if takes := app.Ending.Lasts; takes > 0 && a.basis.startBefore(a.quiet.at.Add(takes)) != a.basis.startBefore(a.Now.Add(takes)) {
				a.Touch(app.Tenant)
			}
		}
	}
	a.quiet.at = a.Now
}

// compare touches the tenants of decisions that the ledgers of this pass and the last do not both have.
func (a *Advisor) compare() {
	q := &a.quiet
	if q.ledger.Is(a.Ledger.Revision) {
		return
	}
	touch := func(d *model.Decision) {
		if node, ok := a.Tenants[d.App.Tenant]; ok {
			a.Touch(node)
		}
	}
	old, now := 0, a.Ledger.Decisions
	revisions := make([]model.Revision, len(now))
	for i := range now {
		d := &now[i]
		revisions[i] = d.Revision
		if old < len(q.revisions) && q.revisions[old].Is(d.Revision) { // nearly always
			old++
			continue
		}
		for old < len(q.decisions) && q.decisions[old].App.Compare(d.App) < 0 {
			touch(&q.decisions[old])
			old++
		}
		if old < len(q.decisions) && q.decisions[old].App == d.App {
			if was := &q.decisions[old]; !was.RulesAs(d) || !was.SameAdvice(d) {
				touch(d)
			}
			old++
			continue
		}
		touch(d)
	}
	for ; old < len(q.decisions); old++ {
		touch(&q.decisions[old])
	}
	q.decisions, q.revisions, q.ledger = now, revisions, a.Ledger.Revision
}

// quietly reports whether a tenant needs no look.
func (a *Advisor) quietly(tenant int) bool {
	q := &a.quiet
	was, ok := q.settled[tenant]
	if !ok || q.pools.since > was.pass || !was.until.IsZero() && a.Now.After(was.until) {
		return false
	}
	for i := tenant; i >= 0; i = a.Nodes[i].Parent {
		if q.nodes[i].since > was.pass {
			return false
		}
	}
	return !slices.ContainsFunc(was.wide, func(name string) bool { return a.since(name) > was.pass })
}

// since is since which pass a part that concerns all tenants is as it is.
func (a *Advisor) since(name string) int {
	now := a.quiet.wide[name].as(nil, a.basis.ofAll(name), a.quiet.pass)
	a.quiet.wide[name] = now
	return now.since
}

// settle notes that a tenant needs no look any more, if the ledger has all its decisions and their advice.
func (a *Advisor) settle(s span, decisions []model.Decision) {
	var wide []string
	var end time.Time
	for i := s.from; i < s.to; i++ {
		d := &decisions[i]
		if old, ok := a.Ledger.Decision(d.App); !ok || !old.SameAdvice(d) {
			return
		}
		if d.Advised == nil {
			continue
		}
		if at := until(d.Advised.On); !at.IsZero() && (end.IsZero() || at.Before(end)) {
			end = at
		}
		for _, part := range d.Advised.On {
			if slices.Contains([]string{othersHold, othersAsk, othersStart}, part.Name) && !slices.Contains(wide, part.Name) {
				wide = append(wide, part.Name)
			}
		}
	}
	for _, name := range wide {
		a.since(name)
	}
	a.quiet.settled[s.tenant] = settled{a.quiet.pass, wide, end}
}

// offers lists how much pools have and how much of it is free, and whether something moves.
func (a *Advisor) offers() (all solve.Vector) {
	for _, q := range a.Pools {
		for _, v := range append(q.Withheld(), q.Offered, q.Used) {
			all = append(all, v...)
		}
		q.InDomains(func(_ string, taken solve.Vector) { all = append(all, taken...) })
	}
	if a.rests {
		return append(all, 1)
	}
	return all
}
