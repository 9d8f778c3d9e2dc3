package reconcile

import (
	"context"
	"fmt"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// preview returns sentences about the objects that a ledger would have in the cluster once
// everything granted runs, and that others made.
func (d *declared) preview(ctx context.Context, ledger *model.Ledger) ([]string, error) {
	if d.o.Preview == nil || ledger.Platform == nil {
		return nil, nil
	}
	var sets []render.Set
	tenants, held := map[string]*model.Tenant{}, ledger.WithObjects()
	add := func(t task) error {
		set, err := d.render(&t, ledger.Platform)
		if err != nil {
			return fmt.Errorf("render %s: %w", t.id, err)
		}
		sets = append(sets, set)
		return nil
	}
	for i := range ledger.Tenants {
		t := &ledger.Tenants[i]
		tenants[t.Name] = t
		if err := add(task{id: model.AppID{Tenant: t.Name}, tenant: t, shares: held[t.Name]}); err != nil {
			return nil, err
		}
	}
	for i := range ledger.Instances {
		inst := &ledger.Instances[i]
		if !inst.Phase.Active() || inst.SpecUnknown() || !d.vouches(inst) {
			continue
		}
		if err := add(task{id: inst.App, tenant: tenants[inst.App.Tenant], instance: inst.Started()}); err != nil {
			return nil, err
		}
	}
	return d.o.Preview(ctx, sets)
}
