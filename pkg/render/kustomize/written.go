package kustomize

import (
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// A Written is an object as the tenant wrote it, or the generator of one.
type Written struct {
	Kind, Name string
	At         string // file:line
}

// maxWritten is more than a component may have.
const maxWritten = 2000

// wrote notes where an object stands, or each of a list, and whether it is a Secret.
func (w *writer) wrote(file string, n *yaml.Node) {
	kind, name := below(n, "kind"), below(below(n, "metadata"), "name")
	if items := below(n, "items"); items != nil && items.Kind == yaml.SequenceNode {
		for _, item := range items.Content {
			w.wrote(file, item)
		}
	}
	if kind != nil && kind.Value == "Secret" {
		w.out.Secrets = true
	}
	if kind != nil && name != nil {
		w.note(kind.Value, name.Value, source{file: file, root: n}.place())
	}
}

func (w *writer) note(kind, name, at string) {
	if len(w.out.Written) < maxWritten {
		w.out.Written = append(w.out.Written, Written{kind, name, at})
	}
}

// Origin returns where an object that was built was written, "" if that is not certain. Its name has
// what it was called there, as kustomize only puts prefixes, suffixes and digests around names; a
// patch that renames it leaves no trace.
func (b Built) Origin(kind, name string) string {
	longest, at := "", ""
	for _, o := range b.Written {
		switch {
		case o.Kind != kind || !strings.Contains(name, o.Name) || len(o.Name) < len(longest):
		case o.Name == longest:
			at = "" // there are two of them
		default:
			longest, at = o.Name, o.At
		}
	}
	return at
}
