package reconcile

import (
	"context"
	"fmt"

	"github.com/d-aros/d-aros/pkg/model"
)

// orphans are the inventories in the cluster that no record of a ledger knows. They are
// looked for again when an inventory or the ledger changes.
type orphans struct {
	inventories []model.Inventory
	changes     int            // to inventories, that are known
	ledger      model.Revision // that list is about
	list        []model.Inventory
}

// find returns the inventories of applications that the ledger has no record of.
// Nothing prunes their objects before a file confirms it: nobody knows who wanted them.
func (o *orphans) find(ctx context.Context, anchor Anchor, ledger model.Ledger) ([]model.Inventory, error) {
	if anchor == nil {
		return ledger.Orphans, nil
	}
	found, changes, err := anchor.Inventories(ctx, o.changes)
	if err != nil {
		return nil, fmt.Errorf("look for orphans: %w", err)
	}
	if changes == o.changes && o.ledger.Is(ledger.Revision) {
		return o.list, nil
	}
	if changes != o.changes {
		o.inventories, o.changes = found, changes
	}
	o.ledger, o.list = ledger.Revision, nil
	for i := range o.inventories {
		inv := &o.inventories[i]
		if _, known := ledger.Find(inv.App); known || ledger.DamagedOf(inv.App) != nil || !model.ValidName(inv.App.Tenant) || !model.ValidName(inv.App.Name) {
			continue
		}
		if n := len(o.list); n == 0 || o.list[n-1].App != inv.App { // it may have moved to another namespace
			o.list = append(o.list, *inv)
		}
	}
	return o.list, nil
}
