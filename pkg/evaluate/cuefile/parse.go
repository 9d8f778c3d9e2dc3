package cuefile

import (
	"fmt"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/parser"
)

// Limits of one file. The reconciler takes no larger one, and what works on a file recurses.
const (
	MaxNodes = 50_000
	MaxDepth = 100
)

// parse parses a file with its comments. The error names the line, and nothing of what stands there: it may be a secret.
func parse(f File) (*ast.File, error) {
	tree, err := parser.ParseFile(f.Name, f.Data, parser.ParseComments)
	if err != nil {
		first := errors.Errors(err)[0]
		if at := first.Position(); at.IsValid() {
			return nil, fmt.Errorf("read %s: %s", at, Syntax(first))
		}
		return nil, fmt.Errorf("read %s: %s", f.Name, Syntax(first))
	}
	if !Walk(tree, func(ast.Node) {}) {
		return nil, fmt.Errorf("read %s: it is too complex; a file has at most %d parts, nested at most %d deep", f.Name, MaxNodes, MaxDepth)
	}
	return tree, nil
}

// Walk visits the nodes of a file, few of them beyond the limits, and reports whether the file is within these.
func Walk(tree *ast.File, visit func(ast.Node)) bool {
	nodes, depth, within := 0, 0, true
	ast.Walk(tree, func(n ast.Node) bool {
		nodes, depth = nodes+1, depth+1
		visit(n)
		if nodes > MaxNodes || depth > MaxDepth {
			depth-- // it is not left
			within = false
			return false
		}
		return true
	}, func(ast.Node) { depth-- })
	return within
}

// Syntax returns the sentence of an error of the parser without the text that stands there, which may be a secret.
func Syntax(err errors.Error) string {
	format, args := err.Msg()
	if short, quotes := strings.CutSuffix(format, "found '%s' %s"); quotes {
		format, args = short+"found '%s'", args[:len(args)-1]
	}
	return fmt.Sprintf(format, args...)
}
