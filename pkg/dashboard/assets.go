package dashboard

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/rand"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
)

// index is the page that all paths of the front end show.
const index = "index.html"

// asset is a file of the front end.
type asset struct {
	kind   string // of its content
	plain  []byte
	zipped func() []byte // is made when it is first asked for; nil if it is not smaller
}

// assets serve the front end.
type assets map[string]asset

// kinds are the types of content by the ends of names. Those of the machine may differ.
var kinds = map[string]string{
	".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8", ".ico": "image/x-icon", ".js": "text/javascript; charset=utf-8",
	".json": "application/json", ".map": "application/json", ".png": "image/png", ".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8",
	".webmanifest": "application/manifest+json", ".woff2": "font/woff2",
}

// readAssets reads the files of the front end.
func readAssets(files fs.FS) (assets, error) {
	all := assets{}
	err := fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		a := asset{kind: cmp.Or(kinds[path.Ext(name)], "application/octet-stream"), plain: b, zipped: sync.OnceValue(func() []byte { return compress(b) })}
		all[name] = a
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the front end: %w", err)
	}
	if _, ok := all[index]; !ok {
		return nil, fmt.Errorf("the front end has no %s", index)
	}
	return all, nil
}

// compress returns content in less space, nil if it needs no less.
func compress(b []byte) []byte {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	_, _ = w.Write(b)
	_ = w.Close()
	if z.Len() >= len(b) {
		return nil
	}
	return z.Bytes()
}

// hashed is the directory of files whose names change with their content.
const hashed = "assets/"

func (a assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		fail(w, r, refuse(http.StatusMethodNotAllowed, "files can only be read"))
		return
	}
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	file, ok := a[name]
	switch {
	case !ok && strings.HasPrefix(name, hashed):
		fail(w, r, refuse(http.StatusNotFound, "there is no such file"))
		return
	case !ok || name == index:
		a.page(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", file.kind)
	h.Set("Cache-Control", "no-cache")
	if strings.HasPrefix(name, hashed) {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	h.Add("Vary", "Accept-Encoding")
	body := file.plain
	if takesGzip(r) {
		if z := file.zipped(); z != nil {
			h.Set("Content-Encoding", "gzip")
			body = z
		}
	}
	h.Set("Content-Length", fmt.Sprint(len(body)))
	_, _ = w.Write(body)
}

// page serves the page with a nonce that only this answer has.
func (a assets) page(w http.ResponseWriter, r *http.Request) {
	nonce := rand.Text()
	h := w.Header()
	h.Set("Content-Security-Policy", strings.Replace(policy, "style-src-elem 'self'", "style-src-elem 'self' 'nonce-"+nonce+"'", 1))
	h.Set("Content-Type", kinds[".html"])
	h.Set("Cache-Control", "no-cache")
	write(w, r, http.StatusOK, bytes.ReplaceAll(a[index].plain, []byte("{{nonce}}"), []byte(nonce)))
}
