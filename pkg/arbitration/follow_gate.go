package arbitration

import (
	"maps"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// gates sends those through the gate again for which it may have another answer:
// cases made anew, where there are quotas also all that share them, and when
// capacity has grown all that were refused.
func (f *following) gates() {
	shared := map[int]bool{}
	for t := range f.dirty {
		if d := f.quotaOver(t); d > 0 {
			shared[d] = true
		}
	}
	again := f.fresh
	if f.edits.capacity != "" {
		for _, c := range f.claims {
			if c.stale || c.verdict != model.Rejected && c.refused == nil {
				continue
			}
			again = append(again, c)
			if d := f.quotaOver(c.tenant); d > 0 {
				shared[d] = true
			}
		}
	}
	slices.SortFunc(again, elders)
	for _, c := range again {
		if d := f.quotaOver(c.tenant); d <= 0 {
			f.pass(c)
		}
	}
	for _, d := range slices.Sorted(maps.Keys(shared)) {
		f.recount(d)
	}
}

// quotaOver is the highest node at or above a tenant that has a quota or counts
// applications, 0 if none does.
func (p *problem) quotaOver(tenant int) (top int) {
	for i := tenant; i > 0; i = p.nodes[i].parent {
		n := &p.nodes[i]
		if n.quota != nil || n.tenant != nil && (n.tenant.MaxApplications > 0 || n.tenant.MaxWorkloads > 0) {
			top = i
		}
	}
	return top
}

// recount counts anew what is declared at and below a node.
func (f *following) recount(top int) {
	var all []*claim
	for i := top; i < len(f.nodes); i++ {
		if !f.above(top, i) {
			continue
		}
		n := &f.nodes[i]
		n.applications, n.workloads, n.declared = 0, 0, f.zero()
		all = append(all, f.members[i]...)
	}
	slices.SortFunc(all, elders)
	for _, c := range all {
		if c.incumbent() && c.spec != nil {
			f.count(c, c.spec, c.ladder[0].total, 1)
		}
	}
	for _, c := range all {
		f.pass(c)
	}
}

// pass sends a case through the gate as if for the first time, and notes what
// that changes.
func (f *following) pass(c *claim) {
	p := f.problem
	if c.wanted == nil {
		p.pass(c)
		return
	}
	verdict, reason, refused, ladder := c.verdict, c.reason, c.refused, c.ladder
	c.findings, c.updateFindings, c.message = nil, nil, ""
	if c.incumbent() {
		c.refused, c.update = nil, nil
	} else {
		c.ladder = nil
	}
	p.pass(c)
	if verdict != c.verdict || reason != c.reason || !sameRefusal(refused, c.refused) {
		p.outdate(c)
		f.dirty[c.tenant] = true
	}
	if c.verdict == model.Rejected {
		c.standing, c.short, c.position = nil, nil, 0
	} else if ladder != nil && !c.incumbent() {
		c.ladder = ladder
	}
}

func sameRefusal(x, y *model.Refusal) bool { return x == y || x != nil && y != nil && *x == *y }
