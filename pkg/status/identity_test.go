package status_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
)

// named gives a ledger an id.
func named(l model.Ledger) model.Ledger {
	l.Identity = model.LedgerIdentity{ID: strings.Repeat("ab", 16), Fleet: "fleet"}
	return l
}

// TestIdentity: each save counts one, whoever makes it, and what changes nothing is
// no save. The id stays when the history is folded.
func TestIdentity(t *testing.T) {
	remote := gittest.NewBare(t)
	b := open(t, remote.Dir)
	empty, err := b.Load(t.Context())
	require.NoError(t, err)
	require.Zero(t, empty.Identity)
	_, _, err = b.Commit(t.Context(), empty, named(example(model.PhaseRunning)))
	require.NoError(t, err)
	require.Contains(t, remote.Git("show", "status:inputs/ledger.json"), `"sequence": 1`)
	for i := range 3 {
		b = open(t, remote.Dir)
		before, err := b.Load(t.Context())
		require.NoError(t, err)
		require.Equal(t, model.LedgerIdentity{ID: strings.Repeat("ab", 16), Sequence: int64(i + 1), Fleet: "fleet"}, before.Identity)
		_, changed, err := b.Commit(t.Context(), before, before)
		require.NoError(t, err)
		require.False(t, changed)
		next := move(before, []model.Phase{model.PhaseDegraded, model.PhaseRunning}[i%2], noon.Add(time.Duration(i+1)*time.Minute))
		if i == 2 {
			next.Identity = model.LedgerIdentity{} // who does not say which ledger it is means the one that is there
		}
		_, _, err = b.Commit(t.Context(), before, next)
		require.NoError(t, err)
		after, err := b.Load(t.Context())
		require.NoError(t, err)
		require.Equal(t, int64(i+2), after.Identity.Sequence)
	}
	_, err = open(t, remote.Dir).Compact(t.Context(), status.CompactOptions{Since: time.Now().Add(time.Hour)})
	require.NoError(t, err)
	require.Equal(t, int64(4), load(t, remote).Identity.Sequence)
	require.Equal(t, strings.Repeat("ab", 16), load(t, remote).Identity.ID)

	// Another id alone is something to save.
	before, err := b.Load(t.Context())
	require.NoError(t, err)
	next := before
	next.Identity.ID = strings.Repeat("cd", 16)
	_, changed, err := b.Commit(t.Context(), before, next)
	require.NoError(t, err)
	require.True(t, changed)
	require.Equal(t, model.LedgerIdentity{ID: strings.Repeat("cd", 16), Sequence: 5, Fleet: "fleet"}, load(t, remote).Identity)
}

// TestIdentityMigrates: a branch of format 1 gets its id with the migration, keeps it
// when it is written in format 1 again, and has it after the next migration.
func TestIdentityMigrates(t *testing.T) {
	repo := format1(t)
	b := open(t, repo.Dir)
	before, err := b.Load(t.Context())
	require.NoError(t, err)
	require.Zero(t, before.Identity)
	_, _, err = b.Commit(t.Context(), before, named(before))
	require.NoError(t, err)
	require.Equal(t, "migrate from format 1.0 to 2.3", repo.Git("log", "-1", "--format=%s", "status"), "one commit")
	require.Equal(t, int64(1), load(t, repo).Identity.Sequence)

	m, err := b.Migrate(t.Context(), 1)
	require.NoError(t, err)
	require.Len(t, m.Lacks, 1, "the spec has a secret")
	require.Contains(t, repo.Git("show", "status:inputs/ledger.yaml"), "sequence: 2")
	back := load(t, repo)
	require.Equal(t, model.LedgerIdentity{ID: strings.Repeat("ab", 16), Sequence: 2, Fleet: "fleet"}, back.Identity)
	l, err := b.Load(t.Context())
	require.NoError(t, err)
	_, _, err = b.Commit(t.Context(), l, move(l, model.PhaseDegraded, noon))
	require.NoError(t, err)
	require.Equal(t, int64(3), load(t, repo).Identity.Sequence, "two commits in one push are one save")
	require.Equal(t, []string{"inputs/source.yaml"}, yaml(repo, "status"))
}

// TestDamagedIdentity: a branch that does not say clearly which ledger it is stops.
func TestDamagedIdentity(t *testing.T) {
	files, _, err := status.Written(named(example(model.PhaseRunning)))
	require.NoError(t, err)
	good := `{"id": "` + strings.Repeat("ab", 16) + `", "sequence": 1, "fleet": "f"}`
	for content, says := range map[string]string{
		strings.Replace(good, "ab", "AB", 1):                                  "is not the id of a ledger",
		strings.Replace(good, `"sequence": 1`, `"sequence": 0`, 1):            "saves count from 1",
		strings.Replace(good, `"f"`, `"../f"`, 1):                             "cannot name a fleet",
		strings.Replace(good, `"sequence": 1`, `"sequence": 1e99`, 1):         "inputs/ledger.json is damaged",
		strings.Replace(good, `"sequence": 1`, `"sequence": 1, "x": true`, 1): `has no field "x"`,
		`{}`: "is not the id of a ledger",
	} {
		files["inputs/ledger.json"] = &fstest.MapFile{Data: []byte(content)}
		_, err := status.Read(files)
		require.ErrorContains(t, err, "inputs/ledger.json is damaged")
		require.ErrorContains(t, err, says)
	}
	files["inputs/ledger.json"] = &fstest.MapFile{Data: []byte(good)}
	_, err = status.Read(files)
	require.NoError(t, err)
}

// TestFreshIDs: ids are valid and differ.
func TestFreshIDs(t *testing.T) {
	seen := map[string]bool{}
	for range 100 {
		id := status.NewLedgerID()
		require.True(t, model.ValidLedgerID(id), id)
		require.False(t, seen[id], fmt.Sprint(id, " again"))
		seen[id] = true
	}
}
