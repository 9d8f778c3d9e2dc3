package cuefile

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"
)

// Value returns what a literal place says, as encoding/json has it; nil of other places, of bytes, and of numbers that JSON
// cannot write.
func (p Place) Value() any {
	sign, x := "", p.value
	if u, ok := x.(*ast.UnaryExpr); ok && p.Kind == Literal {
		x = u.X
		if u.Op == token.SUB {
			sign = "-"
		}
	}
	lit, ok := x.(*ast.BasicLit)
	if !ok {
		return nil
	}
	switch lit.Kind {
	case token.TRUE, token.FALSE:
		return lit.Kind == token.TRUE
	case token.INT, token.FLOAT:
		if n := sign + lit.Value; json.Valid([]byte(n)) {
			return json.Number(n)
		}
	case token.STRING:
		if s, err := literal.Unquote(lit.Value); err == nil && !strings.HasPrefix(strings.TrimLeft(lit.Value, "#"), "'") { // else it is bytes
			return s
		}
	}
	return nil
}

// Hide returns a file as somebody may see it who may not see some of its texts. Private decides about
// each literal by its path and by what it says; the path is nil of a string that stands elsewhere: in an expression, a definition
// or a let. What shown returns stands in place of it. Where something is hidden, comments are, too: what was written before may
// be in them. A file that cannot be parsed is hidden as a whole.
func Hide(f File, private func(path []string, says string) bool, shown func(path []string, says string) string) File {
	tree, err := parse(f)
	if err != nil {
		return File{Name: f.Name}
	}
	places, _ := Index(f)
	at := map[int]Place{}
	for _, p := range places {
		if p.Kind == Literal {
			at[p.Start] = p
		}
	}
	t := Text{Data: f.Data}
	type cut struct {
		start, end int
		text       string
	}
	var cuts []cut
	hide := func(n ast.Node, path []string, says string) {
		cuts = append(cuts, cut{n.Pos().Offset(), n.End().Offset(), literal.String.Quote(shown(path, says))})
	}
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportDecl:
			return false
		case *ast.Field:
			ast.Walk(n.Value, visit, nil)
			return false // a label is no value
		case *ast.Interpolation:
			if says := string(f.Data[n.Pos().Offset():n.End().Offset()]); private(nil, says) {
				hide(n, nil, says)
				return false
			}
			for _, part := range n.Elts {
				if _, text := part.(*ast.BasicLit); !text {
					ast.Walk(part, visit, nil)
				}
			}
			return false
		case *ast.BasicLit:
			p, known := at[n.Pos().Offset()]
			says := n.Value
			if s, err := literal.Unquote(n.Value); err == nil {
				says = s
			}
			if known && private(p.Path, says) || !known && n.Kind == token.STRING && private(nil, says) {
				hide(n, p.Path, says)
			}
		}
		return true
	}
	ast.Walk(tree, visit, nil)
	if len(cuts) == 0 {
		return f
	}
	ast.Walk(tree, func(n ast.Node) bool {
		if c, ok := n.(*ast.Comment); ok {
			cuts = append(cuts, cut{c.Pos().Offset(), c.Pos().Offset() + len(c.Text), "// …"})
		}
		return true
	}, nil)
	slices.SortFunc(cuts, func(a, b cut) int { return cmp.Compare(b.start, a.start) })
	for _, c := range cuts {
		t.Replace(c.start, c.end, c.text)
	}
	return File{f.Name, t.Data}
}
