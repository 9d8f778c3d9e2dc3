package pinned

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// packed is an archive as Helm makes it.
func packed(t *testing.T, headers ...tar.Header) []byte {
	var out bytes.Buffer
	plain := gzip.NewWriter(&out)
	archive := tar.NewWriter(plain)
	for _, h := range headers {
		text := []byte(h.PAXRecords["text"])
		h.PAXRecords, h.Mode, h.Size = nil, 0o644, int64(len(text))
		require.NoError(t, archive.WriteHeader(&h))
		_, err := archive.Write(text)
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	require.NoError(t, plain.Close())
	return out.Bytes()
}

func file(name, text string) tar.Header {
	return tar.Header{Name: name, Typeflag: tar.TypeReg, PAXRecords: map[string]string{"text": text}}
}

// charts is a registry of artefacts at example.com.
type charts struct {
	o     Options
	asked atomic.Int32
	down  atomic.Bool
	swap  atomic.Pointer[[]byte] // answered in place of blobs
	guard atomic.Pointer[string] // the password that it asks for
}

func newCharts(t *testing.T) *charts {
	c := &charts{}
	behind := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	config, dial := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.asked.Add(1)
		blob, guard := c.swap.Load(), c.guard.Load()
		_, password, _ := r.BasicAuth()
		switch {
		case guard != nil && password != *guard:
			w.Header().Set("WWW-Authenticate", `Basic realm="charts"`)
			w.WriteHeader(http.StatusUnauthorized)
		case c.down.Load():
			http.Error(w, "down", http.StatusBadGateway)
		case blob != nil && r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/blobs/"):
			_, _ = w.Write(*blob)
		default:
			behind.ServeHTTP(w, r)
		}
	}))
	c.o = Options{Dir: filepath.Join(t.TempDir(), "pinned"), Now: true, Dial: dial, TLS: config}
	return c
}

// push pushes an artefact with a layer of a type.
func (c *charts) push(t *testing.T, content []byte, kind types.MediaType) model.Pinned {
	image, err := mutate.Append(mutate.MediaType(empty.Image, types.OCIManifestSchema1), mutate.Addendum{Layer: static.NewLayer(content, kind)})
	require.NoError(t, err)
	s := open(t, c.o)
	to, err := name.NewTag("example.com/charts/door:1")
	require.NoError(t, err)
	require.NoError(t, remote.Write(to, image, remote.WithTransport(s.transport)))
	var digest v1.Hash
	digest, err = image.Digest()
	require.NoError(t, err)
	return model.Pinned{Repository: "oci://example.com/charts/door", Version: digest.String()}
}

// TestFetchArtefact: a chart is fetched by its digest once, and is then there without its registry. What is damaged on the
// disk is fetched again.
func TestFetchArtefact(t *testing.T) {
	c := newCharts(t)
	p := c.push(t, packed(t, file("door/Chart.yaml", "name: door\n"), file("door/templates/a.yaml", "a: b\n")), chartLayer)
	files, err := open(t, c.o).Files("acme", p)
	require.NoError(t, err)
	require.Equal(t, "a: b\n", read(t, files, "door/templates/a.yaml"))

	c.down.Store(true)
	files, err = Kept(c.o.Dir).Files("acme", p)
	require.NoError(t, err)
	require.Equal(t, "name: door\n", read(t, files, "door/Chart.yaml"))

	for _, name := range []string{manifestFile, contentFile} {
		found, err := filepath.Glob(filepath.Join(c.o.Dir, "*", name))
		require.NoError(t, err)
		require.Len(t, found, 1)
		data, err := os.ReadFile(found[0])
		require.NoError(t, err)
		data[len(data)/2] ^= 1
		require.NoError(t, os.WriteFile(found[0], data, 0o600))
		_, err = Kept(c.o.Dir).Files("acme", p)
		require.ErrorContains(t, err, "is not kept here")
		c.down.Store(false)
		_, err = open(t, c.o).Files("acme", p)
		require.NoError(t, err)
		c.down.Store(true)
	}
	_, err = open(t, c.o).Files("acme", model.Pinned{Repository: p.Repository, Version: "sha256:" + strings.Repeat("a", 64)})
	require.ErrorContains(t, err, "cannot be fetched: ")
}

// TestAttack05HostileArtefact: what is no chart, leads out of it, is too large or is not what its digest says is not kept.
func TestAttack05HostileArtefact(t *testing.T) {
	many := make([]tar.Header, 0, 10)
	for i := range 10 {
		many = append(many, file("door/"+string(rune('a'+i)), strings.Repeat("0", 7<<20)))
	}
	for name, content := range map[string][]byte{
		"no archive":     []byte("hello"),
		"link":           packed(t, tar.Header{Name: "door/a", Linkname: "/etc/passwd", Typeflag: tar.TypeSymlink}),
		"hard link":      packed(t, tar.Header{Name: "door/a", Linkname: "../a", Typeflag: tar.TypeLink}),
		"out of it":      packed(t, file("../door/a", "a")),
		"absolute":       packed(t, file("/door/a", "a")),
		"gzip bomb":      packed(t, many...),
		"a large file":   packed(t, file("door/a", strings.Repeat("0", maxObject+1))),
		"backward slash": packed(t, file(`door\..\..\a`, "a")),
	} {
		t.Run(name, func(t *testing.T) {
			c := newCharts(t)
			_, err := open(t, c.o).Files("acme", c.push(t, content, chartLayer))
			require.ErrorContains(t, err, "cannot be fetched: its chart", name)
			found, err := filepath.Glob(filepath.Join(c.o.Dir, "*", "*"))
			require.NoError(t, err)
			require.Empty(t, found)
		})
	}
	t.Run("another kind", func(t *testing.T) {
		c := newCharts(t)
		_, err := open(t, c.o).Files("acme", c.push(t, packed(t), types.OCILayer))
		require.ErrorContains(t, err, "it is no chart of Helm")
	})
	t.Run("other bytes", func(t *testing.T) {
		c := newCharts(t)
		p := c.push(t, packed(t, file("door/Chart.yaml", "name: door\n")), chartLayer)
		other := packed(t, file("door/Chart.yaml", "name: evil\n"))
		c.swap.Store(&other)
		_, err := open(t, c.o).Files("acme", p)
		require.ErrorContains(t, err, "cannot be fetched: ")
	})
}
