package turn_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestDamagedRecordStopsOneApplication: nothing is decided about an application whose
// record is damaged, whatever Git and the cluster say. What it holds counts as taken, its
// run keeps its place, and others go on.
func TestDamagedRecordStopsOneApplication(t *testing.T) {
	r, tree := newRunner(t), example(t)
	r.commit("1", tree)
	r.settle()
	before, _ := r.ledger.Find(shop)
	decided, _ := r.ledger.Decision(shop)
	require.True(t, before.Phase.Active())
	require.False(t, before.Run.Phase.Ended(), "it waits for an approval")
	record := *before

	// The application is changed, then removed, and its workloads fail: for hours.
	r.ledger.Damaged = []model.DamagedRecord{{App: shop, File: "tenants/acme/shop/instance.json", Reason: "the file ends too early", Commit: "0123456789abcdef"}}
	r.broken = shop
	api := "tenants/globex/apps/api/app.cue"
	changed := tree.edited(t, shopFile, "shop:1.4.2", "shop:1.4.3").edited(t, api, `redis:7.4`, `redis:7.5`)
	r.commit("2", changed)
	for range 3 {
		r.turn()
	}
	for range 5 {
		r.now = r.now.Add(100 * 60e9)
		r.turn()
	}
	for name := range changed.MapFS {
		if len(name) > len("tenants/acme/apps/shop/") && name[:len("tenants/acme/apps/shop/")] == "tenants/acme/apps/shop/" {
			delete(changed.MapFS, name)
		}
	}
	r.commit("3", changed)
	for range 5 {
		r.now = r.now.Add(100 * 60e9)
		r.turn()
	}
	after, _ := r.ledger.Find(shop)
	require.Equal(t, record, *after)
	still, _ := r.ledger.Decision(shop)
	require.Equal(t, decided.Grants, still.Grants)
	require.Equal(t, []string{model.CodeRecordDamaged}, []string{r.ledger.Problems[0].Code})
	require.Contains(t, r.ledger.Problems[0].Message, "git revert 0123456789ab")
	require.Len(t, r.ledger.Damaged, 1)
	other, _ := r.ledger.Find(model.AppID{Tenant: "globex", Name: "api"})
	require.Equal(t, "2", other.Spec.Commit, "others go on")
	require.Equal(t, model.PhaseRunning, other.Phase)

	// The record is restored: Git does not declare the application any more.
	r.ledger.Damaged = nil
	r.turn()
	gone, _ := r.ledger.Find(shop)
	require.Equal(t, []any{model.PhaseTerminated, model.ReasonRemoved}, []any{gone.Phase, gone.Reason})
}

// TestDamagedRecordKeepsItsPlace: what the application holds is not given to others,
// although they come first, and what it lost it does not get back.
func TestDamagedRecordKeepsItsPlace(t *testing.T) {
	r, tree := newRunner(t), example(t)
	r.commit("1", tree)
	r.settle()
	record, _ := r.ledger.Find(shop)
	held := record.Components
	r.ledger.Damaged = []model.DamagedRecord{{App: shop, File: "tenants/acme/shop/spec.json"}}
	was := zone
	defer func() { zone = was }()
	zone = model.Resources{CPU: 3000, Memory: 1 << 42} // half of what is granted is left
	for range 5 {
		r.now = r.now.Add(100 * 60e9)
		r.turn()
	}
	after, _ := r.ledger.Find(shop)
	require.Equal(t, held, after.Components)
	gaveWay := 0
	for i := range r.ledger.Instances {
		if in := &r.ledger.Instances[i]; in.App != shop && (in.Phase == model.PhaseTerminated || in.Phase == model.PhaseDegraded || in.Phase == model.PhaseAdmitted) {
			gaveWay++
		}
	}
	require.Positive(t, gaveWay, "others give way in its stead")
}
