package status_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/gittest"
)

// TestOverQuotaIsKept: the state is a file of its tenant, with the time since when it is
// so, and goes with it. Format 1 has none, and says so.
func TestOverQuotaIsKept(t *testing.T) {
	remote := gittest.NewBare(t)
	b := open(t, remote.Dir)
	empty, err := b.Load(t.Context())
	require.NoError(t, err)
	next := example(model.PhaseRunning)
	next.OverQuota = []model.OverQuota{{Tenant: "acme", Resource: "cpu", Granted: 6500, Limit: 6000, At: "tenants/acme/tenant.cue:5:9", Since: noon}}
	next.OverQuota = append([]model.OverQuota{{Group: "web", Resource: "memory", Granted: 9, Limit: 6, At: "fleet.cue:7:9", Since: noon}}, next.OverQuota...)
	saved, _, err := b.Commit(t.Context(), empty, next)
	require.NoError(t, err)
	require.Equal(t, next.OverQuota, saved.OverQuota)
	require.Equal(t, next.OverQuota, load(t, remote).OverQuota)
	_, changed, err := b.Commit(t.Context(), saved, saved)
	require.NoError(t, err)
	require.False(t, changed)

	m, err := b.Migrate(t.Context(), 1)
	require.NoError(t, err)
	require.Contains(t, m.Lacks, "tenants/acme/quota.json: since when tenant acme is over its quota of cpu")
	require.Contains(t, m.Lacks, "inputs/quota.json: since when group web is over its quota of memory")
	require.Empty(t, load(t, remote).OverQuota)

	b = open(t, remote.Dir)
	before, err := b.Load(t.Context())
	require.NoError(t, err)
	saved, _, err = b.Commit(t.Context(), before, next)
	require.NoError(t, err)
	next.OverQuota = nil
	_, _, err = b.Commit(t.Context(), saved, next)
	require.NoError(t, err)
	require.Empty(t, load(t, remote).OverQuota)
	require.NotContains(t, remote.Git("ls-tree", "-r", "--name-only", "status"), "quota.json")
}
