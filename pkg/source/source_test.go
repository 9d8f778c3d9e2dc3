package source_test

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/test/gittest"
)

func open(t testing.TB, o source.Options) *source.Repository {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	r, err := source.Open(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func TestSnapshot(t *testing.T) {
	repo := gittest.New(t)
	repo.Write("fleet.cue", "package fleet\n")
	repo.Write("tenants/acme/apps/shop/app.cue", "package fleet\n// shop\n")
	first := repo.Commit("start\n\nwhy")

	r := open(t, source.Options{URL: repo.Dir})
	s, err := r.Snapshot(t.Context())
	require.NoError(t, err)
	require.Equal(t, first, s.Commit)
	require.Equal(t, "start", s.Subject)
	require.Equal(t, "Ada <ada@example.com>", s.Author)
	require.NoError(t, fstest.TestFS(s.Files, "fleet.cue", "tenants/acme/apps/shop/app.cue"))
	b, err := fs.ReadFile(s.Files, "fleet.cue")
	require.NoError(t, err)
	require.Equal(t, "package fleet\n", string(b))

	again, err := r.Snapshot(t.Context())
	require.NoError(t, err)
	require.Same(t, s.Files, again.Files)

	repo.Write("tenants/acme/apps/blog/app.cue", "package fleet\n// blog\n")
	second := repo.Commit("blog")
	s2, err := r.Snapshot(t.Context())
	require.NoError(t, err)
	require.Equal(t, second, s2.Commit)

	shop1, err := s.Files.Digest("tenants/acme/apps/shop")
	require.NoError(t, err)
	shop2, err := s2.Files.Digest("tenants/acme/apps/shop")
	require.NoError(t, err)
	require.Equal(t, shop1, shop2)
	require.Equal(t, repo.Git("rev-parse", "HEAD:tenants/acme/apps/shop"), shop2)

	old, err := s2.At(first)
	require.NoError(t, err)
	_, err = old.Files.Stat("tenants/acme/apps/blog")
	require.ErrorIs(t, err, fs.ErrNotExist)
}
