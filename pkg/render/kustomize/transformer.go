//lint:file-ignore SA1019 what tenants have written with deprecated fields is read as well

package kustomize

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/yaml"
	sigsyaml "sigs.k8s.io/yaml"
)

// A builtin is the configuration of a transformer that is part of kustomize. It has the
// fields that the transformer reads, so there is no reference that is not rewritten.
type builtin interface {
	rewrite(w *writer) error
}

// builtins are the transformers that only change objects.
var builtins = map[string]func() builtin{
	"AnnotationsTransformer":         func() builtin { return &annotating{} },
	"LabelTransformer":               func() builtin { return &labelling{} },
	"PrefixTransformer":              func() builtin { return &naming{} },
	"SuffixTransformer":              func() builtin { return &naming{} },
	"PrefixSuffixTransformer":        func() builtin { return &naming{} },
	"NamespaceTransformer":           func() builtin { return &moving{} },
	"ImageTagTransformer":            func() builtin { return &imaging{} },
	"ReplicaCountTransformer":        func() builtin { return &counting{} },
	"PatchTransformer":               func() builtin { return &patching{} },
	"PatchJson6902Transformer":       func() builtin { return &operating{} },
	"PatchStrategicMergeTransformer": func() builtin { return &merging{} },
	"ReplacementTransformer":         func() builtin { return &replacing{} },
}

// header is what every configuration begins with.
type header struct {
	types.TypeMeta `json:",inline"`
	Metadata       json.RawMessage `json:"metadata"`
}

func (header) rewrite(*writer) error { return nil }

type annotating struct {
	header
	Annotations map[string]string `json:"annotations"`
	FieldSpecs  []types.FieldSpec `json:"fieldSpecs"`
}

type labelling struct {
	header
	Labels     map[string]string `json:"labels"`
	FieldSpecs []types.FieldSpec `json:"fieldSpecs"`
}

type naming struct {
	header
	Prefix     string            `json:"prefix,omitempty"`
	Suffix     string            `json:"suffix,omitempty"`
	FieldSpecs []types.FieldSpec `json:"fieldSpecs"`
}

type moving struct {
	header
	FieldSpecs             []types.FieldSpec `json:"fieldSpecs"`
	UnsetOnly              bool              `json:"unsetOnly,omitempty"`
	SetRoleBindingSubjects string            `json:"setRoleBindingSubjects,omitempty"`
}

type imaging struct {
	header
	ImageTag   types.Image       `json:"imageTag"`
	FieldSpecs []types.FieldSpec `json:"fieldSpecs"`
}

type counting struct {
	header
	Replica    types.Replica     `json:"replica"`
	FieldSpecs []types.FieldSpec `json:"fieldSpecs"`
}

type patching struct {
	header
	Path    string           `json:"path,omitempty"`
	Patch   string           `json:"patch,omitempty"`
	Target  *types.Selector  `json:"target,omitempty"`
	Options *types.PatchArgs `json:"options,omitempty"`
}

func (p *patching) rewrite(w *writer) error {
	p.Patch = strings.TrimSpace(p.Patch) // as kustomize does before it looks whether there is one
	return w.patch(&p.Path, &p.Patch, "patch")
}

type operating struct {
	header
	Path   string          `json:"path,omitempty"`
	JsonOp string          `json:"jsonOp,omitempty"`
	Target *types.Selector `json:"target,omitempty"`
}

func (p *operating) rewrite(w *writer) error { return w.patch(&p.Path, &p.JsonOp, "jsonOp") }

type merging struct {
	header
	Paths   []types.PatchStrategicMerge `json:"paths,omitempty"`
	Patches string                      `json:"patches,omitempty"`
}

func (p *merging) rewrite(w *writer) error {
	if err := each(p.Paths, "paths", w.merge); err != nil {
		return err
	}
	if err := w.inline(p.Patches); err != nil {
		return w.blame(err, "patches")
	}
	return nil
}

type replacing struct {
	header
	Replacements []types.ReplacementField `json:"replacements"`
}

func (p *replacing) rewrite(w *writer) error { return w.replacements(p.Replacements, "replacements") }

// transformers rewrites the entries of transformers: files, and configurations that are
// written inline. Kustomize takes for a path what it cannot read, so both become files, in
// the order of kustomize: inline comes first.
func (w *writer) transformers(entries []string) ([]string, error) {
	var inline, files []string
	var first, then []int
	for i, entry := range entries {
		written, err := w.transformer(&entry, "transformers", i)
		if err != nil {
			return nil, err
		}
		if written {
			inline, first = append(inline, entry), append(first, i)
		} else {
			files, then = append(files, entry), append(then, i)
		}
	}
	w.written = append(first, then...)
	return append(inline, files...), nil
}

// transformer rewrites one entry, and reports whether it was written inline.
func (w *writer) transformer(entry *string, at ...any) (inline bool, err error) {
	docs, err := documents([]byte(*entry))
	if err == nil && len(docs) > 0 && docs[0].root().Kind != yaml.ScalarNode {
		b, err := w.configurations(w.source, docs)
		if err != nil {
			return true, w.blame(err, at...)
		}
		*entry, err = w.copy(w.source.file, b)
		return true, err
	}
	if err != nil && strings.Contains(*entry, "\n") {
		return false, w.blame(err, at...)
	}
	p, err := w.tree.resolve(w.dir, *entry)
	if err == nil && w.tree.isDir(p) {
		return false, w.blame(quoted(*entry, errors.New("is a directory; write the files in it")), at...)
	}
	return false, w.file(entry, func(p string, b []byte) ([]byte, error) {
		docs, err := documents(b)
		if err != nil {
			return nil, fmt.Errorf("%s %w", p, err)
		}
		return w.configurations(source{file: p}, docs)
	}, at...)
}

// configurations rewrites configurations of transformers. Paths in them are relative to
// the kustomization.
func (w *writer) configurations(in source, docs []document) ([]byte, error) {
	var out []byte
	for _, d := range docs {
		in.root = d.root()
		config, err := d.builtin()
		if err != nil {
			return nil, in.blame(err)
		}
		there := *w
		there.source = in
		if err := config.rewrite(&there); err != nil {
			return nil, err
		}
		encoded, err := json.Marshal(config)
		if err != nil {
			return nil, in.blame(err)
		}
		out = append(append(out, encoded...), "\n---\n"...)
	}
	return out, nil
}

// builtin returns the configuration that a document has.
func (d document) builtin() (builtin, error) {
	if d.field("apiVersion") != "builtin" {
		return nil, fmt.Errorf("has apiVersion %.80q; only builtin transformers are run, nothing that is a program", d.field("apiVersion"))
	}
	known, ok := builtins[d.field("kind")]
	if !ok {
		return nil, fmt.Errorf("has kind %.80q, known are %s", d.field("kind"), strings.Join(slices.Sorted(maps.Keys(builtins)), ", "))
	}
	// As kustomize hands it over: through JSON.
	encoded, err := yaml.NewRNode(d.root()).MarshalJSON()
	if err != nil {
		return nil, errors.New("is not an object")
	}
	config := known()
	if err := sigsyaml.UnmarshalStrict(encoded, config); err != nil {
		return nil, fmt.Errorf("is no configuration of a %s: %s", d.field("kind"), strings.TrimPrefix(err.Error(), "error unmarshaling JSON: "))
	}
	return config, nil
}
