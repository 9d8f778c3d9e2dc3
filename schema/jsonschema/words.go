package jsonschema

import (
	"regexp"
	"strings"

	"cuelang.org/go/cue/ast"

	"github.com/d-aros/d-aros/pkg/text"
)

// words returns what the comments of a field say: those above it, else the one behind it.
func words(f *ast.Field) (says string) {
	for _, n := range []ast.Node{f, f.Label, f.Value} {
		for _, c := range ast.Comments(n) {
			if c.Doc || c.Line && says == "" {
				says = text.Clean(strings.TrimPrefix(strings.Join(strings.Fields(c.Text()), " "), "#"))
			}
			if c.Doc {
				return says
			}
		}
	}
	return says
}

// described returns a shape with words, which describe it better than those that it has.
func described(s shape, text string) shape {
	if text == "" {
		return s
	}
	out := shape{"description": text}
	for k, v := range s {
		if k != "description" {
			out[k] = v
		}
	}
	return out
}

var code = regexp.MustCompile(`^DA[0-9]{4} `)

// sentence returns what an error says that has the same words in every fleet.
func (g *shapes) sentence(x *ast.CallExpr) string {
	if _, literal := x.Args[0].(*ast.BasicLit); !literal {
		return ""
	}
	text, _ := g.text(x.Args[0])
	return code.ReplaceAllString(text, "")
}

// chained returns the shape of a field with its words. In a: b: c, what stands above a is about all of them.
func chained(s shape, value ast.Expr, text string) shape {
	s = described(s, text)
	x, ok := value.(*ast.StructLit)
	if !ok || x.Lbrace.IsValid() || len(x.Elts) != 1 {
		return s
	}
	f, ok := x.Elts[0].(*ast.Field)
	if !ok {
		return s
	}
	name, _, err := ast.LabelName(f.Label)
	fields, _ := s["properties"].(map[string]shape)
	if below, ok := fields[name]; err == nil && ok && words(f) == "" {
		fields[name] = chained(below, f.Value, text)
	}
	return s
}
