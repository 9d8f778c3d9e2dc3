package layer

import (
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
)

// writtenOut blames everything in an approval but names, strings and lists of these. A reader of the file
// must see the decision, and evaluating it must cost nothing.
func writtenOut(f *ast.File) (problems []model.Problem) {
	bad := func(n ast.Node) {
		problems = append(problems, model.Problem{
			Code: catalogue.WrittenOut, Message: "an approval is written out: names, and texts in quotes", Places: []model.Place{{At: n.Pos().String()}},
		})
	}
	var decls func([]ast.Decl)
	decls = func(all []ast.Decl) {
		for _, d := range all {
			switch d := d.(type) {
			case *ast.Package, *ast.CommentGroup:
			case *ast.Field:
				if _, _, err := ast.LabelName(d.Label); err != nil || d.Constraint != token.ILLEGAL || d.Alias != nil {
					bad(d)
					continue
				}
				switch v := d.Value.(type) {
				case *ast.StructLit:
					decls(v.Elts)
				case *ast.ListLit:
					for _, x := range v.Elts {
						if _, plain := x.(*ast.BasicLit); !plain {
							bad(x)
						}
					}
				case *ast.BasicLit:
				default:
					bad(d)
				}
			default:
				bad(d)
			}
		}
	}
	decls(f.Decls)
	return problems
}
