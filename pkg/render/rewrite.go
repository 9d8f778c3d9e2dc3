//lint:file-ignore SA1019 what tenants have written with deprecated fields is read as well

package render

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/yaml"
	sigsyaml "sigs.k8s.io/yaml"
)

// writer writes one kustomization anew.
type writer struct {
	*graph
	base  *base
	dir   string // of the tenant
	depth int
	file  string // of the kustomization
	files int    // written so far
}

// rewrite replaces every reference in k by one of ours. Deprecated fields become
// those that replaced them.
func (w *writer) rewrite(k *types.Kustomization) error {
	k.Resources, k.Bases = append(k.Resources, k.Bases...), nil
	k.Images, k.ImageTags = append(k.Images, k.ImageTags...), nil
	k.SortOptions = nil // the result is sorted by identity
	for _, old := range k.PatchesStrategicMerge {
		// The old form of a patch is a path or the patch itself.
		p := types.Patch{Path: string(old)}
		if strings.ContainsAny(p.Path, "\n{") {
			p = types.Patch{Patch: p.Path}
		}
		k.Patches = append(k.Patches, p)
	}
	k.PatchesStrategicMerge = nil
	if err := k.FixKustomizationPreMarshalling(w.memory); err != nil {
		return err
	}
	for i, ref := range k.Resources {
		p, err := w.tree.resolve(w.dir, ref)
		if err != nil {
			return refusal("resources", ref, err)
		}
		if w.tree.isDir(p) {
			k.Resources[i], err = w.directory(p)
		} else {
			k.Resources[i], err = w.manifest(p)
		}
		if err != nil {
			return err
		}
	}
	for i, ref := range k.Components {
		p, err := w.tree.resolve(w.dir, ref)
		if err != nil {
			return refusal("components", ref, err)
		}
		if k.Components[i], err = w.directory(p); err != nil {
			return err
		}
	}
	for i := range k.Patches {
		if err := w.patch(&k.Patches[i]); err != nil {
			return err
		}
	}
	for i := range k.Replacements {
		if err := w.replacement(&k.Replacements[i]); err != nil {
			return err
		}
	}
	for i := range k.ConfigMapGenerator {
		if err := w.generator("configMapGenerator", &k.ConfigMapGenerator[i].KvPairSources); err != nil {
			return err
		}
	}
	for i := range k.SecretGenerator {
		w.secrets = true
		if err := w.generator("secretGenerator", &k.SecretGenerator[i].KvPairSources); err != nil {
			return err
		}
	}
	return w.base.cost.add(cost{objects: len(k.ConfigMapGenerator) + len(k.SecretGenerator)})
}

// directory visits another kustomization and returns how it is referred to.
func (w *writer) directory(p string) (string, error) {
	if !w.tree.isDir(p) {
		return "", fmt.Errorf("%s is not a directory", quote(p))
	}
	b, err := w.visit(p, w.depth+1)
	if err != nil {
		return "", err
	}
	return "../" + b.name, w.base.cost.add(b.cost)
}

// manifest copies a file with objects.
func (w *writer) manifest(p string) (string, error) {
	b, err := w.inside(p)
	if err != nil {
		return "", err
	}
	docs, err := documents(b)
	if err != nil {
		return "", fmt.Errorf("%s %w", p, err)
	}
	for _, d := range docs {
		w.secrets = w.secrets || d.field("kind") == "Secret"
	}
	name, err := w.copy(p, b)
	if err != nil {
		return "", err
	}
	return name, w.base.cost.add(cost{bytes: len(b), objects: len(docs)})
}

// inside reads a file, which is in the directory of its kustomization or below:
// what kustomize demands too.
func (w *writer) inside(p string) ([]byte, error) {
	if w.dir != "." && !strings.HasPrefix(p, w.dir+"/") {
		return nil, fmt.Errorf("%s is not below the directory of its kustomization", p)
	}
	b, err := w.tree.read(p)
	if err != nil {
		return nil, fmt.Errorf("%s %w", p, err)
	}
	return b, nil
}

// copy writes a file to memory, under a name of ours.
func (w *writer) copy(p string, b []byte) (string, error) {
	if w.files == maxFiles {
		return "", fmt.Errorf("refers to more than %d files", maxFiles)
	}
	name := fmt.Sprintf("f%05d", w.files)
	w.files++
	full := "/" + w.base.name + "/" + name
	w.names = append([]string{full, p}, w.names...)
	return name, w.memory.WriteFile(full, b)
}

