package status_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/gittest"
)

// forge pushes a commit that a writer with the token makes on top of the branch: edit
// changes the files of a clone.
func forge(t testing.TB, remote *gittest.Repo, edit func(clone *gittest.Repo)) string {
	t.Helper()
	clone := gittest.New(t)
	clone.Git("fetch", "-q", remote.Dir, "status")
	clone.Git("checkout", "-q", "-B", "status", "FETCH_HEAD")
	edit(clone)
	commit := clone.Commit("acme/shop: Running")
	clone.Git("push", "-q", remote.Dir, "HEAD:status")
	return commit
}

// rewrite replaces text in a file of a clone.
func rewrite(clone *gittest.Repo, file, old, new string) {
	b, err := os.ReadFile(filepath.Join(clone.Dir, file))
	if err != nil || !strings.Contains(string(b), old) {
		panic(fmt.Sprintf("%s has no %s: %v", file, old, err))
	}
	clone.Write(file, strings.Replace(string(b), old, new, 1))
}

// TestForgedSpec: a reader computes the digest of a spec. What somebody changed in the
// file without changing the digest is another spec.
func TestForgedSpec(t *testing.T) {
	remote := gittest.NewBare(t)
	b := open(t, remote.Dir)
	empty, err := b.Load(t.Context())
	require.NoError(t, err)
	_, _, err = b.Commit(t.Context(), empty, example(model.PhaseRunning))
	require.NoError(t, err)
	honest := example(model.PhaseRunning).Instances[0].Spec
	forge(t, remote, func(clone *gittest.Repo) {
		rewrite(clone, "tenants/acme/shop/spec.json", `"shop:1"`, `"evil:1"`)
	})
	for name, read := range map[string]func() (model.Ledger, error){
		"running": func() (model.Ledger, error) { return b.Load(t.Context()) },
		"start":   func() (model.Ledger, error) { return open(t, remote.Dir).Load(t.Context()) },
		"history": func() (model.Ledger, error) {
			saved, _, err := open(t, remote.Dir).Latest(t.Context())
			require.NoError(t, err)
			l, _, err := saved.Read(t.Context())
			return l, err
		},
	} {
		l, err := read()
		require.NoError(t, err, name)
		spec := l.Instances[0].Spec
		require.Contains(t, string(spec.Components[2].Properties), "evil:1", name)
		require.NotEqual(t, honest.Digest, spec.Digest, name)
		require.NotEqual(t, honest.Release, spec.Release, name)
	}
}

// TestDigestOfARecord: the digest is the same whether the values of secrets are known, and
// records that have another one start nothing: what they name is named anew.
func TestDigestOfARecord(t *testing.T) {
	remote := gittest.NewBare(t)
	b := open(t, remote.Dir)
	empty, err := b.Load(t.Context())
	require.NoError(t, err)
	first := example(model.PhaseRunning)
	first.Instances[0].Held = []model.Digest{first.Instances[0].Spec.FormerDigest()}
	_, _, err = b.Commit(t.Context(), empty, first)
	require.NoError(t, err)
	spec := first.Instances[0].Spec
	require.NotEqual(t, spec.Digest, spec.FormerDigest(), "it has a secret")
	forge(t, remote, func(clone *gittest.Repo) { // as a program before this one wrote it
		rewrite(clone, "tenants/acme/shop/spec.json", string(spec.Digest), string(spec.FormerDigest()))
	})
	l, err := open(t, remote.Dir).Load(t.Context())
	require.NoError(t, err)
	require.Equal(t, spec.Digest, l.Instances[0].Spec.Digest)
	require.Equal(t, []model.Digest{spec.Release}, l.Instances[0].Held)
}
