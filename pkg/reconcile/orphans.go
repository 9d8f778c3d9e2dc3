package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/turn"
)

// orphans are the inventories in the cluster that no record of a ledger knows. They are
// looked for again when an inventory or the ledger changes.
type orphans struct {
	inventories []model.Inventory
	changes     int            // to inventories, that are known
	ledger      model.Revision // that list is about
	list        []model.Inventory
}

// find returns the inventories of applications that the ledger has no record of. While a cluster
// has not answered yet, those that were recorded count, too.
func (o *orphans) find(ctx context.Context, anchor Anchor, ledger model.Ledger) ([]model.Inventory, error) {
	if anchor == nil {
		return ledger.Orphans, nil
	}
	found, changes, err := anchor.Inventories(ctx, o.changes)
	if errors.Is(err, runtime.ErrUnseen) {
		return turn.Orphans(joined(found, ledger.Orphans), &ledger), nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for orphans: %w", err)
	}
	if changes == o.changes && o.ledger.Is(ledger.Revision) {
		return o.list, nil
	}
	if changes != o.changes {
		o.inventories, o.changes = found, changes
	}
	o.ledger, o.list = ledger.Revision, turn.Orphans(o.inventories, &ledger)
	return o.list, nil
}

// joined returns the inventories of two lists, in order, each once.
func joined(found, recorded []model.Inventory) []model.Inventory {
	all := slices.Clone(found)
	for _, r := range recorded {
		same := func(f model.Inventory) bool { return f.App == r.App && f.Namespace == r.Namespace }
		if !slices.ContainsFunc(found, same) {
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(x, y model.Inventory) int { return x.App.Compare(y.App) })
	return all
}
