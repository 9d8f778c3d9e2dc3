//lint:file-ignore SA1019 what tenants have written with deprecated fields is read as well

package kustomize

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/yaml"
	sigsyaml "sigs.k8s.io/yaml"
)

// writer rewrites one kustomization.
type writer struct {
	*graph
	base  *base
	dir   string // of the tenant
	depth int
}

// rewrite replaces every reference in k by a name of ours, and deprecated fields by
// their successors.
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
	if err := k.FixKustomizationPreMarshalling(filesys.MakeFsInMemory()); err != nil {
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
		w.out.Secrets = true
		if err := w.generator("secretGenerator", &k.SecretGenerator[i].KvPairSources); err != nil {
			return err
		}
	}
	return nil
}

// directory visits another kustomization and returns the reference to it.
func (w *writer) directory(p string) (string, error) {
	if !w.tree.isDir(p) {
		return "", fmt.Errorf("%s is not a directory", quote(p))
	}
	b, err := w.visit(p, w.depth+1)
	if err != nil {
		return "", err
	}
	return "../" + b.name, nil
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
		w.out.Secrets = w.out.Secrets || d.field("kind") == "Secret"
	}
	return w.copy(p, b)
}

// inside reads a file in the directory of its kustomization or below. Kustomize demands
// the same.
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

// copy adds a file under a name of ours.
func (w *writer) copy(p string, b []byte) (string, error) {
	if w.base.files == maxFiles {
		return "", fmt.Errorf("refers to more than %d files", maxFiles)
	}
	name := fmt.Sprintf("f%05d", w.base.files)
	w.base.files++
	full := "/" + w.base.name + "/" + name
	w.out.Names = append([]string{full, p}, w.out.Names...)
	return name, w.write(full, b)
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
		w.out.Secrets = w.out.Secrets || d.field("kind") == "Secret"
	}
	return nil
}

// replacement rewrites the file that holds replacements, if it is one.
func (w *writer) replacement(r *types.ReplacementField) error {
	if r.Path == "" {
		return nil
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
	if err := strict(encoded, &several); err != nil {
		return nil, fmt.Errorf("is not a list of replacements: %w", err)
	}
	return several, nil
}
