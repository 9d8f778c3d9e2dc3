package kustomize

import (
	"fmt"
	"path"
	"strings"

	"sigs.k8s.io/kustomize/api/types"
)

// generator rewrites the files of a generated object. The keys stay the names of the
// tenant's files.
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
	return name, p, nil
}

// refusal explains why a reference is refused, and quotes a little of it.
func refusal(field, ref string, err error) error {
	return fmt.Errorf("%s: %.80q %w", field, ref, err)
}
