package explain

import (
	"cmp"
	"slices"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// competitors is how many holders of what is short a decision names.
const competitors = 3

// nameAhead names the applications that hold most of what is short, with the shares
// of their tenants.
func (w *Writer) nameAhead(d *model.Decision, app *solve.App) {
	if len(app.Short) == 0 || app.Short[0].Pool < 0 || app.Short[0].Resource < 0 {
		return
	}
	pool, resource := app.Short[0].Pool, app.Short[0].Resource
	for _, other := range w.holding(pool, resource) {
		if other == app || len(d.BlockedBy) == competitors {
			continue
		}
		n := w.Nodes[other.Tenant]
		d.BlockedBy = append(d.BlockedBy, other.ID)
		d.Ahead = append(d.Ahead, model.Competitor{
			App: other.ID, Holds: w.Amount(resource, solve.HeldOf(other.Taken, pool, resource)) + " " + w.Names[resource],
			Standing: recordedClass[other.Base().Class], Share: thousandths(n.Used.Dominant(w.Total)), FairShare: thousandths(n.FairShare),
		})
	}
}

// holding lists the applications that hold most of a resource of a pool, one more
// than a decision names.
func (w *Writer) holding(pool, resource int) []*solve.App {
	key := [2]int{pool, resource}
	if list, ok := w.holders[key]; ok {
		return list
	}
	more := func(x, y *solve.App) int {
		return cmp.Or(cmp.Compare(solve.HeldOf(y.Taken, pool, resource), solve.HeldOf(x.Taken, pool, resource)), x.ID.Compare(y.ID))
	}
	list := make([]*solve.App, 0, competitors+2)
	add := func(app *solve.App) {
		full := len(list) > competitors
		if !app.Granted() || solve.HeldOf(app.Taken, pool, resource) == 0 || full && more(app, list[competitors]) > 0 {
			return
		}
		n, _ := slices.BinarySearchFunc(list, app, more)
		list = slices.Insert(list, n, app)
		list = list[:min(len(list), competitors+1)]
	}
	for _, app := range w.Running {
		add(app)
	}
	for _, app := range w.Changed {
		if !app.Incumbent() {
			add(app)
		}
	}
	w.holders[key] = list
	return list
}
