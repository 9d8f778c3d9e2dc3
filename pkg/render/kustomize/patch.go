//lint:file-ignore SA1019 what tenants have written with deprecated fields is read as well

package kustomize

import (
	"errors"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// patches rewrites the patches of a kustomization.
func (w *writer) patches(k *types.Kustomization) error {
	one := func(p *types.Patch, at ...any) error { return w.patch(&p.Path, &p.Patch, "patch", at...) }
	if err := each(k.PatchesStrategicMerge, "patchesStrategicMerge", w.merge); err != nil {
		return err
	}
	if err := each(k.Patches, "patches", one); err != nil {
		return err
	}
	return each(k.PatchesJson6902, "patchesJson6902", one)
}

// patch rewrites a patch that a file has, or that is written inline in a field. They stay
// what they are: kustomize cuts the end of an inline patch, and that of a file it keeps.
func (w *writer) patch(file, inline *string, field string, at ...any) error {
	if (*file == "") == (*inline == "") {
		return w.blame(errors.New("a patch has either a path or a patch"), at...)
	}
	if *file != "" {
		return w.file(file, w.patchFile, append(at, "path")...)
	}
	if err := w.inline(*inline); err != nil {
		return w.blame(err, append(at, field)...)
	}
	return nil
}

// merge rewrites a strategic merge patch in the old form: a path, or the patch itself.
// Kustomize takes for a path what it cannot read as a patch, so both become files.
func (w *writer) merge(p *types.PatchStrategicMerge, at ...any) error {
	text := string(*p)
	docs, err := documents([]byte(text))
	if err != nil || len(docs) != 1 || docs[0].root().Kind != yaml.ScalarNode {
		if err := w.inline(text); err != nil {
			return w.blame(err, at...)
		}
		name, err := w.copy(w.source.file, []byte(text))
		*p = types.PatchStrategicMerge(name)
		return err
	}
	err = w.file(&text, w.patchFile, at...)
	*p = types.PatchStrategicMerge(text)
	return err
}
