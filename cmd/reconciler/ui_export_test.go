package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUIExports: an export has the answers of the commands as of a moment as files, and overwrites nothing.
func TestUIExports(t *testing.T) {
	w := newWorld(t)
	w.app("acme", "shop", 2, 500)
	w.app("globex", "api", 3, 300)
	w.repo.Commit("first")
	w.passes()
	tip := w.tip()
	w.app("acme", "shop", 4, 500)
	w.app("acme", "huge", 60, 500)
	w.app("acme", "larger", 70, 500)
	w.repo.Commit("second")
	w.passes()
	export := func(code int, args ...string) string {
		var out, errOut bytes.Buffer
		require.Equal(t, code, run(t.Context(), append([]string{"ui", "--repo", w.repo.Dir}, args...), &out, &errOut), &errOut)
		return out.String() + errOut.String()
	}
	read := func(dir, name string) string {
		b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		require.NoError(t, err)
		return string(b)
	}
	above := t.TempDir()
	dir := filepath.Join(above, "a", "b")
	require.Equal(t, dir+" shows the fleet as of status commit "+w.tip()+"\n", export(0, "--export", dir))
	require.Equal(t, answerOf(t, "explain", "acme/shop", "--repo", w.repo.Dir, "-o", "json"), read(dir, "data/applications/acme/shop/decision.json"))
	require.Equal(t, answerOf(t, "status", "globex/api", "--repo", w.repo.Dir, "-o", "json"), read(dir, "data/applications/globex/api.json"))
	require.Equal(t, answerOf(t, "history", "acme/shop", "--repo", w.repo.Dir, "-o", "json"), read(dir, "data/applications/acme/shop/history.json"))
	require.Contains(t, read(dir, "data/applications.json"), `"unwell": 2`)
	page := read(dir, "index.html")
	require.NotRegexp(t, `(?:src|href)="/`, page, "it works below any path")
	require.NotContains(t, page, "{{nonce}}")
	require.Contains(t, page, "Content-Security-Policy")

	require.Equal(t, "reconciler: --export: "+dir+" has files, such as assets; name a folder that is empty or not there yet\n", export(exitError, "--export", dir))
	empty := t.TempDir()
	export(0, "--export", empty, "--tenant", "acme", "--at", tip)
	require.Contains(t, read(empty, "data/meta.json"), tip)
	require.Contains(t, read(empty, "data/applications/acme/shop.json"), `"granted": 2`)
	require.NoFileExists(t, filepath.Join(empty, "data/applications/globex/api.json"))
	for _, name := range []string{"fleet", "applications", "problems", "timeline"} {
		require.NotContains(t, read(empty, "data/"+name+".json"), "globex", name)
	}

	for want, args := range map[string][]string{
		"select what --export writes":       {"--tenant", "acme"},
		"is not on the status branch":       {"--export", filepath.Join(above, "c"), "--at", strings.Repeat("a", 40)},
		"write all 40 digits":               {"--export", filepath.Join(above, "c"), "--at", "main"},
		"the status branch knows no tenant": {"--export", filepath.Join(above, "c"), "--tenant", "none"},
		"not a directory":                   {"--export", filepath.Join(dir, "index.html")},
	} {
		require.Contains(t, export(exitError, args...), want)
	}
	left, err := fs.ReadDir(os.DirFS(above), ".")
	require.NoError(t, err)
	require.Len(t, left, 1, "what fails leaves nothing")

	w.repo.Git("update-ref", "-d", "refs/heads/status")
	require.Contains(t, export(exitError, "--export", filepath.Join(above, "c")), "there is nothing to export")
}
