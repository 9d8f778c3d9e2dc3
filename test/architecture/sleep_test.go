package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNobodySleeps(t *testing.T) {
	for _, f := range folders(t) {
		for _, file := range f.files {
			places := uses(file, "time", "Sleep")
			if file.test {
				places = append(places, sleeps(file.syntax)...)
			}
			for _, place := range places {
				t.Errorf("%s sleeps: wait for what you are waiting for (a channel, a condition) and for ctx.Done", place)
			}
		}
	}
}

// sleeps returns where a test waits for nothing but the clock: a receive from a timer that stands alone, or a select
// outside of a loop that goes on when the timer fires, as if nothing could happen any more.
func sleeps(file *ast.File) (places []string) {
	var above []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			above = above[:len(above)-1]
			return true
		}
		switch n := n.(type) {
		case *ast.CommClause:
			if n.Comm != nil && isTimer(n.Comm) && len(n.Body) == 0 && !inLoop(above) {
				places = append(places, at(n))
			}
		case ast.Stmt:
			_, inSelect := above[len(above)-1].(*ast.CommClause)
			if isTimer(n) && !inSelect {
				places = append(places, at(n))
			}
		}
		above = append(above, n)
		return true
	})
	return places
}

// inLoop reports whether one of the nodes around a statement is a loop of the same function.
func inLoop(above []ast.Node) bool {
	for _, n := range slices.Backward(above) {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return true
		case *ast.FuncLit, *ast.FuncDecl:
			return false
		}
	}
	return false
}

// isTimer reports whether a statement receives from time.After or time.Tick and drops what it gets.
func isTimer(s ast.Stmt) bool {
	x, ok := s.(*ast.ExprStmt)
	if !ok {
		return false
	}
	receive, ok := x.X.(*ast.UnaryExpr)
	if !ok || receive.Op != token.ARROW {
		return false
	}
	call, ok := receive.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	return ok && (f.Sel.Name == "After" || f.Sel.Name == "Tick")
}

func TestSleepsAreFound(t *testing.T) {
	for body, want := range map[string]int{
		"<-time.After(d)":        1,
		"for { <-time.Tick(d) }": 1,
		"select {\ncase <-c: fail()\ncase <-time.After(d):\n}":                     1,
		"select {\ncase <-c:\ncase <-time.After(d): fail()\n}":                     0,
		"for {\nselect {\ncase <-c:\ncase <-time.After(d):\n}\n}":                  0,
		"for range 2 {\nt.Run(func() {\nselect {\ncase <-time.After(d):\n}\n})\n}": 1,
		"<-done":                 0,
		"limit := time.After(d)": 0,
	} {
		file, err := parser.ParseFile(positions, "x.go", "package p\n\nfunc f() {\n"+body+"\n}\n", 0)
		require.NoError(t, err)
		require.Len(t, sleeps(file), want, body)
	}
}
