package jsonschema

import (
	"cmp"
	"encoding/json"
	"slices"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"
)

// A Definition is a type of components or of steps, or a trait, that a layer of a fleet defines.
type Definition struct {
	Kind string // components, steps or traits
	Name string

	about string
	takes ast.Expr // the parameter
}

// kinds are those of definitions, with the definition of the schema that they add a type or a trait to.
var kinds = map[string][]string{"components": {"#Component"}, "steps": {"#Step"}, "traits": {"#ContainerTraits", "#ServiceTraits"}}

// Definitions returns what a file of a layer defines, in its order. What cannot be parsed defines nothing.
func Definitions(layer string, data []byte) (all []Definition) {
	tree, err := parser.ParseFile("", data, parser.ParseComments)
	if err != nil {
		return nil
	}
	var read func(path []string, decls []ast.Decl, above string)
	read = func(path []string, decls []ast.Decl, above string) {
		for _, d := range decls {
			f, ok := d.(*ast.Field)
			if !ok {
				continue
			}
			name, _, err := ast.LabelName(f.Label)
			s, isStruct := f.Value.(*ast.StructLit)
			if err != nil || !isStruct {
				continue
			}
			about := cmp.Or(words(f), above)
			switch path := append(path[:len(path):len(path)], name); {
			case len(path) == 5 && name == "#Parameter":
				all = append(all, Definition{path[2], path[3], above, f.Value})
			case len(path) == 4, len(path) == 3 && kinds[name] != nil, slices.Equal(path, []string{layer, "definitions"}[:min(len(path), 2)]):
				if len(path) < 4 && s.Lbrace.IsValid() {
					about = "" // it is of several definitions
				}
				read(path, s.Elts, about)
			}
		}
	}
	read(nil, tree.Decls, "")
	return all
}

// parameter returns the shape of what a definition takes. It takes literals alone for constants, as whoever wrote the definition must
// not make this program compute.
func (d Definition) parameter() shape {
	return described((&shapes{foreign: true}).of(d.takes), d.about)
}

// literalOf returns the value of a literal.
func literalOf(x ast.Expr) (v any, ok bool) {
	sign := ""
	if u, ok := x.(*ast.UnaryExpr); ok && u.Op == token.SUB {
		sign, x = "-", u.X
	}
	if list, ok := x.(*ast.ListLit); ok {
		all := []any{}
		for _, e := range list.Elts {
			v, ok := literalOf(e)
			if !ok {
				return nil, false
			}
			all = append(all, v)
		}
		return all, true
	}
	lit, ok := x.(*ast.BasicLit)
	if !ok {
		return nil, false
	}
	switch lit.Kind {
	case token.TRUE, token.FALSE:
		return lit.Kind == token.TRUE, true
	case token.NULL:
		return nil, true
	case token.STRING:
		s, err := literal.Unquote(lit.Value)
		return s, err == nil
	case token.INT, token.FLOAT:
		n := json.Number(sign + lit.Value)
		_, err := n.Float64()
		return n, err == nil && json.Valid([]byte(n))
	}
	return nil, false
}
