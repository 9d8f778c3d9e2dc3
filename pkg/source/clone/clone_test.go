package clone_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/test/gittest"
)

// fleet returns a repository with two commits of a fleet, the older one first, and its tree.
func fleet(t *testing.T) (*gittest.Repo, *clone.Tree, []string) {
	repo := gittest.New(t)
	var commits []string
	for _, content := range []string{"package fleet", "package fleet // newer"} {
		require.NoError(t, os.WriteFile(filepath.Join(repo.Dir, "fleet.cue"), []byte(content), 0o644))
		repo.Git("add", "--all")
		repo.Git("commit", "--quiet", "--message", "write: "+content)
		commits = append(commits, repo.Git("rev-parse", "HEAD"))
	}
	w, err := clone.Open(t.Context(), repo.Dir)
	require.NoError(t, err)
	t.Cleanup(w.Close)
	return repo, w, commits
}

func TestCommits(t *testing.T) {
	repo, w, commits := fleet(t)
	ctx := t.Context()
	require.True(t, w.Git)
	require.True(t, w.Clean(ctx))
	require.Equal(t, commits[1], w.Head(ctx))
	for name, want := range map[string]string{"HEAD~1": commits[0], commits[0][:8]: commits[0]} {
		commit, err := w.Revision(ctx, name)
		require.NoError(t, err)
		require.Equal(t, want, commit)
	}
	_, err := w.Revision(ctx, "--all")
	require.ErrorContains(t, err, `"--all" names no commit of this clone`)

	older, err := w.At(ctx, "HEAD")(commits[0])
	require.NoError(t, err)
	content, err := fs.ReadFile(older, "fleet.cue")
	require.NoError(t, err)
	require.Equal(t, "package fleet", string(content))
	require.ErrorContains(t, w.Reaches(ctx, commits[0], commits[1]), "is not in the branch")
	require.ErrorContains(t, w.Reaches(ctx, "HEAD", strings.Repeat("1", 40)), "is not in the branch")

	require.NoError(t, os.WriteFile(filepath.Join(repo.Dir, "new.cue"), nil, 0o644))
	require.False(t, w.Clean(ctx), "a new file is a change")
}

func TestBranchTip(t *testing.T) {
	repo, w, commits := fleet(t)
	ctx := t.Context()
	tip, err := w.BranchTip(ctx, "status")
	require.NoError(t, err)
	require.Empty(t, tip)
	repo.Git("branch", "status", commits[0])
	tip, err = w.BranchTip(ctx, "status")
	require.NoError(t, err)
	require.Equal(t, commits[0], tip)
	repo.Git("update-ref", "refs/remotes/origin/status", commits[1])
	tip, err = w.BranchTip(ctx, "status")
	require.NoError(t, err)
	require.Equal(t, commits[1], tip, "what was fetched from the origin comes first")
}

func TestOrigin(t *testing.T) {
	repo, _, commits := fleet(t)
	ctx := t.Context()
	top, origin := clone.Origin(ctx, repo.Dir)
	require.Empty(t, top+origin, "a repository without origin is no clone")
	top, origin = clone.Origin(ctx, "https://git.example.com/acme/fleet.git")
	require.Empty(t, top+origin)

	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	repo.Git("clone", "--quiet", repo.Dir, filepath.Join(dir, "clone"))
	copied := filepath.Join(dir, "copy.git")
	top, origin = clone.Origin(ctx, filepath.Join(dir, "clone"))
	require.Equal(t, filepath.Join(dir, "clone"), top)
	require.Equal(t, repo.Dir, origin)
	branch := repo.Git("branch", "--show-current")
	require.NoError(t, clone.CopyTracked(ctx, top, branch, copied))
	tip, err := clone.Line(ctx, copied, "rev-parse", branch)
	require.NoError(t, err)
	require.Equal(t, commits[1], tip)
	require.Error(t, clone.CopyTracked(ctx, top, "--upload-pack=x", copied))
}

func TestSubjects(t *testing.T) {
	repo, _, commits := fleet(t)
	found := clone.Subjects(t.Context(), repo.Dir, []string{commits[0], commits[0], "--all", strings.Repeat("1", 40)})
	require.Len(t, found, 1, "neither options nor commits that are not here")
	require.Regexp(t, `^.+: write: package fleet$`, found[commits[0]])
	require.Empty(t, clone.Subjects(t.Context(), repo.Dir, nil))
}

func TestErrorOfGit(t *testing.T) {
	_, err := clone.Output(t.Context(), t.TempDir(), "rev-parse", "HEAD")
	require.ErrorContains(t, err, "git rev-parse: not a git repository")
}

// A clone may have its objects elsewhere: in another repository on this machine, or still at the origin.
func TestObjectsElsewhere(t *testing.T) {
	repo, _, commits := fleet(t)
	repo.Git("config", "uploadpack.allowFilter", "true")
	for name, args := range map[string][]string{"shared": {"--shared", repo.Dir}, "partial": {"--filter=blob:none", "file://" + repo.Dir}} {
		dir := filepath.Join(t.TempDir(), name)
		repo.Git(append(append([]string{"clone", "--quiet"}, args...), dir)...)
		w, err := clone.Open(t.Context(), dir)
		require.NoError(t, err)
		defer w.Close()
		older, err := w.Commit(t.Context(), commits[0])
		require.NoError(t, err)
		content, err := fs.ReadFile(older, "fleet.cue")
		require.NoError(t, err, name)
		require.Equal(t, "package fleet", string(content))
	}
}
