package reconcile

import (
	"context"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
)

// preview returns sentences about the objects that a ledger would have in the cluster once
// everything granted runs, and that others made.
func (d *declared) preview(ctx context.Context, ledger *model.Ledger) ([]string, error) {
	if d.o.Preview == nil || ledger.Platform == nil {
		return nil, nil
	}
	var list []runtime.Assignment
	tenants, held := map[string]*model.Tenant{}, ledger.WithObjects()
	for i := range ledger.Tenants {
		t := &ledger.Tenants[i]
		tenants[t.Name] = t
		list = append(list, d.assign(runtime.Assignment{App: model.AppID{Tenant: t.Name}, Tenant: t, Shared: held[t.Name]}, ledger))
	}
	for i := range ledger.Instances {
		inst := &ledger.Instances[i]
		if !inst.Phase.Active() || inst.SpecUnknown() || !d.vouches(inst) {
			continue
		}
		list = append(list, d.assign(runtime.Assignment{App: inst.App, Tenant: tenants[inst.App.Tenant], Instance: inst.Started()}, ledger))
	}
	return d.o.Preview(ctx, list)
}
