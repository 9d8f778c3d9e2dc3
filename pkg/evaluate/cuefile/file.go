// Package cuefile edits CUE files as people wrote them: it changes the bytes of the fields that
// an edit names, and keeps every other line and every comment.
//
// It knows syntax only. What a value comes to is for those who evaluate the result. A value that
// is computed, by an expression or within a condition, is not changed: the error names its place.
package cuefile

import (
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// A File is a CUE file.
type File struct {
	Name string // its path in the repo
	Data []byte
}

// A Kind tells what stands at a place.
type Kind string

// Kinds of places.
const (
	Literal  Kind = "literal"
	Struct   Kind = "struct"
	List     Kind = "list"
	Computed Kind = "computed"
)

// A Place is one where a file says what a path is.
type Place struct {
	Path  []string // labels; elements of lists by their index, from 0
	File  string
	Pos   token.Position // of the value
	Start int            // the bytes of the value
	End   int
	Kind  Kind
	Why   string // what computes the value of a computed place

	Field *ast.Field // nil of an element of a list
	Whole *ast.Field // the outermost field that holds nothing but this one; nil of an element of a list

	value  ast.Expr
	braces *ast.StructLit
}

// Comment returns the comment above the field of a place, or above those that hold nothing but it, in one line; "" if it has none.
func (p Place) Comment() string {
	var words []string
	for _, f := range []*ast.Field{p.Field, p.Whole} {
		if f == nil || len(words) > 0 {
			break
		}
		for _, g := range ast.Comments(f) {
			if g.Doc {
				words = append(words, strings.Fields(g.Text())...)
			}
		}
	}
	return strings.Join(words, " ")
}

// Index returns the places of a file in the order in which they stand there. A path has several
// where a file says it several times. The error of a file that cannot be parsed names the line.
func Index(f File) ([]Place, error) {
	tree, err := parse(f)
	if err != nil {
		return nil, err
	}
	w := &walk{file: f}
	w.decls(nil, tree.Decls, nil)
	return w.places, nil
}

// conditional is why a value is computed that a condition or a loop may leave out.
const conditional = "stands in a condition or a loop"

// walk collects places.
type walk struct {
	file   File
	places []Place
	why    string // what computes all that is found, "" outside conditions and loops
}

func (w *walk) decls(path []string, decls []ast.Decl, whole *ast.Field) {
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.Field:
			name, _, err := ast.LabelName(d.Label)
			if err != nil {
				continue // a pattern, or a label that is computed
			}
			all := whole
			if all == nil || siblings(decls) > 1 {
				all = d
			}
			w.value(append(path[:len(path):len(path)], name), d.Value, d, all)
		case *ast.EmbedDecl:
			if s, ok := d.Expr.(*ast.StructLit); ok {
				w.decls(path, s.Elts, nil)
			}
		case *ast.Comprehension:
			if s, ok := d.Value.(*ast.StructLit); ok {
				outside := w.why
				w.why = conditional
				w.decls(path, s.Elts, nil)
				w.why = outside
			}
		}
	}
}

// value adds the places of a value and of what is in it.
func (w *walk) value(path []string, x ast.Expr, field, whole *ast.Field) {
	p := Place{Path: path, File: w.file.Name, Pos: x.Pos().Position(), Start: x.Pos().Offset(), End: x.End().Offset(), Field: field, Whole: whole, value: x}
	p.Kind, p.Why = Computed, "is an expression"
	switch x := x.(type) {
	case *ast.Alias:
		w.value(path, x.Expr, field, whole)
		return
	case *ast.ParenExpr:
		w.value(path, x.X, field, whole)
		return
	case *ast.BinaryExpr:
		if x.Op == token.AND && w.both(path, x, field, whole) {
			return
		}
	case *ast.StructLit:
		p.Kind, p.Why = Struct, ""
		if x.Lbrace.IsValid() {
			p.braces = x
		}
	case *ast.ListLit:
		p.Kind, p.Why = List, ""
	case *ast.BasicLit:
		p.Kind, p.Why = Literal, ""
	case *ast.UnaryExpr:
		if _, number := x.X.(*ast.BasicLit); number && (x.Op == token.SUB || x.Op == token.ADD) {
			p.Kind, p.Why = Literal, ""
		}
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		p.Why = "is a reference"
	}
	if w.why != "" {
		p.Kind, p.Why = Computed, w.why
	}
	w.places = append(w.places, p)
	switch x := x.(type) {
	case *ast.StructLit:
		w.decls(path, x.Elts, whole)
	case *ast.ListLit:
		for i, e := range x.Elts {
			w.value(append(path[:len(path):len(path)], strconv.Itoa(i)), e, nil, nil)
		}
	}
}

// both adds the places of two values that are unified, and reports whether one of them is written
// there. The other may be a reference: it bounds what is written.
func (w *walk) both(path []string, x *ast.BinaryExpr, field, whole *ast.Field) bool {
	before := len(w.places)
	w.value(path, x.X, field, whole)
	w.value(path, x.Y, field, whole)
	found := w.places[before:]
	written := slices.ContainsFunc(found, func(p Place) bool { return p.Kind != Computed || p.Why == w.why && w.why != "" })
	kept := slices.DeleteFunc(found, func(p Place) bool { return slices.Equal(p.Path, path) && p.Kind == Computed && p.Why != w.why })
	w.places = w.places[:before+len(kept)]
	return written
}

// siblings counts declarations that are no comments.
func siblings(decls []ast.Decl) (n int) {
	for _, d := range decls {
		if _, ok := d.(*ast.CommentGroup); !ok {
			n++
		}
	}
	return n
}
