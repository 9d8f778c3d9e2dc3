package kustomize

import (
	"fmt"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// source is a file that is being read, to name the places in it.
type source struct {
	file string
	root *yaml.Node
}

// blame returns err with the place and the field that a path of keys and indexes leads to.
func (s source) blame(err error, path ...any) error {
	if len(path) == 0 {
		return fmt.Errorf("%s: %w", s.place(), err)
	}
	field := make([]string, len(path))
	for i, step := range path {
		field[i] = fmt.Sprint(step)
	}
	return fmt.Errorf("%s: %s: %w", s.place(path...), strings.Join(field, "."), err)
}

// place returns the file and the line that a path of keys and indexes leads to, or the nearest
// above it.
func (s source) place(path ...any) string {
	n := s.root
	line := n.Line
	for _, step := range path {
		if n = below(n, fmt.Sprint(step)); n != nil {
			line = n.Line
		}
	}
	return s.file + ":" + strconv.Itoa(max(1, line))
}

// below returns the value of a key of a mapping or of an index of a list, nil without one.
// Kustomize does not tell the case of letters of a key apart.
func below(n *yaml.Node, step string) *yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch {
	case n == nil:
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if strings.EqualFold(n.Content[i].Value, step) {
				return n.Content[i+1]
			}
		}
	case n.Kind == yaml.SequenceNode:
		if i, err := strconv.Atoi(step); err == nil && i < len(n.Content) {
			return n.Content[i]
		}
	}
	return nil
}

// find returns the first key of a name in n, nil without one.
func find(n *yaml.Node, name string) *yaml.Node {
	for i, inner := range n.Content { // an alias has none, and its target is found where it stands
		if n.Kind == yaml.MappingNode && i%2 == 0 && inner.Value == name {
			return inner
		}
		if key := find(inner, name); key != nil {
			return key
		}
	}
	return nil
}

// quoted returns err about a reference, with a little of it.
func quoted(ref string, err error) error { return fmt.Errorf("%.80q %w", ref, err) }
