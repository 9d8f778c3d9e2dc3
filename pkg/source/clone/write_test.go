package clone_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/source/clone"
)

// Write writes all of its files or, where one of them is not as it was taken for, none. Their modes stay.
func TestWrite(t *testing.T) {
	asAda(t)
	repo, w, _ := fleet(t)
	ctx := t.Context()
	fleetFile := filepath.Join(repo.Dir, "fleet.cue")
	require.NoError(t, os.Chmod(fleetFile, 0o755))
	repo.Commit("an odd mode")
	repo.Write("mine.cue", "not committed")
	was := []byte("package fleet // newer")
	for why, changes := range map[string][]clone.Change{
		"mine.cue has changes that are not committed": {{Name: "mine.cue", Before: []byte("not committed"), After: []byte("x")}},
		"fleet.cue exists already":                    {{Name: "fleet.cue", After: []byte("x")}},
		"fleet.cue changes at this moment":            {{Name: "fleet.cue", Before: []byte("package fleet"), After: []byte("x")}},
		"gone.cue is gone":                            {{Name: "gone.cue", Before: []byte("x"), After: []byte("x")}},
		"outside":                                     {{Name: "../outside.cue", After: []byte("x")}},
	} {
		require.ErrorContains(t, w.Write(ctx, append([]clone.Change{{Name: "new/a.cue", After: []byte("x")}}, changes...)...), why)
	}
	require.Equal(t, "?? mine.cue", repo.Git("status", "--porcelain", "--untracked-files=all"))

	require.NoError(t, w.Write(ctx, clone.Change{Name: "fleet.cue", Before: was, After: []byte("changed")}, clone.Change{Name: "new/a.cue", After: []byte("new")}))
	require.Equal(t, "M fleet.cue\n?? mine.cue\n?? new/a.cue", repo.Git("status", "--porcelain", "--untracked-files=all"))
	info, err := os.Stat(fleetFile)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o755), info.Mode().Perm())
	commit, signed, err := w.CommitFiles(ctx, "two files", "fleet.cue", "new/a.cue")
	require.NoError(t, err)
	require.False(t, signed)
	require.Equal(t, "fleet.cue\nnew/a.cue", repo.Git("diff", "--name-only", commit+"^", commit))
}
