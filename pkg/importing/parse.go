package importing

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Limits of what is read. A file is hostile: an alias may stand for a large value many times.
const (
	MaxBytes     = 4 << 20
	maxDocuments = 1000
	maxItems     = 1000         // of a list or a mapping: readers compare each with each
	maxNodes     = 200_000      // with what aliases stand for
	maxTexts     = 4 * MaxBytes // the same, in bytes
	maxDepth     = 60
)

// parse reads the documents of a file of YAML or JSON.
func parse(data []byte) (docs []*node, err error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("has more than %d MiB", MaxBytes>>20)
	}
	if json.Valid(data) {
		data = asYAML(data)
	}
	p := &parser{left: maxNodes, texts: maxTexts}
	for decoder := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var document yaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return docs, nil
		}
		if err != nil {
			return nil, fmt.Errorf("is no YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
		}
		if len(docs) == maxDocuments {
			return nil, fmt.Errorf("has more than %d documents", maxDocuments)
		}
		n, err := p.node(&document, nil, "", 0)
		if err != nil {
			return nil, err
		}
		if !n.null() {
			docs = append(docs, n)
		}
	}
}

// escaped matches two escapes that JSON has for one character, and any other escape.
var escaped = regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\.`)

// asYAML writes JSON as YAML that says the same.
func asYAML(data []byte) []byte {
	data = bytes.ReplaceAll(data, []byte("\t"), []byte(" "))     // only between values, where YAML has no tabs
	for _, end := range []string{"\u0085", "\u2028", "\u2029"} { // ends of lines to YAML
		data = bytes.ReplaceAll(data, []byte(end), fmt.Appendf(nil, `\u%04x`, []rune(end)[0]))
	}
	return escaped.ReplaceAllFunc(data, func(e []byte) []byte {
		var character string
		if len(e) == 2 || json.Unmarshal(fmt.Appendf(nil, `"%s"`, e), &character) != nil {
			return e
		}
		return []byte(character)
	})
}

// parser counts the nodes that it makes, and their texts.
type parser struct{ left, texts int }

func (p *parser) node(y *yaml.Node, up *node, name string, depth int) (*node, error) {
	if p.texts -= len(name) + len(y.Value); p.texts < 0 {
		return nil, fmt.Errorf("has more than %d MiB of texts, with those that aliases stand for", maxTexts>>20)
	}
	if p.left--; p.left < 0 {
		return nil, fmt.Errorf("has more than %d values, with those that aliases stand for", maxNodes)
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("line %d: values lie more than %d deep in each other", y.Line, maxDepth)
	}
	if y.Kind == yaml.SequenceNode && len(y.Content) > maxItems || y.Kind == yaml.MappingNode && len(y.Content) > 2*maxItems {
		return nil, fmt.Errorf("line %d: has more than %d elements", y.Line, maxItems)
	}
	n := &node{up: up, name: name, line: y.Line}
	switch y.Kind {
	case yaml.DocumentNode:
		return p.node(y.Content[0], nil, "", depth)
	case yaml.AliasNode:
		return p.node(y.Alias, up, name, depth+1)
	case yaml.ScalarNode:
		n.text, n.tag = y.Value, y.ShortTag()
	case yaml.SequenceNode:
		n.kind = sequence
		for i, e := range y.Content {
			item, err := p.node(e, n, fmt.Sprintf("[%d]", i), depth+1)
			if err != nil {
				return nil, err
			}
			n.list = append(n.list, item)
		}
	case yaml.MappingNode:
		n.kind = mapping
		return n, p.fields(n, y, depth)
	}
	return n, nil
}

// fields reads the fields of a mapping. What it merges from others comes after its own.
func (p *parser) fields(n *node, y *yaml.Node, depth int) error {
	own := map[string]bool{}
	var merged []*node
	for i := 0; i+1 < len(y.Content); i += 2 {
		label, value := y.Content[i], y.Content[i+1]
		if label.Kind != yaml.ScalarNode {
			return fmt.Errorf("line %d: the name of a field is a text", label.Line)
		}
		child, err := p.node(value, n, label.Value, depth+1)
		if err != nil {
			return err
		}
		if label.ShortTag() == "!!merge" {
			if merged = append(merged, child.list...); child.kind == mapping {
				merged = append(merged, child)
			}
			continue
		}
		if own[label.Value] {
			return fmt.Errorf("line %d: has the field %s twice", label.Line, label.Value)
		}
		own[label.Value] = true
		child.line = label.Line
		n.keys = append(n.keys, key{label.Value, child})
	}
	for _, from := range merged {
		for _, k := range from.keys {
			if !own[k.name] {
				own[k.name] = true
				n.keys = append(n.keys, k)
			}
		}
	}
	return nil
}
