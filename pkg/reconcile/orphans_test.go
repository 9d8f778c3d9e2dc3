package reconcile

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// cluster shows inventories.
type cluster struct {
	list    []model.Inventory
	changes int
	read    int
}

func (c *cluster) Anchor(context.Context) (model.Anchor, bool, error) {
	return model.Anchor{}, false, nil
}
func (c *cluster) SetAnchor(context.Context, model.Anchor) error { return nil }

func (c *cluster) Inventories(_ context.Context, after int) ([]model.Inventory, int, error) {
	if after == c.changes {
		return nil, after, nil
	}
	c.read++
	return c.list, c.changes, nil
}

// TestOrphans: inventories that no record knows are found when they or the ledger
// change, and looked for at no other time. A name that nobody can have is no orphan.
func TestOrphans(t *testing.T) {
	app := func(tenant, name string) model.AppID { return model.AppID{Tenant: tenant, Name: name} }
	inv := func(tenant, name string) model.Inventory { return model.Inventory{App: app(tenant, name), Objects: 2} }
	c := &cluster{changes: 1, list: []model.Inventory{inv("", "x"), inv("acme", ""), inv("acme", "docs"), inv("acme", "docs"), inv("acme", "shop"), inv("acme", "no/name")}}
	l := New(Options{Recognition: Recognition{Anchor: c}})
	ledger := model.Ledger{Revision: model.Revision{1}, Instances: []model.Instance{{App: app("acme", "shop")}}}
	for range 3 {
		list, err := l.identity.orphans.find(t.Context(), l.o.Recognition.Anchor, ledger)
		require.NoError(t, err)
		require.Equal(t, []model.Inventory{inv("acme", "docs")}, list)
	}
	require.Equal(t, 1, c.read)

	ledger = model.Ledger{Revision: model.Revision{2}}
	list, err := l.identity.orphans.find(t.Context(), l.o.Recognition.Anchor, ledger)
	require.NoError(t, err)
	require.Len(t, list, 2, "the ledger has changed")
	require.Equal(t, 1, c.read)
	c.list, c.changes = nil, 2
	list, err = l.identity.orphans.find(t.Context(), l.o.Recognition.Anchor, ledger)
	require.NoError(t, err)
	require.Empty(t, list, "the inventories have changed")
}

// TestRefusalIsToldOnce: the log says a refusal of the ledger when it changes, and else
// once a minute. Every other error is said.
func TestRefusalIsToldOnce(t *testing.T) {
	var told refusalTold
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	refused := errors.Join(&LedgerRefusedError{Reason: RefusedMissing, what: "a"})
	require.True(t, told.tell(refused, at))
	require.False(t, told.tell(refused, at.Add(59*time.Second)))
	require.True(t, told.tell(refused, at.Add(time.Minute)))
	require.True(t, told.tell(&LedgerRefusedError{Reason: RefusedOlder, what: "b"}, at.Add(61*time.Second)))
	require.True(t, told.tell(errors.New("other"), at.Add(62*time.Second)))
	require.True(t, told.tell(errors.New("other"), at.Add(63*time.Second)))
	require.True(t, told.tell(refused, at.Add(64*time.Second)))
}

// TestTwoBranchesOfOneLedger: what the cluster follows on one branch is not followed on
// another.
func TestTwoBranchesOfOneLedger(t *testing.T) {
	m := memory{fleet: "fleet", branch: "other", anchored: true, anchor: model.Anchor{LedgerIdentity: save(ours, 10), Branch: "status"}}
	ledger := model.Ledger{Revision: model.Revision{1}, Commit: "c", Identity: save(ours, 10)}
	refused := m.judge(&ledger)
	require.NotNil(t, refused)
	require.Equal(t, RefusedForeign, refused.Reason)
	require.Contains(t, refused.Error(), `follows it on branch "status"`)
	m.branch = "status"
	require.Nil(t, m.judge(&ledger))
}
