//lint:file-ignore SA1019 what tenants have written with deprecated fields is read as well

package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/yaml"
	sigsyaml "sigs.k8s.io/yaml"
)

// Bounds of a kustomization with all that it builds on, each counted as often as
// it is used.
const (
	maxBases     = 200
	maxBaseDepth = 20
	maxInput     = 8 << 20   // bytes
	maxWork      = 128 << 20 // bytes that patches write when each meets every object
	maxCopies    = 512 << 20 // bytes that replacements write when each copies everything
	maxDoublings = 20        // replacements that may copy what another one wrote
	maxDoubled   = 64 << 20  // bytes that such replacements write when each doubles everything
)

// Kustomize is no sandbox: a reference may be an address that it fetches, a
// repository that it clones with a program, a plugin that it runs, a directory
// outside. So it never sees a reference that a tenant wrote. The graph of
// kustomizations is read here, field by field of those that are known to be
// harmless, and written anew to a file system in memory, where every directory
// and file has a name of ours.
type graph struct {
	tree    *tree
	memory  filesys.FileSystem
	bases   map[string]*base // by directory; nil while it is being read
	names   []string         // names of ours and the tenant's, in turn
	secrets bool             // something in it is a secret
}

// base is one kustomization that was written anew.
type base struct {
	name string
	cost cost
}

// cost is what building a kustomization takes, with all that it builds on.
type cost struct {
	bases, bytes, objects int
	rules                 int // bytes that may meet every object
	copies                int // fields that replacements write
	doublings             int // replacements that may copy what another one wrote
}

func (c *cost) add(o cost) error {
	c.bases += o.bases
	c.bytes += o.bytes
	c.objects += o.objects
	c.rules += o.rules
	c.copies += o.copies
	c.doublings += o.doublings
	switch {
	case c.bases > maxBases:
		return fmt.Errorf("builds on more than %d kustomizations", maxBases)
	case c.bytes > maxInput:
		return fmt.Errorf("reads more than %d bytes", maxInput)
	case c.objects > maxObjects:
		return fmt.Errorf("reads more than %d objects", maxObjects)
	case c.rules*max(1, c.objects) > maxWork:
		return errors.New("has patches that are too large for so many objects")
	case c.doublings > maxDoublings || c.doublings > 0 && c.bytes > maxDoubled>>c.doublings:
		return fmt.Errorf("has too many replacements (%d) that may copy what another one wrote", c.doublings)
	case c.copies > 0 && c.bytes > maxCopies/c.copies/max(1, c.objects):
		return fmt.Errorf("has replacements of too many fields (%d) for so many objects", c.copies)
	}
	return nil
}

// newGraph reads the kustomization in directory dir of a tree and writes it
// anew. It returns the name of its directory in memory.
func newGraph(t *tree, dir string) (*graph, string, error) {
	g := &graph{tree: t, memory: filesys.MakeFsInMemory(), bases: map[string]*base{}}
	p, err := t.resolve(".", dir)
	if err != nil {
		return nil, "", fmt.Errorf("%s %w", quote(dir), err)
	}
	b, err := g.visit(p, 0)
	if err != nil {
		return nil, "", err
	}
	return g, "/" + b.name, nil
}

// visit reads one kustomization and what it builds on.
func (g *graph) visit(dir string, depth int) (*base, error) {
	if b, seen := g.bases[dir]; seen {
		if b == nil {
			return nil, fmt.Errorf("%s builds on itself", quote(dir))
		}
		return b, nil
	}
	if depth > maxBaseDepth {
		return nil, fmt.Errorf("%s is built on by more than %d kustomizations above each other", quote(dir), maxBaseDepth)
	}
	if len(g.bases) == maxBases {
		return nil, fmt.Errorf("%s is one of more than %d kustomizations", quote(dir), maxBases)
	}
	g.bases[dir] = nil
	b := &base{name: fmt.Sprintf("k%04d", len(g.bases)-1), cost: cost{bases: 1}}
	file, k, size, err := g.readKustomization(dir)
	if err != nil {
		return nil, err
	}
	b.cost.bytes, b.cost.rules = size, size
	g.names = append(g.names, "/"+b.name+"/", dir+"/", "/"+b.name, dir, "../"+b.name, dir)
	w := &writer{graph: g, base: b, dir: dir, depth: depth, file: file}
	if err := w.rewrite(k); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	encoded, err := json.Marshal(k)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if err := g.memory.WriteFile("/"+b.name+"/"+konfig.DefaultKustomizationFileName(), encoded); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	g.bases[dir] = b
	return b, nil
}

// readKustomization reads the kustomization file of a directory.
func (g *graph) readKustomization(dir string) (file string, k *types.Kustomization, size int, err error) {
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		p := path.Join(dir, name)
		if _, there := g.tree.kinds[p]; !there {
			continue
		}
		if file != "" {
			return "", nil, 0, fmt.Errorf("%s has both %s and %s", quote(dir), path.Base(file), name)
		}
		file = p
	}
	if file == "" {
		return "", nil, 0, fmt.Errorf("%s is a directory without kustomization.yaml", quote(dir))
	}
	b, err := g.tree.read(file)
	if err != nil {
		return "", nil, 0, fmt.Errorf("%s %w", file, err)
	}
	k, err = decodeKustomization(b)
	if err != nil {
		return "", nil, 0, fmt.Errorf("%s %w", file, err)
	}
	return file, k, len(b), nil
}

// decodeKustomization reads a kustomization file and refuses fields that are not
// known to be harmless.
func decodeKustomization(b []byte) (*types.Kustomization, error) {
	docs, err := documents(b)
	if err != nil {
		return nil, err
	}
	if len(docs) != 1 || docs[0].root().Kind != yaml.MappingNode {
		return nil, errors.New("is not one YAML document with fields")
	}
	encoded, err := sigsyaml.YAMLToJSONStrict(b)
	if err != nil {
		return nil, errors.New("is not YAML")
	}
	k := &types.Kustomization{}
	d := json.NewDecoder(bytes.NewReader(encoded))
	d.DisallowUnknownFields()
	if err := d.Decode(k); err != nil {
		return nil, fmt.Errorf("is not a kustomization: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if fields := refused(*k); fields != nil {
		return nil, fmt.Errorf("uses %s, which is not allowed: it would fetch, run or change what others share", strings.Join(fields, ", "))
	}
	return k, nil
}

// refused returns the fields of k that are set and not known to be harmless. A
// field that a later kustomize adds is refused until someone has looked at it.
func refused(k types.Kustomization) []string {
	k.TypeMeta, k.MetaData = types.TypeMeta{}, nil
	k.NamePrefix, k.NameSuffix, k.Namespace = "", "", ""
	k.CommonLabels, k.Labels, k.CommonAnnotations = nil, nil, nil
	k.PatchesStrategicMerge, k.PatchesJson6902, k.Patches = nil, nil, nil
	k.Images, k.ImageTags, k.Replacements, k.Replicas, k.SortOptions = nil, nil, nil, nil, nil
	k.Resources, k.Bases, k.Components = nil, nil, nil
	k.ConfigMapGenerator, k.SecretGenerator, k.GeneratorOptions = nil, nil, nil
	var fields []string
	rest := reflect.ValueOf(k)
	for i := range rest.NumField() {
		if !rest.Field(i).IsZero() {
			name, _, _ := strings.Cut(rest.Type().Field(i).Tag.Get("json"), ",")
			fields = append(fields, name)
		}
	}
	slices.Sort(fields)
	return fields
}

// quote names a directory in a message.
func quote(dir string) string { return strconv.Quote(dir) }
