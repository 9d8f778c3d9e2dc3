package kustomize

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Bounds of one YAML file or patch.
const (
	maxFile      = 1 << 20 // bytes as written
	maxExpanded  = 4 << 20 // bytes with all aliases written out, a few for each node
	maxDepth     = 100     // nodes inside each other
	maxDocuments = 1000
)

// document is one YAML document that is safe to read.
type document struct {
	*yaml.Node
}

// documents parses untrusted YAML. It refuses YAML that parsers read differently
// (duplicate keys, custom tags), and YAML that grows when it is read (aliases of
// aliases): the kustomization itself is read outside the process that has limits.
func documents(b []byte) ([]document, error) {
	switch {
	case len(b) > maxFile:
		return nil, fmt.Errorf("has %d bytes, at most %d are read", len(b), maxFile)
	case !utf8.Valid(b):
		return nil, errors.New("is not text in UTF-8")
	case bytes.IndexByte(b, 0) >= 0:
		return nil, errors.New("has a NUL character")
	}
	var docs []document
	expanded := 0
	decoder := yaml.NewDecoder(bytes.NewReader(b))
	for {
		var n yaml.Node
		err := decoder.Decode(&n)
		if err == io.EOF {
			return docs, nil
		}
		if err != nil {
			return nil, errors.New("is not YAML")
		}
		if len(docs) == maxDocuments {
			return nil, fmt.Errorf("has more than %d documents", maxDocuments)
		}
		size, err := measure(&n, 0, map[*yaml.Node]int{})
		if err != nil {
			return nil, err
		}
		if expanded += size; expanded > maxExpanded {
			return nil, fmt.Errorf("grows to more than %d bytes when its aliases are written out", maxExpanded)
		}
		docs = append(docs, document{&n})
	}
}

// tags are the types that YAML shares with JSON, and those that are read as strings.
var tags = map[string]bool{
	"": true, "!": true, "!!str": true, "!!int": true, "!!float": true, "!!bool": true, "!!null": true,
	"!!map": true, "!!seq": true, "!!merge": true, "!!timestamp": true, "!!binary": true,
}

// measure returns the size of n in bytes with its aliases expanded, at most a little
// more than maxExpanded. known has the sizes of anchors before n.
func measure(n *yaml.Node, depth int, known map[*yaml.Node]int) (int, error) {
	if depth > maxDepth {
		return 0, fmt.Errorf("is nested deeper than %d", maxDepth)
	}
	if !tags[n.ShortTag()] {
		return 0, fmt.Errorf("has a value of type %.40q in line %d", n.Tag, n.Line)
	}
	if n.Kind == yaml.AliasNode {
		size, done := known[n.Alias]
		if !done {
			return 0, fmt.Errorf("has an alias of what it is part of in line %d", n.Line)
		}
		return size, nil
	}
	size := len(n.Value) + 16
	keys := map[string]bool{}
	for i, inner := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && inner.Kind == yaml.ScalarNode {
			if keys[inner.Value] {
				return 0, fmt.Errorf("has a key twice in line %d", inner.Line)
			}
			keys[inner.Value] = true
		}
		more, err := measure(inner, depth+1, known)
		if err != nil {
			return 0, err
		}
		size = min(size+more, maxExpanded+1)
	}
	known[n] = size
	return size, nil
}

// field returns the scalar value of a key of a mapping, "" without one.
func (d document) field(key string) string {
	n := d.root()
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key && n.Content[i+1].Kind == yaml.ScalarNode {
			return n.Content[i+1].Value
		}
	}
	return ""
}

// root returns the content of the document.
func (d document) root() *yaml.Node {
	if d.Kind == yaml.DocumentNode && len(d.Content) == 1 {
		return d.Content[0]
	}
	return d.Node
}
