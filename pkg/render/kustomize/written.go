package kustomize

import (
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/d-aros/d-aros/pkg/render/build"
)

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
		w.out.Written = append(w.out.Written, build.Written{Kind: kind, Name: name, At: at})
	}
}
