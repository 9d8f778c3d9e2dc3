package cuefile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"github.com/d-aros/d-aros/pkg/text"
)

// A Field is a field of a file to write: its name, lines of a comment above it, and its value, which
// is a string, an int64, a bool, a []any of values, or a []Field.
type Field struct {
	Name    string
	Comment []string
	Value   any
}

// oneLine is how long a struct or a list is at most that stands in one line.
const oneLine = 80

// Write writes a file of a package, with lines of a comment above its fields. All names and values are
// data: whatever they hold, the file says just that they are there.
func Write(pkg string, comment []string, fields []Field) ([]byte, error) {
	decls, err := declarations(fields, 0)
	if err != nil {
		return nil, err
	}
	for _, d := range decls {
		ast.SetRelPos(d, token.NewSection)
	}
	if group := commentOf(comment); group != nil && len(decls) > 0 {
		ast.AddComment(decls[0], group)
	}
	file := &ast.File{Decls: append([]ast.Decl{&ast.Package{Name: ast.NewIdent(pkg)}}, decls...)}
	return format.Node(file)
}

func declarations(fields []Field, depth int) (decls []ast.Decl, err error) {
	for _, f := range fields {
		x, err := expression(f.Value, depth+1)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		// A struct with one field and no comment in it is a path: labels: team: "web".
		if s, ok := x.(*ast.StructLit); ok && len(s.Elts) == 1 && len(ast.Comments(s.Elts[0])) == 0 {
			s.Lbrace, s.Rbrace = token.NoPos, token.NoPos
			ast.SetRelPos(s.Elts[0], token.Blank)
		}
		field := &ast.Field{Label: ast.NewStringLabel(f.Name), Value: x}
		if group := commentOf(f.Comment); group != nil {
			ast.AddComment(field, group)
		}
		ast.SetRelPos(field, token.Newline)
		decls = append(decls, field)
	}
	return decls, nil
}

func expression(v any, depth int) (ast.Expr, error) {
	switch v := v.(type) {
	case string:
		return quoted(v, depth), nil
	case bool:
		return ast.NewBool(v), nil
	case int64:
		return ast.NewLit(token.INT, strconv.FormatInt(v, 10)), nil
	case []any:
		list := &ast.ListLit{Lbrack: token.NoSpace.Pos(), Rbrack: token.NoSpace.Pos()}
		// An element a line, unless one of them has several lines itself.
		broken := width(v) > oneLine && !slices.ContainsFunc(v, func(e any) bool { return width(e) > oneLine })
		for _, e := range v {
			x, err := expression(e, depth+1)
			if err != nil {
				return nil, err
			}
			ast.SetRelPos(x, token.Blank)
			if broken {
				ast.SetRelPos(x, token.Newline)
			}
			list.Elts = append(list.Elts, x)
		}
		if broken {
			list.Rbrack = token.Newline.Pos()
		}
		return list, nil
	case []Field:
		decls, err := declarations(v, depth)
		if err != nil {
			return nil, err
		}
		s := &ast.StructLit{Lbrace: token.Blank.Pos(), Rbrace: token.Newline.Pos(), Elts: decls}
		if width(v) <= oneLine {
			s.Rbrace = token.NoSpace.Pos()
			for i, d := range decls {
				ast.SetRelPos(d, token.Blank)
				if i == 0 {
					ast.SetRelPos(d, token.NoSpace)
				}
			}
		}
		return s, nil
	}
	return nil, fmt.Errorf("%T is no value of a field", v)
}

// quoted writes a text, over several lines if it has them.
func quoted(s string, depth int) ast.Expr {
	form := literal.String
	if strings.Contains(s, "\n") && !strings.Contains(s, "\r") {
		form = form.WithOptionalTabIndent(depth)
	}
	return ast.NewLit(token.STRING, form.Quote(s))
}

// width is how much room a value takes in one line; one with a comment or a line end takes it all.
func width(v any) (n int) {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, "\n") {
			return oneLine + 1
		}
		return len(v) + 2
	case []any:
		for _, e := range v {
			n += width(e) + 2
		}
		return n + 2
	case []Field:
		for _, f := range v {
			if len(f.Comment) > 0 {
				return oneLine + 1
			}
			n += len(f.Name) + width(f.Value) + 4
		}
		return n
	}
	return 5
}

// commentOf returns lines as a comment, nil of none. A line end within one would end the comment.
func commentOf(lines []string) *ast.CommentGroup {
	if len(lines) == 0 {
		return nil
	}
	group := &ast.CommentGroup{Doc: true}
	for _, line := range lines {
		group.List = append(group.List, &ast.Comment{Text: strings.TrimRight("// "+text.Clean(line), " ")})
	}
	return group
}
