package layer

import (
	"strings"
	"testing"
	"testing/fstest"

	"cuelang.org/go/cue/parser"
	"github.com/stretchr/testify/require"
)

// FuzzUnpin: whatever the file, taking a pin out leaves no pin and everything else
// as it was, and pinning again brings it back.
func FuzzUnpin(f *testing.F) {
	for _, seed := range []string{
		"package fleet\n\ntenant: {\n\tname: \"acme\"\n\treleases: shop: commit: \"x\"\n}\n",
		"tenant: {a: 1, releases: {shop: commit: \"x\", api: commit: \"y\"}, b: 2}", "tenant: releases: shop: commit: \"x\" // c\n\n\n",
		"tenant: {\n// d\nreleases: shop: {\ncommit: \"x\"\n}\n}", "tenant: releases: {shop: {commit: \"x\"}\n}\r\n", "tenant: {releases: shop: commit: \"x\"}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data string) {
		edit, err := Unpin(tenantFile(data), shop)
		if err != nil || edit.File == "" {
			return
		}
		require.Equal(t, others(t, data), others(t, string(edit.Data)), "%q became %q", data, edit.Data)
		back, err := Pin(fstest.MapFS{edit.File: {Data: edit.Data}}, shop, newCommit)
		require.NoError(t, err, "%q", edit.Data)
		require.Equal(t, others(t, data), others(t, string(back.Data)), "%q became %q", edit.Data, back.Data)
	})
}

// others are the short values of a file by path, without the pin of shop and what
// holds nothing but it.
func others(t *testing.T, data string) map[string][]string {
	file, err := parser.ParseFile("x.cue", data)
	require.NoError(t, err, "%q", data)
	ix := index{}
	ix.add(file, nil)
	out := map[string][]string{}
	for path, entries := range ix {
		if strings.HasPrefix(path+"\x00", "tenant\x00releases\x00shop\x00") {
			continue
		}
		for _, e := range entries {
			if e.Text != "" {
				out[path] = append(out[path], e.Text)
			}
		}
	}
	return out
}
