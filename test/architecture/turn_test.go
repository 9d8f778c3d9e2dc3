package architecture

import (
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"
)

// decided are the parts of a decision. Only pkg/turn puts them together.
var decided = map[string][]string{
	"pkg/lifecycle":   {"KeepLastGood", "KeepAllotments", "HoldMoves", "Advance", "Follow"},
	"pkg/arbitration": {"Decide"},
	"pkg/workflow":    {"Carry"},
}

// mayDecide reports whether a file may call the parts of a package: it is of that package or of its benchmarks, or it is
// a test of another package with parts, which cannot import what is above it.
func mayDecide(f *folder, file *file, part string) bool {
	return f.dir == part || f.dir == "pkg/turn" || decided[f.dir] != nil && file.test ||
		part == "pkg/arbitration" && strings.HasPrefix(f.dir, "test/arbitration/")
}

func TestOnlyTurnDecides(t *testing.T) {
	for _, f := range folders(t) {
		for _, file := range f.files {
			names := map[string]string{} // of the packages that have parts, as this file calls them
			for _, spec := range file.syntax.Imports {
				dir, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module)
				if !ours || decided[dir] == nil || mayDecide(f, file, dir) {
					continue
				}
				name := path.Base(dir)
				if spec.Name != nil {
					name = spec.Name.Name
				}
				names[name] = dir
			}
			ast.Inspect(file.syntax, func(n ast.Node) bool {
				s, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if x, ok := s.X.(*ast.Ident); ok && slices.Contains(decided[names[x.Name]], s.Sel.Name) {
					t.Errorf("%s uses %s.%s: call turn.Take, the only place where a decision is put together", at(s), x.Name, s.Sel.Name)
				}
				return true
			})
		}
	}
}
