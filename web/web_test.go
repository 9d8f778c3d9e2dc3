package web_test

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"os"
	"path"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/web"
)

// Limits of what a browser fetches before the first page stands, compressed, and of all that the program carries.
const (
	mostFirst = 150_000
	mostInAll = 3_000_000
)

// named finds what index.html needs, imported what a script needs at once.
var (
	named    = regexp.MustCompile(`(?:src|href)="/(assets/[^"]+)"`)
	imported = regexp.MustCompile(`(?:from|import)\s*["'](\./[^"']+\.js)["']`)
)

func TestSizes(t *testing.T) {
	files, total := web.Files(), int64(0)
	require.NoError(t, fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		if !entry.IsDir() {
			info, err := entry.Info()
			require.NoError(t, err)
			total += info.Size()
		}
		return nil
	}))
	first := firstScreen(t, files)
	require.Greater(t, len(first), 3, "index.html names scripts and style sheets")
	compressed := 0
	for name := range first {
		compressed += len(packed(t, read(t, files, name)))
	}
	t.Logf("first screen: %d files, %d bytes compressed; in all %d bytes", len(first), compressed, total)
	require.LessOrEqual(t, compressed, mostFirst, "what the first page needs; load more of it later")
	require.LessOrEqual(t, total, int64(mostInAll))
}

// TestPagesFitTheirPolicy: the content security policy of the server allows no script and no style in the page itself.
func TestPagesFitTheirPolicy(t *testing.T) {
	page := string(read(t, web.Files(), "index.html"))
	require.Contains(t, page, `<meta name="csp-nonce" content="{{nonce}}"`)
	require.NotContains(t, page, "<style")
	require.NotRegexp(t, `<script[^>]*>[^<]`, page)
	require.NotRegexp(t, `(?:src|href)="(?:https?:)?//`, page, "nothing comes from elsewhere")
}

// firstScreen returns the files without which no page stands: the page, and what its scripts import at once.
func firstScreen(t *testing.T, files fs.FS) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	var add func(name string)
	add = func(name string) {
		if found[name] {
			return
		}
		found[name] = true
		if path.Ext(name) == ".js" {
			for _, m := range imported.FindAllStringSubmatch(string(read(t, files, name)), -1) {
				add(path.Join(path.Dir(name), m[1]))
			}
		}
	}
	add("index.html")
	for _, m := range named.FindAllStringSubmatch(string(read(t, files, "index.html")), -1) {
		add(m[1])
	}
	return found
}

func read(t *testing.T, files fs.FS, name string) []byte {
	t.Helper()
	text, err := fs.ReadFile(files, name)
	require.NoError(t, err)
	return text
}

func packed(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

// TestTextStaysText: what people wrote is shown as text, so nothing of it can become a part of a page.
func TestTextStaysText(t *testing.T) {
	sources := os.DirFS("src")
	require.NoError(t, fs.WalkDir(sources, ".", func(name string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		if !entry.IsDir() {
			require.NotRegexp(t, `innerHTML|InnerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function`, string(read(t, sources, name)), name)
		}
		return nil
	}))
}
