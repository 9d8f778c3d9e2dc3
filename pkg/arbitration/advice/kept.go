package advice

import "github.com/d-aros/d-aros/pkg/model"

// kept knows the tenants whose decisions have the advice that the ledger has, so that a pass gives advice again to those only that it concerns.
type kept struct {
	tenants map[int]bool // by node

	decisions []model.Decision // of the ledger of the last pass
	revisions []model.Revision // of these: lists of decisions are too large to be read in every pass
	ledger    model.Revision
}

// Touch makes the next pass look at a tenant: the decisions on its applications may be otherwise.
func (a *Advisor) Touch(tenant int) { delete(a.kept.tenants, tenant) }

// compare touches the tenants of decisions that the ledgers of this pass and the last do not both have.
func (a *Advisor) compare() {
	q := &a.kept
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
