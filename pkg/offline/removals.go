package offline

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// noteRemovals notes what files that a change brings confirm beyond the applications that
// end: the removal of orphans, and nothing at all.
func noteRemovals(was, is access.Requests, ledger *model.Ledger, n *notes) {
	for _, id := range is.Removals {
		if slices.Contains(was.Removals, id) {
			continue
		}
		inst, known := ledger.Find(id.App)
		orphan := slices.IndexFunc(ledger.Orphans, func(o model.Inventory) bool { return o.ID() == id })
		switch {
		case orphan >= 0:
			n.add("the orphan %s goes, with %s; volumes stay", id, text.Count(ledger.Orphans[orphan].Objects, "object"))
		case !known || inst.Number != id.Number || !inst.Phase.Active():
			n.add("%s does not run, so the file in approvals/%s/%s that names it confirms nothing; \"reconciler confirm-removal\" names what runs", id, id.App.Tenant, model.RemovalsDir)
		}
	}
}