// patch rewrites one patch.
func (w *writer) patch(p *types.Patch) error {
	content := []byte(p.Patch)
	if (p.Path == "") == (p.Patch == "") {
		return errors.New("patches: a patch has either a path or a patch")
	}
	if p.Path != "" {
		at, err := w.tree.resolve(w.dir, p.Path)
		if err != nil {
			return refusal("patches", p.Path, err)
		}
		if content, err = w.inside(at); err != nil {
			return err
		}
		p.Path, p.Patch = "", string(content)
	}
	docs, err := documents(content)
	if err != nil {
		return fmt.Errorf("patches: a patch %w", err)
	}
	for _, d := range docs {
		w.secrets = w.secrets || d.field("kind") == "Secret"
		if d.root().Kind == yaml.SequenceNode {
			if err := plainOperations(d); err != nil {
				return fmt.Errorf("patches: a patch %w", err)
			}
		}
	}
	return w.base.cost.add(cost{bytes: len(content), rules: len(content)})
}

// plainOperations refuses operations of a JSON patch that copy: a handful of
// them doubles a document until no memory holds it.
func plainOperations(d document) error {
	if aliased(d.root()) {
		return errors.New("of operations has aliases")
	}
	for _, op := range d.root().Content {
		if (document{op}).field("op") == "copy" {
			return errors.New("copies parts of an object (op: copy); write out what it adds")
		}
	}
	return nil
}

// replacement takes in a replacement, or those that a file holds.
func (w *writer) replacement(r *types.ReplacementField) error {
	if r.Path == "" {
		return w.base.cost.add(replacing(&r.Replacement))
	}
	p, err := w.tree.resolve(w.dir, r.Path)
	if err != nil {
		return refusal("replacements", r.Path, err)
	}
	b, err := w.inside(p)
	if err != nil {
		return err
	}
	several, err := decodeReplacements(b)
	if err != nil {
		return fmt.Errorf("%s %w", p, err)
	}
	for i := range several {
		if err := w.base.cost.add(replacing(&several[i])); err != nil {
			return err
		}
	}
	encoded, err := json.Marshal(several)
	if err != nil {
		return fmt.Errorf("%s: %w", p, err)
	}
	r.Path, err = w.copy(p, encoded)
	return err
}

// decodeReplacements reads a file with a replacement or a list of them.
func decodeReplacements(b []byte) ([]types.Replacement, error) {
	docs, err := documents(b)
	if err != nil {
		return nil, err
	}
	if len(docs) != 1 {
		return nil, errors.New("is not one YAML document")
	}
	encoded, err := sigsyaml.YAMLToJSONStrict(b)
	if err != nil {
		return nil, errors.New("is not YAML")
	}
	if docs[0].root().Kind != yaml.SequenceNode {
		encoded = slices.Concat([]byte("["), encoded, []byte("]"))
	}
	var several []types.Replacement
	if err := decode(encoded, &several); err != nil {
		return nil, fmt.Errorf("is not a list of replacements: %w", err)
	}
	return several, nil
}

// replacing says what a replacement may cost. One that copies from ConfigMaps to
// what is no ConfigMap copies nothing twice; any other may copy what another one
// wrote, and so double it.
func replacing(r *types.Replacement) cost {
	c := cost{}
	plain := r.Source == nil || r.Source.Kind == "ConfigMap"
	for _, t := range r.Targets {
		if t == nil || t.Select == nil {
			continue
		}
		c.copies += max(1, len(t.FieldPaths))
		kind := t.Select.Kind
		plain = plain && kind != "" && kind != "ConfigMap" && !strings.ContainsFunc(kind, func(r rune) bool {
			return (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
		})
	}
	if !plain {
		c.doublings = 1
	}
	return c
}

// generator rewrites the files that a generated object is made of. The keys are
// the names that the files had.
func (w *writer) generator(field string, s *types.KvPairSources) error {
	envs := s.EnvSources
	if s.EnvSource != "" {
		envs = append(envs, s.EnvSource)
	}
	s.EnvSources, s.EnvSource = nil, ""
	for _, ref := range envs {
		name, _, err := w.source(field, ref)
		if err != nil {
			return err
		}
		s.EnvSources = append(s.EnvSources, name)
	}
	for i, source := range s.FileSources {
		key, ref, named := strings.Cut(source, "=")
		if !named {
			key, ref = "", source
		}
		name, p, err := w.source(field, ref)
		if err != nil {
			return err
		}
		if key == "" {
			key = path.Base(p)
		}
		s.FileSources[i] = key + "=" + name
	}
	for _, literal := range s.LiteralSources {
		if i := strings.IndexByte(literal, '='); i < 1 {
			return fmt.Errorf("%s: a literal is written key=value", field)
		}
	}
	return nil
}

func (w *writer) source(field, ref string) (name, p string, err error) {
	if p, err = w.tree.resolve(w.dir, ref); err != nil {
		return "", "", refusal(field, ref, err)
	}
	b, err := w.inside(p)
	if err != nil {
		return "", "", err
	}
	if name, err = w.copy(p, b); err != nil {
		return "", "", err
	}
	return name, p, w.base.cost.add(cost{bytes: len(b)})
}

// refusal says what is wrong with a reference, of which a little is repeated.
func refusal(field, ref string, err error) error {
	return fmt.Errorf("%s: %.80q %w", field, ref, err)
}
