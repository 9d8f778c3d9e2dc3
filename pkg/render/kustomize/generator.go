package kustomize

import (
	"errors"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/types"
)

// generator rewrites the files of a generated object. The keys stay the names of the
// tenant's files.
func (w *writer) generator(s *types.KvPairSources, at ...any) error {
	in := func(more ...any) []any { return append(slices.Clone(at), more...) }
	if s.EnvSource != "" {
		if err := w.file(&s.EnvSource, nil, in("env")...); err != nil {
			return err
		}
	}
	for i := range s.EnvSources {
		if err := w.file(&s.EnvSources[i], nil, in("envs", i)...); err != nil {
			return err
		}
	}
	keys := map[string]bool{}
	for i, source := range s.FileSources {
		key, ref, named := strings.Cut(source, "=")
		switch {
		case !named:
			key, ref = path.Base(source), source
		case key == "" || strings.Contains(ref, "="):
			return w.blame(errors.New("is not written path or key=path"), in("files", i)...)
		}
		if err := w.file(&ref, nil, in("files", i)...); err != nil {
			return err
		}
		if keys[key] {
			return w.blame(errors.New("brings a key that the object has already"), in("files", i)...)
		}
		keys[key] = true
		s.FileSources[i] = key + "=" + ref
	}
	for i, literal := range s.LiteralSources {
		key, _, ok := strings.Cut(literal, "=")
		if !ok || key == "" {
			return w.blame(errors.New("is not written key=value"), in("literals", i)...)
		}
		if keys[key] {
			return w.blame(errors.New("brings a key that the object has already"), in("literals", i)...)
		}
		keys[key] = true
	}
	return nil
}
