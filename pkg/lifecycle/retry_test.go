package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/lifecycle"
	"github.com/d-aros/d-aros/pkg/model"
)

// TestRetryChangesTheRevision: who compares ledgers by their revisions, as incremental
// arbitration does, sees in the same pass that a hold was lifted.
func TestRetryChangesTheRevision(t *testing.T) {
	app, held := model.AppID{Tenant: "acme", Name: "shop"}, model.Digest("3f2a91c04be7")
	ledger := model.Ledger{Revision: model.Revision{1}, Instances: []model.Instance{
		{App: app, Number: 1, Phase: model.PhaseRunning, Held: []model.Digest{held}, Revision: model.Revision{2}},
	}}
	require.Equal(t, ledger, lifecycle.Retry(ledger, nil, "cccc", time.Time{}), "nobody asked")

	asked := map[model.AppID][]model.Command{app: {{Action: model.CommandRetry, Release: held, By: "ann"}}}
	lifted := lifecycle.Retry(ledger, asked, "cccc", time.Time{})
	require.Empty(t, lifted.Instances[0].Held)
	require.Zero(t, lifted.Instances[0].Revision)
	require.Zero(t, lifted.Revision)
	require.Len(t, ledger.Instances[0].Held, 1, "the ledger before stays")

	again := lifted
	again.Revision = model.Revision{3}
	require.Equal(t, again, lifecycle.Retry(again, asked, "cccc", time.Time{}), "it was handled")
}
