//lint:file-ignore SA1019 what tenants have written with deprecated fields is read as well

package kustomize

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/types"

	"github.com/d-aros/d-aros/pkg/render/build"
)

// Bounds of a kustomization with all that it builds on.
const (
	maxBases     = 200
	maxBaseDepth = 20
	maxInput     = 8 << 20 // bytes, a file counted once for each reference to it
	maxElements  = 20_000
)

// graph reads a kustomization and its bases, and rewrites them.
type graph struct {
	tree  *tree
	out   Kustomization
	bytes int
	bases map[string]*base // by directory; nil while it is being read
}

// base is one kustomization that was rewritten.
type base struct {
	name  string
	files int    // written so far
	kind  string // Kustomization or Component
}

// A Reader reads the kustomizations of one application, of which the directory is given.
type Reader struct {
	tree *tree
	err  error
}

// NewReader returns a reader, which finds outside what other repositories have. What it reads
// is bounded, together.
func NewReader(files fs.FS, outside build.Outside) *Reader {
	t := &tree{files: files, outside: outside, kinds: map[string]fs.FileMode{}, sizes: map[string]int64{}, mounts: map[string]fs.FS{}}
	return &Reader{tree: t, err: t.list(files, ".")}
}

// Read reads the kustomization in a directory. The error blames the files.
func (r *Reader) Read(dir string) (Kustomization, error) {
	if r.err != nil {
		return Kustomization{}, fmt.Errorf("read the application's directory: %w", r.err)
	}
	t := r.tree
	g := &graph{tree: t, bases: map[string]*base{}, out: Kustomization{Files: map[string][]byte{}, Places: map[string]string{}}}
	p, err := t.resolve(".", dir)
	if err != nil {
		return Kustomization{}, fmt.Errorf("%q %w", dir, err)
	}
	b, err := g.visit(p, 0)
	if err != nil {
		return Kustomization{}, err
	}
	g.out.Root, g.out.Dir = "/"+b.name, p
	return g.out, nil
}

// write adds a file of ours.
func (g *graph) write(name string, data []byte) error {
	if g.bytes += len(data); g.bytes > maxInput {
		return fmt.Errorf("reads more than %d bytes", maxInput)
	}
	g.out.Files[name] = data
	return nil
}

// visit reads one kustomization and its bases.
func (g *graph) visit(dir string, depth int) (*base, error) {
	if b, seen := g.bases[dir]; seen {
		if b == nil {
			return nil, fmt.Errorf("%q builds on itself", dir)
		}
		return b, nil
	}
	if depth > maxBaseDepth {
		return nil, fmt.Errorf("%q is built on by more than %d kustomizations above each other", dir, maxBaseDepth)
	}
	if len(g.bases) == maxBases {
		return nil, fmt.Errorf("%q is one of more than %d kustomizations", dir, maxBases)
	}
	g.bases[dir] = nil
	b := &base{name: fmt.Sprintf("k%04d", len(g.bases)-1)}
	src, k, err := g.readKustomization(dir)
	if err != nil {
		return nil, err
	}
	b.kind = cmp.Or(k.Kind, types.KustomizationKind)
	ours := "/" + b.name + "/" + path.Base(src.file)
	g.out.Names = append(g.out.Names, ours, src.file, "/"+b.name+"/", dir+"/", "/"+b.name, dir, "../"+b.name, dir)
	if depth == 0 {
		g.out.Metadata = k.BuildMetadata
	}
	w := &writer{graph: g, source: src, base: b, dir: dir, depth: depth}
	if err := w.rewrite(k); err != nil {
		return nil, err
	}
	encoded, err := json.Marshal(k)
	if err == nil {
		err = w.places(ours, encoded)
	}
	if err == nil {
		err = g.write(ours, encoded)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", src.file, err)
	}
	g.bases[dir] = b
	return b, nil
}

// readKustomization reads the kustomization file of a directory.
func (g *graph) readKustomization(dir string) (src source, k *types.Kustomization, err error) {
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		p := path.Join(dir, name)
		if _, there := g.tree.kinds[p]; !there {
			continue
		}
		if src.file != "" {
			return source{}, nil, fmt.Errorf("%q has both %s and %s", dir, path.Base(src.file), name)
		}
		src.file = p
	}
	if src.file == "" {
		return source{}, nil, fmt.Errorf("%q is a directory without kustomization.yaml", dir)
	}
	b, err := g.tree.file(src.file)
	if err != nil {
		return source{}, nil, fmt.Errorf("%s %w", src.file, err)
	}
	k, err = src.decode(b)
	return src, k, err
}
