package layer

import (
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/token"

	"github.com/d-aros/d-aros/pkg/model"
)

// An index has the places of the values that the files of a layer write, by path. Errors
// of CUE do not serve for that: their positions are often in the schema. A value may be
// written several times if it is the same.
type index map[string][]entry

type entry struct {
	_     struct{} `cbor:",toarray"`
	Label string   // position of the field
	Value string   // position of its value, or of what refers to the package that has it
	Text  string   // of the value, if it is short
	From  string   // position of the value in a package
}

// places returns the places of an entry: that at a position in the layer, and that in a
// package.
func (e entry) places(at, note string) []model.Place {
	if e.From == "" {
		return []model.Place{{At: at, Note: note}}
	}
	return []model.Place{{At: at}, {At: e.From, Note: note}}
}

// A scope has the fields at the top of the packages that a file imports, by their names in it.
type scope map[string][]ast.Decl

func key(path []string) string { return strings.Join(path, "\x00") }

// add adds a file, and what it refers to in packages.
func (ix index) add(f *ast.File, packages scope) {
	reader{ix, packages, nil}.decls(nil, f.Decls)
}

// A reader adds values to an index.
type reader struct {
	index
	packages scope
	user     ast.Node // what refers to the package that is read, nil: the file itself is
}

func (r reader) decls(path []string, decls []ast.Decl) {
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.Field:
			name, _, err := ast.LabelName(d.Label)
			if err == nil { // else a pattern
				r.expr(append(path[:len(path):len(path)], name), d.Label, d.Value)
			}
		case *ast.EmbedDecl:
			r.within(path, d.Expr)
		}
	}
}

func (r reader) expr(path []string, label ast.Node, x ast.Expr) {
	k := key(path)
	text := brief(x)
	if private(path) {
		text = ""
	}
	e := entry{Label: label.Pos().String(), Value: x.Pos().String(), Text: text}
	if r.user != nil {
		e = entry{Label: r.user.Pos().String(), Value: r.user.Pos().String(), Text: text, From: e.Value}
	}
	r.index[k] = append(r.index[k], e)
	r.within(path, x)
}

// within adds what is inside the value at a path.
func (r reader) within(path []string, x ast.Expr) {
	switch x := x.(type) {
	case *ast.StructLit:
		r.decls(path, x.Elts)
	case *ast.ListLit:
		for i, e := range x.Elts {
			r.expr(append(path[:len(path):len(path)], strconv.Itoa(i)), e, e)
		}
	case *ast.BinaryExpr:
		if x.Op == token.AND {
			r.within(path, x.X)
			r.within(path, x.Y)
		}
	case *ast.ParenExpr:
		r.within(path, x.X)
	case *ast.SelectorExpr:
		r.from(path, x)
	}
}

// from adds what a package says at a path. A package refers to no other.
func (r reader) from(path []string, x *ast.SelectorExpr) {
	in, ok := x.X.(*ast.Ident)
	name, _, err := ast.LabelName(x.Sel)
	if !ok || err != nil || r.user != nil {
		return
	}
	for label, f := range labelled(r.packages[in.Name]) {
		if label == name {
			reader{r.index, nil, x}.within(path, f.Value)
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
