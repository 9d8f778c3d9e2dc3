package reconcile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/gittest"
)

// TestADamagedIdentityStopsAStart: whatever somebody made of the record of the ledger on
// the branch or of the anchor in the cluster, a start ends in one sentence that says what
// to do, repeats little of what it found, and neither acts nor writes. A deleted anchor
// is made again.
func TestADamagedIdentityStopsAStart(t *testing.T) {
	k, ledger := newKeeper(t), gittest.NewBare(t)
	cluster := &remembered{}
	start := func(calls *entries) *teller {
		return newTeller(t, k.Dir, ledger.Dir, time.Now, func(o *Options) {
			o.Recognition.Anchor, o.Recognition.Branch, o.Runtime = cluster, "status", enteredRuntime{calls}
		})
	}
	l := start(&entries{})
	for range 3 {
		l.pass(t)
	}
	whole, anchor, writes := ledger.Git("rev-parse", "status"), cluster.anchor, cluster.writes
	const hostile = "\x1b[31meyJhbGciOiJIUzI1NiJ9.secret"
	record := func(content string) func() {
		return func() {
			work := filepath.Join(t.TempDir(), "work")
			ledger.Git("clone", "-q", ledger.Dir, work, "-b", "status")
			require.NoError(t, os.WriteFile(filepath.Join(work, "inputs", "ledger.json"), []byte(content), 0o600))
			ledger.Git("-C", work, "commit", "-qam", "damage")
			ledger.Git("-C", work, "push", "-q", "origin", "status")
		}
	}
	const revert = `restore the branch with "git revert" (docs/status-branch.md)`
	for _, c := range []struct {
		name   string
		damage func()
		do     string // what the sentence says to do; "" if the start goes on
	}{
		{"a record without an id", record(`{"sequence": 3, "fleet": "test"}`), revert},
		{"an empty record", record(`{}`), revert},
		{"an id of a megabyte", record(`{"id": "` + strings.Repeat("x", 1<<20) + `", "sequence": 3, "fleet": "test"}`), revert},
		{"a record that is no JSON", record(hostile), revert},
		{"the name of another fleet", record(`{"id": "` + anchor.ID + `", "sequence": 9, "fleet": "other"}`), "reconciler restore --write"},
		{"an anchor with another id", func() { cluster.anchor.ID = hostile }, "delete the ConfigMap if the branch is right"},
		{"an anchor without a number", func() { cluster.anchor.Sequence = 0 }, "delete the ConfigMap if the branch is right"},
		{"an anchor of another branch", func() { cluster.anchor.Branch = "other" }, "name that with --status-branch or, if it was renamed, delete ConfigMap daros-test"},
		{"an anchor of a later save", func() { cluster.anchor.Sequence += 5 }, "reconciler restore --write"},
		{"an anchor of another ledger", func() { cluster.anchor.ID = theirs }, "reconciler restore --write"},
		{"no anchor", func() { cluster.anchor, cluster.writes = model.Anchor{}, 0 }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			ledger.Git("update-ref", "refs/heads/status", whole)
			cluster.anchor, cluster.writes = anchor, writes
			c.damage()
			refs, calls := ledger.Git("for-each-ref"), &entries{}
			remembers, written := cluster.anchor, cluster.writes
			l := start(calls)
			_, err := l.loop.Pass(t.Context())
			require.Equal(t, refs, ledger.Git("for-each-ref"), "nothing is written to the repository")
			if c.do == "" {
				require.NoError(t, err)
				require.Equal(t, anchor.LedgerIdentity, cluster.anchor.LedgerIdentity)
				return
			}
			require.ErrorContains(t, err, c.do)
			require.EqualError(t, l.loop.Ready(), err.Error())
			require.NotContains(t, err.Error(), "\n")
			require.NotContains(t, err.Error(), "\x1b")
			require.NotContains(t, err.Error(), "secret")
			require.Less(t, len(err.Error()), 700)
			require.Empty(t, *calls, "the runtime is not asked")
			require.Equal(t, remembers, cluster.anchor)
			require.Equal(t, written, cluster.writes)
		})
	}
}
