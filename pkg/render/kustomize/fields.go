//lint:file-ignore SA1019 what tenants have written with deprecated fields is read as well

package kustomize

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/yaml"
	sigsyaml "sigs.k8s.io/yaml"
)

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
	if err := strict(encoded, k); err != nil {
		return nil, fmt.Errorf("is not a kustomization: %w", err)
	}
	if fields := refused(*k); fields != nil {
		return nil, fmt.Errorf("uses %s, which is not allowed: it would fetch, run or change what others share", strings.Join(fields, ", "))
	}
	return k, nil
}

// refused returns the fields of k that are set and not known to be harmless. A field that
// a newer kustomize adds is refused until somebody has reviewed it.
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

// strict decodes JSON and refuses fields that v does not have.
func strict(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}
