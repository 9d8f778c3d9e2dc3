package main

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestWhatNeedsTheRaceDetector(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"arithmetic", "package p\n\nimport \"strings\"\n\nvar x = strings.ToUpper(`go func() {}()`) // go f()\n", ""},
		{"a channel that another package closes", "package p\n\nfunc f(done <-chan bool) { <-done }\n", ""},
		{"a method with the name of a starter", "package p\n\nimport \"time\"\n\nvar x, _ = clock.AfterFunc, time.Now\n", ""},
		{"a function", "package p\n\nfunc f() {\n\tgo func() {}()\n}\n", "p/a.go:4: starts a goroutine"},
		{"a method", "package p\n\nfunc f() {\n\tfor {\n\t\tgo x.y.run(1)\n\t}\n}\n", "p/a.go:5: starts a goroutine"},
		{"a mutex", "package p\n\nimport \"sync\"\n\nvar m sync.Mutex\n", "p/a.go:3: imports sync"},
		{"an atomic by another name", "package p\n\nimport a \"sync/atomic\"\n\nvar n a.Int64\n", "p/a.go:3: imports sync/atomic"},
		{"a group", "package p\n\nimport (\n\t\"golang.org/x/sync/errgroup\"\n)\n\nvar g errgroup.Group\n", "p/a.go:4: imports golang.org/x/sync/errgroup"},
		{"a timer by another name", "package p\n\nimport t \"time\"\n\nvar x = t.AfterFunc(0, nil)\n", "p/a.go:5: calls t.AfterFunc"},
		{"a server", "package p\n\nimport \"net/http/httptest\"\n\nvar s = httptest.NewServer(nil)\n", "p/a.go:5: calls httptest.NewServer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			why, err := concurrency("p/a.go", []byte(c.source))
			require.NoError(t, err)
			require.Equal(t, c.want, why)
		})
	}
	_, err := concurrency("p/a.go", []byte("package p\n\nfunc {"))
	require.ErrorContains(t, err, "p/a.go:3:6")
}

func TestFind(t *testing.T) {
	const plain, starts = "package p\n", "package p\n\nfunc f() { go f() }\n"
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	all, err := find(fstest.MapFS{
		"go.mod": file("module m\n"), "README.md": file("go f()\n"),
		"a/a.go": file(plain), "a/a_test.go": file(starts),
		"a/b/b.go": file(starts),
		"c/c.go":   file(plain), "c/c_test.go": file(plain),
		"c/testdata/d.go": file(starts), ".cache/e.go": file(starts), "_f/f.go": file(starts),
		"other/go.mod": file("module o\n"), "other/g.go": file(starts), "other/h/h.go": file(starts),
	})
	require.NoError(t, err)
	require.Equal(t, []folder{
		{"a", len(starts), "a/a_test.go:3: starts a goroutine"},
		{"a/b", 0, "a/b/b.go:3: starts a goroutine"},
		{"c", len(plain), ""},
	}, all)
}

// The packages of this module that are known to work side by side are found, those of the core are not.
func TestThisModule(t *testing.T) {
	all, err := find(os.DirFS(filepath.Join("..", "..")))
	require.NoError(t, err)
	found := map[string]string{}
	for _, f := range all {
		found[f.dir] = f.why
	}
	for _, dir := range []string{"cmd/reconciler", "pkg/evaluate/pool", "pkg/leashed", "pkg/reconcile", "pkg/status", "pkg/apply", "pkg/outbound", "pkg/dashboard", "test/e2e"} {
		require.NotEmpty(t, found[dir], dir)
	}
	for _, dir := range []string{"pkg/model", "pkg/arbitration", "pkg/lifecycle", "pkg/workflow", "pkg/render"} {
		why, ok := found[dir]
		require.True(t, ok, dir)
		require.Empty(t, why, dir)
	}
}
