package kustomize

import (
	"encoding/json"
	"fmt"
	"slices"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/yaml"
	sigsyaml "sigs.k8s.io/yaml"
)

// replacements rewrites the references to files that hold replacements.
func (w *writer) replacements(all []types.ReplacementField, at ...any) error {
	for i := range all {
		if all[i].Path == "" {
			continue
		}
		if err := w.file(&all[i].Path, normalReplacements, append(slices.Clone(at), i, "path")...); err != nil {
			return err
		}
	}
	return nil
}

// normalReplacements checks a file with a replacement or a list of them, and returns a list.
func normalReplacements(p string, b []byte) ([]byte, error) {
	docs, err := documents(b)
	if err != nil {
		return nil, fmt.Errorf("%s %w", p, err)
	}
	if len(docs) != 1 {
		return nil, fmt.Errorf("%s is not one YAML document", p)
	}
	encoded, err := sigsyaml.YAMLToJSONStrict(b)
	if err != nil {
		return nil, fmt.Errorf("%s is not YAML", p)
	}
	if docs[0].root().Kind != yaml.SequenceNode {
		encoded = slices.Concat([]byte("["), encoded, []byte("]"))
	}
	var several []types.Replacement
	if err := strict(encoded, &several); err != nil {
		return nil, fmt.Errorf("%s is not a list of replacements: %w", p, err)
	}
	return json.Marshal(several)
}
