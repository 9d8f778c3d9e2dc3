package follow

import (
	"maps"
	"slices"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// gates sends applications through the gate again for which the answer may differ:
// those that were rebuilt, where there are quotas also all that share them, and
// when capacity has grown all that were refused.
func (f *following) gates() {
	shared := map[int]bool{}
	for t := range f.dirty {
		if d := f.QuotaOver(t); d > 0 {
			shared[d] = true
		}
	}
	again := f.rebuilt
	if f.edits.capacity != "" {
		for _, c := range f.Apps {
			if f.stale[c] || c.Verdict != model.Rejected && c.Refused == nil {
				continue
			}
			again = append(again, c)
			if d := f.QuotaOver(c.Tenant); d > 0 {
				shared[d] = true
			}
		}
	}
	slices.SortFunc(again, solve.FirstCome)
	for _, c := range again {
		if f.QuotaOver(c.Tenant) == 0 {
			f.gateAgain(c)
		}
	}
	for _, d := range slices.Sorted(maps.Keys(shared)) {
		f.recount(d)
	}
}

// recount counts anew what is declared at and below a node.
func (f *following) recount(top int) {
	var all []*solve.App
	for i := top; i < len(f.Nodes); i++ {
		if f.Above(top, i) {
			f.ResetCount(i)
			all = append(all, f.Members[i]...)
		}
	}
	slices.SortFunc(all, solve.FirstCome)
	for _, c := range all {
		if c.Incumbent() && c.Spec != nil {
			f.Count(c.Tenant, c.Spec, c.Levels[0].Total, 1)
		}
	}
	for _, c := range all {
		f.gateAgain(c)
	}
}

// gateAgain sends an application through the gate as if for the first time, and
// notes what that changes.
func (f *following) gateAgain(c *solve.App) {
	if c.Wanted == nil {
		f.PassGate(c)
		return
	}
	verdict, reason, refused, levels := c.Verdict, c.Reason, c.Refused, c.Levels
	c.Findings, c.Message = nil, ""
	if c.Incumbent() {
		c.Refused, c.Update = nil, nil
	} else {
		c.Levels = nil
	}
	f.PassGate(c)
	if verdict != c.Verdict || reason != c.Reason || !sameRefusal(refused, c.Refused) {
		f.markStale(c)
		f.dirty[c.Tenant] = true
	}
	if c.Verdict == model.Rejected {
		c.Standing, c.Short, c.Position = nil, nil, 0
	} else if levels != nil && !c.Incumbent() {
		c.Levels = levels
	}
}

func sameRefusal(x, y *model.Refusal) bool { return x == y || x != nil && y != nil && *x == *y }
