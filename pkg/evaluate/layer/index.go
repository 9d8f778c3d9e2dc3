package layer

import (
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
)

// An index has the places of the values that the files of a layer write, by path. Errors
// of CUE do not serve for that: their positions are often in the schema. A value may be
// written several times if it is the same.
type index map[string][]entry

type entry struct {
	_     struct{} `cbor:",toarray"`
	Label string   // position of the field
	Value string   // position of its value
	Text  string   // of the value, if it is short
}

func key(path []string) string { return strings.Join(path, "\x00") }

func (ix index) add(f *ast.File) { ix.decls(nil, f.Decls) }

func (ix index) decls(path []string, decls []ast.Decl) {
	for _, d := range decls {
		if field, ok := d.(*ast.Field); ok {
			name, _, err := ast.LabelName(field.Label)
			if err == nil { // else a pattern
				ix.expr(append(path[:len(path):len(path)], name), field.Label, field.Value)
			}
		}
	}
}

func (ix index) expr(path []string, label ast.Node, x ast.Expr) {
	k := key(path)
	text := brief(x)
	if private(path) {
		text = ""
	}
	ix[k] = append(ix[k], entry{Label: label.Pos().String(), Value: x.Pos().String(), Text: text})
	switch x := x.(type) {
	case *ast.StructLit:
		ix.decls(path, x.Elts)
	case *ast.ListLit:
		for i, e := range x.Elts {
			ix.expr(append(path[:len(path):len(path)], strconv.Itoa(i)), e, e)
		}
	}
}

// brief formats an expression for a sentence, "" if it has no short form.
func brief(x ast.Expr) (text string) {
	defer func() {
		if recover() != nil { // the formatter does not know every expression
			text = ""
		}
	}()
	switch x := x.(type) {
	case *ast.BasicLit:
		if len(x.Value) <= 200 && !strings.Contains(x.Value, "\n") {
			return x.Value
		}
		return ""
	case *ast.StructLit:
		return ""
	case *ast.ListLit:
		if len(x.Elts) > 10 {
			return ""
		}
	}
	formatted, err := format.Node(x)
	if err != nil || len(formatted) > 200 || strings.Contains(string(formatted), "\n") {
		return ""
	}
	return string(formatted)
}

// find returns the entry of path or of its nearest ancestor, and the number of segments
// of that, 0 without one.
func (ix index) find(path []string) (e entry, depth int) {
	for n := len(path); n > 0; n-- {
		if es := ix[key(path[:n])]; es != nil {
			return es[0], n
		}
	}
	return entry{}, 0
}

// exact returns the entry of a dotted path.
func (ix index) exact(dotted string) (entry, bool) {
	es := ix[strings.ReplaceAll(dotted, ".", "\x00")]
	if es == nil {
		return entry{}, false
	}
	return es[0], true
}

// private reports whether the value at path may be a secret and must not be quoted.
func private(path []string) bool {
	if len(path) > 5 && path[1] == "workflow" && path[4] == "properties" {
		last := path[len(path)-1] // many an address is a key
		return last == "url" || last == "prometheus"
	}
	if len(path) > 6 && path[3] == "properties" && path[4] == "objects" { // of a raw component: fields of an object
		return !slices.Contains([]string{"apiVersion", "kind", "metadata"}, path[6])
	}
	return len(path) >= 4 && path[0] == "application" && path[1] == "components" && path[3] == "properties" &&
		(len(path) == 4 || path[4] == "data" || path[4] == "env")
}
