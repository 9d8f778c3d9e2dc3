package web_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/web"
)

// TestDistIsBuiltFromTheSources: the built pages are committed, so that a program with them needs no Node. The test builds them
// once more, where Node and the packages are, and finds the same bytes. It fetches nothing. BROWSER=require makes it fail where
// one of them is missing, as make browser does.
func TestDistIsBuiltFromTheSources(t *testing.T) {
	missing := t.Skipf
	if os.Getenv("BROWSER") == "require" {
		missing = t.Fatalf
	}
	node, err := exec.LookPath("node")
	if err != nil {
		missing("this needs Node: %v", err)
	}
	vite := filepath.Join("node_modules", "vite", "bin", "vite.js")
	if _, err := os.Stat(vite); err != nil {
		missing("this needs the packages of the pages: run \"make web\" once (%v)", err)
	}
	if out, err := exec.Command(node, "-e", "const [a, b] = process.versions.node.split('.').map(Number); process.exit(a === 20 && b >= 19 || a === 22 && b >= 12 || a > 22 ? 0 : 1)").CombinedOutput(); err != nil {
		missing("this needs Node 20.19 or newer: %v %s", err, out)
	}
	built := filepath.Join(t.TempDir(), "dist")
	out, err := exec.Command(node, vite, "build", "--outDir", built, "--emptyOutDir", "--logLevel", "warn").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, all(t, web.Files()), all(t, os.DirFS(built)), "run \"make web\", and commit web/dist")
}

// all returns the files by name.
func all(t *testing.T, files fs.FS) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			found[name] = string(read(t, files, name))
		}
		return err
	}))
	return found
}
