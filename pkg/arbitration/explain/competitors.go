package explain

import (
	"cmp"
	"slices"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// competitors is how many of those that hold what is short a decision names.
const competitors = 3

// nameAhead names who holds most of what is short, with the shares of their tenants.
func (w *Writer) nameAhead(d *model.Decision, c *solve.App) {
	if len(c.Short) == 0 || c.Short[0].Pool < 0 || c.Short[0].Resource < 0 {
		return
	}
	pool, resource := c.Short[0].Pool, c.Short[0].Resource
	for _, other := range w.holding(pool, resource) {
		if other == c || len(d.BlockedBy) == competitors {
			continue
		}
		n := &w.Nodes[other.Tenant]
		d.BlockedBy = append(d.BlockedBy, other.ID)
		d.Ahead = append(d.Ahead, model.Competitor{
			App: other.ID, Holds: w.Amount(resource, solve.HeldOf(other.Taken, pool, resource)) + " " + w.Names[resource],
			Standing: recordedClass[other.Base().Class], Share: thousandths(n.Used.Dominant(w.Total)), Entitled: thousandths(n.FairShare),
		})
	}
}

// holding lists those that hold most of a resource of a pool, one more than are named.
func (w *Writer) holding(pool, resource int) []*solve.App {
	key := [2]int{pool, resource}
	if list, ok := w.holders[key]; ok {
		return list
	}
	more := func(x, y *solve.App) int {
		return cmp.Or(cmp.Compare(solve.HeldOf(y.Taken, pool, resource), solve.HeldOf(x.Taken, pool, resource)), x.ID.Compare(y.ID))
	}
	list := make([]*solve.App, 0, competitors+2)
	add := func(c *solve.App) {
		full := len(list) > competitors
		if !c.Granted() || solve.HeldOf(c.Taken, pool, resource) == 0 || full && more(c, list[competitors]) > 0 {
			return
		}
		n, _ := slices.BinarySearchFunc(list, c, more)
		list = slices.Insert(list, n, c)
		list = list[:min(len(list), competitors+1)]
	}
	for _, c := range w.Running {
		add(c)
	}
	for _, c := range w.Changed {
		if !c.Incumbent() {
			add(c)
		}
	}
	w.holders[key] = list
	return list
}
