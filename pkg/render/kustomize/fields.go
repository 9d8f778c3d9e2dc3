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

// decode reads a kustomization file and refuses fields that are not known to be harmless.
func (s *source) decode(b []byte) (*types.Kustomization, error) {
	docs, err := documents(b)
	if err == nil && (len(docs) != 1 || docs[0].root().Kind != yaml.MappingNode) {
		err = errors.New("is not one YAML document with fields")
	}
	if err != nil {
		return nil, fmt.Errorf("%s %w", s.file, err)
	}
	s.root = docs[0].root()
	encoded, err := sigsyaml.YAMLToJSONStrict(b)
	if err != nil {
		return nil, fmt.Errorf("%s is not YAML", s.file)
	}
	k := &types.Kustomization{}
	if err := strict(encoded, k); err != nil {
		return nil, s.misfit(err)
	}
	if err := k.CheckEmpty(); err != nil {
		return nil, fmt.Errorf("%s has nothing in it; write resources", s.file)
	}
	if k.EnforceFields() != nil {
		return nil, s.blame(fmt.Errorf("is neither a %s of %s nor a %s of %s", types.KustomizationKind, types.KustomizationVersion, types.ComponentKind, types.ComponentVersion), "apiVersion")
	}
	if fields := refused(*k); fields != nil {
		return nil, s.blame(fmt.Errorf("is not allowed: it would %s", instead(fields[0])), fields[0])
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
	k.Vars, k.Transformers, k.BuildMetadata = nil, nil, nil
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

// instead says what a field would do, and what to write instead of it.
func instead(field string) string {
	switch field {
	case "openapi", "crds":
		return "change how objects of others are merged; write a JSON patch or replacements"
	case "configurations":
		return "change how all fields are found; write fieldSpecs in a transformer of apiVersion builtin, or replacements"
	case "generators":
		return "run a program; write configMapGenerator, secretGenerator or the objects themselves"
	case "validators":
		return "run a program; leave it out, objects are checked when the commit is"
	case "helmCharts", "helmGlobals", "helmChartInflationGenerator":
		return "fetch a chart and run a program; write the output of `helm template` into a file below resources"
	}
	return "do what nobody has reviewed; leave it out"
}

// strict decodes JSON and refuses fields that v does not have.
func strict(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

// misfit blames the field of a kustomization that does not decode.
func (s source) misfit(err error) error {
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		var path []any
		for _, step := range strings.Split(wrong.Field, ".") {
			path = append(path, step)
		}
		return s.blame(fmt.Errorf("has the type %s, which does not fit", wrong.Value), path...)
	}
	message := strings.TrimPrefix(err.Error(), "json: ")
	if name, ok := strings.CutPrefix(message, "unknown field "); ok {
		if key := find(s.root, strings.Trim(name, `"`)); key != nil {
			return fmt.Errorf("%s:%d: has a field %s that no kustomization has", s.file, key.Line, name)
		}
	}
	return fmt.Errorf("%s is not a kustomization: %s", s.file, message)
}
