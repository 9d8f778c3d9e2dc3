package importing

import (
	"slices"
	"strconv"
	"strings"
)

// A kind tells what a node is.
type kind int

const (
	scalar kind = iota
	mapping
	sequence
)

// A fate is what became of a scalar.
type fate int

const (
	untouched fate = iota
	kept
	withheld // left to a Secret
	lost
	ignored // says nothing about an application
)

// A node is a value of a file, with its place and what became of it. All methods work on nil, which is
// what a file does not have.
type node struct {
	up   *node  // that it is a part of
	name string // of its field as the file writes it, or [3]
	line int
	kind kind
	text string // of a scalar
	tag  string // of a scalar: !!str, !!int, !!float, !!bool or !!null
	fate fate
	keys []key   // of a mapping, in order
	list []*node // of a sequence
}

// A key is a field of a mapping. Its name is how readers ask for it; the node has how the file writes it.
type key struct {
	name string
	node *node
}

// path returns where a node is. It is made when it is asked for: thousands of nodes may lie deep.
func (n *node) path() string {
	var names []string
	for ; n != nil; n = n.up {
		if n.name != "" {
			names = append(names, n.name)
		}
	}
	slices.Reverse(names)
	return strings.ReplaceAll(strings.Join(names, "."), ".[", "[")
}

// root returns the document that a node is in.
func (n *node) root() *node {
	for n.up != nil {
		n = n.up
	}
	return n
}

// at returns the node at a path of names, nil if there is none. Without a path it is the node itself.
func (n *node) at(path string) *node {
	if path == "" {
		return n
	}
	for name := range strings.SplitSeq(path, ".") {
		n = n.field(name)
	}
	return n
}

func (n *node) field(name string) *node {
	for _, k := range n.fields() {
		if k.name == name {
			return k.node
		}
	}
	return nil
}

func (n *node) fields() []key {
	if n == nil {
		return nil
	}
	return n.keys
}

func (n *node) items() []*node {
	if n == nil {
		return nil
	}
	return n.list
}

// elements returns the elements of a sequence, and a scalar as the only one.
func (n *node) elements() []*node {
	if n != nil && n.kind == scalar {
		return []*node{n}
	}
	return n.items()
}

// string returns the text of a scalar, "" of anything else and of null.
func (n *node) string() string {
	if n == nil || n.kind != scalar || n.tag == "!!null" {
		return ""
	}
	return n.text
}

func (n *node) bool() bool { return n.string() == "true" }

// number returns a whole number that a scalar is.
func (n *node) number() (int64, bool) {
	i, err := strconv.ParseInt(n.string(), 10, 64)
	return i, err == nil
}

// null reports whether a node says nothing.
func (n *node) null() bool { return n == nil || n.kind == scalar && n.tag == "!!null" }

// leaves calls do for the scalars below a node.
func (n *node) leaves(do func(*node)) {
	if n == nil {
		return
	}
	if n.kind == scalar {
		do(n)
	}
	for _, k := range n.keys {
		k.node.leaves(do)
	}
	for _, e := range n.list {
		e.leaves(do)
	}
}

// mark gives a fate to the scalars below nodes that have none, and returns how many these were. What was
// kept, or left to a Secret, is lost with what it is a part of.
func mark(f fate, nodes ...*node) (count int) {
	for _, n := range nodes {
		n.leaves(func(s *node) {
			if s.fate == untouched || (s.fate == kept || s.fate == withheld) && f == lost {
				s.fate = f
				count++
			}
		})
	}
	return count
}

// open reports whether nothing below a node has a fate, and something is there.
func (n *node) open() bool {
	all, some := true, false
	n.leaves(func(s *node) {
		some = true
		all = all && s.fate == untouched
	})
	return all && some
}
