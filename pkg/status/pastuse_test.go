package status_test

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

// TestPastUseIsKept: past use is a file, and tenants' pages tell of it. A file that somebody changed stops nothing, and
// says that it was changed. Format 1 has none, and says so.
func TestPastUseIsKept(t *testing.T) {
	remote := gittest.NewBare(t)
	b := open(t, remote.Dir)
	empty, err := b.Load(t.Context())
	require.NoError(t, err)
	next := example(model.PhaseRunning)
	half := 100 * time.Hour
	past := &model.PastUse{At: noon, HalfLife: half, Nodes: []model.NodeUse{{Group: "web", Used: 5, Step: 16, Factor: 2000},
		{Tenant: "acme", Used: half.Microseconds() * 144 / 100 / 4, Step: 8, Factor: 1414}}}
	next.PastUse = past.Seal()
	saved, _, err := b.Commit(t.Context(), empty, next)
	require.NoError(t, err)
	require.Equal(t, past, saved.PastUse)
	require.Equal(t, past, load(t, remote).PastUse)
	require.True(t, load(t, remote).PastUse.Intact())
	_, changed, err := b.Commit(t.Context(), saved, saved)
	require.NoError(t, err)
	require.False(t, changed)
	acme, _ := model.Find(next.Tenants, "acme")
	require.Equal(t, &model.PastShare{Of: "acme", Used: 250, Weight: acme.Weight, Scaled: acme.Weight * 1414}, saved.PastOf("acme"))
	require.Contains(t, remote.Git("show", "status:tenants/acme/README.md"), "it had 25.0 % on average lately")

	// A page is written again only if it says something else.
	before := remote.Git("rev-parse", "status:tenants/acme/README.md")
	later := saved
	later.PastUse = (&model.PastUse{At: noon.Add(time.Hour), HalfLife: half, Nodes: past.Nodes}).Seal()
	saved, changed, err = b.Commit(t.Context(), saved, later)
	require.NoError(t, err)
	require.True(t, changed)
	require.Equal(t, before, remote.Git("rev-parse", "status:tenants/acme/README.md"))

	for name, changed := range map[string]func(string) string{
		"a figure": func(s string) string { return strings.Replace(s, `"used": 5`, `"used": 6`, 1) },
		"no JSON":  func(string) string { return "{" },
		"a field":  func(s string) string { return strings.Replace(s, `"at"`, `"of": 3, "at"`, 1) },
	} {
		edit(t, remote, name, func(dir string) {
			file := filepath.Join(dir, "inputs/usage.json")
			b, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(file, []byte(changed(string(b))), 0o600))
		})
		b = open(t, remote.Dir)
		edited, err := b.Load(t.Context())
		require.NoError(t, err, name)
		require.False(t, edited.PastUse.Intact(), name)
		next := edited
		next.PastUse = later.PastUse
		saved, _, err = b.Commit(t.Context(), edited, next)
		require.NoError(t, err)
		require.True(t, load(t, remote).PastUse.Intact(), name)
	}

	m, err := b.Migrate(t.Context(), 1)
	require.NoError(t, err)
	require.Contains(t, m.Lacks, "inputs/usage.json: what tenants had, which is learned anew")
	require.Nil(t, load(t, remote).PastUse)

	b = open(t, remote.Dir)
	old, err := b.Load(t.Context())
	require.NoError(t, err)
	saved, _, err = b.Commit(t.Context(), old, next)
	require.NoError(t, err)
	next.PastUse = nil
	_, _, err = b.Commit(t.Context(), saved, next)
	require.NoError(t, err)
	require.NotContains(t, remote.Git("ls-tree", "-r", "--name-only", "status"), "usage.json")
}
