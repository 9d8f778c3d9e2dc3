//lint:file-ignore SA1019 what tenants have written with deprecated fields is read as well

package kustomize

import (
	"errors"
	"fmt"
	"strings"

	"sigs.k8s.io/kustomize/api/types"
)

// writer rewrites one kustomization.
type writer struct {
	*graph
	source
	base  *base
	dir   string // of the tenant
	depth int

	written []int // the places that the tenant gave the transformers
}

// rewrite replaces every reference in k by a name of ours. All else stays as it was
// written: in which order kustomize makes changes depends on the fields.
func (w *writer) rewrite(k *types.Kustomization) error {
	if err := each(k.Resources, "resources", w.resource); err != nil {
		return err
	}
	if err := each(k.Bases, "bases", w.resource); err != nil {
		return err
	}
	for i := range k.Components {
		if err := w.directory(&k.Components[i], types.ComponentKind, "components", i); err != nil {
			return err
		}
	}
	if err := w.patches(k); err != nil {
		return err
	}
	if err := w.replacements(k.Replacements, "replacements"); err != nil {
		return err
	}
	for i := range k.ConfigMapGenerator {
		w.note("ConfigMap", k.ConfigMapGenerator[i].Name, w.source.place("configMapGenerator", i))
		if err := w.generator(&k.ConfigMapGenerator[i].KvPairSources, "configMapGenerator", i); err != nil {
			return err
		}
	}
	for i := range k.SecretGenerator {
		w.note("Secret", k.SecretGenerator[i].Name, w.source.place("secretGenerator", i))
		w.out.Secrets = true
		if err := w.generator(&k.SecretGenerator[i].KvPairSources, "secretGenerator", i); err != nil {
			return err
		}
	}
	k.SortOptions = nil // the result is sorted by identity
	var err error
	k.Transformers, err = w.transformers(k.Transformers)
	return err
}

// each rewrites the entries of a field, up to the first error.
func each[T any](entries []T, field string, rewrite func(entry *T, at ...any) error) error {
	for i := range entries {
		if err := rewrite(&entries[i], field, i); err != nil {
			return err
		}
	}
	return nil
}

// resource rewrites a reference to another kustomization or to a file with objects.
func (w *writer) resource(ref *string, at ...any) error {
	p, err := w.target(*ref)
	if err != nil {
		return w.blame(quoted(*ref, err), at...)
	}
	if w.tree.isDir(p) {
		return w.directory(ref, types.KustomizationKind, at...)
	}
	return w.file(ref, w.resources, at...)
}

// directory rewrites a reference to another kustomization of a kind, and visits it.
func (w *writer) directory(ref *string, kind string, at ...any) error {
	p, err := w.target(*ref)
	if err == nil && !w.tree.isDir(p) {
		err = errors.New("is not a directory")
	}
	if err != nil {
		return w.blame(quoted(*ref, err), at...)
	}
	b, err := w.visit(p, w.depth+1)
	if err != nil {
		return err
	}
	if b.kind != kind {
		return w.blame(fmt.Errorf("%s has kind %s; a Component is named below components, a Kustomization below resources", p, b.kind), at...)
	}
	*ref = "../" + b.name
	return nil
}

// file rewrites a reference to a file, and copies the file. A check of its path and content
// says what is wrong with it, and may return other content.
func (w *writer) file(ref *string, check func(string, []byte) ([]byte, error), at ...any) error {
	p, err := w.tree.resolve(w.dir, *ref)
	if err != nil {
		return w.blame(quoted(*ref, err), at...)
	}
	if w.dir != "." && !strings.HasPrefix(p, w.dir+"/") { // kustomize demands the same
		return w.blame(fmt.Errorf("%s is not below the directory of its kustomization", p), at...)
	}
	b, err := w.tree.file(p)
	if err != nil {
		return w.blame(fmt.Errorf("%s %w", p, err), at...)
	}
	if check != nil {
		if b, err = check(p, b); err != nil {
			return w.blame(err, at...)
		}
	}
	*ref, err = w.copy(p, b)
	return err
}

// resources checks a file with objects, and notes where they stand.
func (w *writer) resources(p string, b []byte) ([]byte, error) {
	docs, err := documents(b)
	if err != nil {
		return nil, fmt.Errorf("%s %w", p, err)
	}
	for _, d := range docs {
		w.wrote(p, d.root())
	}
	return b, nil
}

// patchFile checks a file with patches.
func (w *writer) patchFile(p string, b []byte) ([]byte, error) {
	if err := w.inline(string(b)); err != nil {
		return nil, fmt.Errorf("%s %w", p, err)
	}
	return b, nil
}

// inline checks a patch.
func (w *writer) inline(text string) error {
	docs, err := documents([]byte(text))
	for _, d := range docs {
		w.out.Secrets = w.out.Secrets || d.field("kind") == "Secret"
	}
	return err
}

// copy adds a file under a name of ours. In what kustomize says, the name stands for p.
func (w *writer) copy(p string, b []byte) (string, error) {
	if w.base.files == maxFiles {
		return "", fmt.Errorf("%s: refers to more than %d files", w.source.file, maxFiles)
	}
	name := fmt.Sprintf("f%05d", w.base.files)
	w.base.files++
	full := "/" + w.base.name + "/" + name
	w.out.Names = append([]string{full, p}, w.out.Names...)
	return name, w.write(full, b)
}
