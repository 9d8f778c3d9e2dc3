package sops

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// readYAML reads one document. Comments stand in the tree where SOPS sees them.
func readYAML(data []byte) (branch, error) {
	documents := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	if err := documents.Decode(&doc); err != nil {
		return nil, wrong(ErrFormat, "it is no valid YAML")
	}
	if err := documents.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, wrong(ErrFormat, "it has several documents")
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, wrong(ErrFormat, "it is no mapping of keys to values")
	}
	r := yamlReader{left: maxValues}
	tree := remarks(nil, doc.HeadComment, doc.LineComment)
	inner, err := r.mapping(doc.Content[0], false, 0)
	return append(append(tree, inner...), remarks(nil, doc.FootComment)...), err
}

// yamlReader counts what it reads.
type yamlReader struct{ left int }

// mapping reads a mapping. Told is set if the reader of its parent has read its comments.
func (r *yamlReader) mapping(n *yaml.Node, told bool, depth int) (b branch, err error) {
	b = branch{}
	if !told {
		b = remarks(b, n.HeadComment, n.LineComment)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str" {
			return nil, wrong(ErrFormat, "line %d has a key that is no text", key.Line)
		}
		if seen[key.Value] {
			return nil, wrong(ErrFormat, "line %d has a key that is there already", key.Line)
		}
		seen[key.Value] = true
		b = remarks(b, key.HeadComment, key.LineComment)
		scalar := value.Kind == yaml.ScalarNode
		if scalar {
			b = remarks(b, value.HeadComment, value.LineComment)
		}
		v, err := r.value(value, scalar, depth+1)
		if err != nil {
			return nil, err
		}
		b = append(b, item{&key.Value, v})
		if scalar {
			b = remarks(b, value.FootComment)
		}
		b = remarks(b, key.FootComment)
	}
	if !told {
		b = remarks(b, n.FootComment)
	}
	return b, nil
}

func (r *yamlReader) value(n *yaml.Node, told bool, depth int) (any, error) {
	if r.left--; r.left < 0 || depth > maxDepth {
		return nil, wrong(ErrFormat, "it has more than %d values, or nests them more than %d deep", maxValues, maxDepth)
	}
	switch n.Kind {
	case yaml.MappingNode:
		return r.mapping(n, told, depth)
	case yaml.SequenceNode:
		return r.sequence(n, told, depth)
	case yaml.ScalarNode:
		var v any
		_ = n.Decode(&v)
		switch v := v.(type) {
		case nil, string, int, float64, bool, time.Time:
			return v, nil
		case []byte:
			return string(v), nil
		}
		return nil, wrong(ErrFormat, "line %d has a value of a type that SOPS does not have", n.Line)
	}
	return nil, wrong(ErrFormat, "line %d has an alias, which SOPS never writes", n.Line)
}

func (r *yamlReader) sequence(n *yaml.Node, told bool, depth int) (list []any, err error) {
	add := func(texts ...string) {
		for _, c := range remarks(nil, texts...) {
			list = append(list, c.value)
		}
	}
	if !told {
		add(n.HeadComment, n.LineComment)
	}
	for _, e := range n.Content {
		add(e.HeadComment, e.LineComment)
		v, err := r.value(e, true, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		add(e.FootComment)
	}
	if !told {
		add(n.FootComment)
	}
	return list, nil
}

// remarks appends comments, one for each line.
func remarks(b branch, texts ...string) branch {
	for _, text := range texts {
		for line := range strings.SplitSeq(text, "\n") {
			if line != "" {
				b = append(b, item{nil, comment(line[1:])})
			}
		}
	}
	return b
}
