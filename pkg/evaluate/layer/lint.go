package layer

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/cuefile"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/schema"
)

// imports are the packages that files of a fleet may import. All are pure and fast.
var imports = map[string]bool{schema.ImportPath: true, "list": true, "math": true, "regexp": true, "strings": true}

// topLevel are the fields of the layers, one for each.
var topLevel = []string{"platform", "tenant", "application", "approval", "removal"}

// elsewhere says where the field of a layer is written.
var elsewhere = map[string]string{
	"platform":    "; the platform is written at the root of the repo",
	"tenant":      "; a tenant is written in tenants/<tenant>",
	"application": "; an application is written in tenants/<tenant>/apps/<application>",
	"approval":    "; an approval is written in approvals/<tenant>/<application>",
	"removal":     "; a removal is confirmed in approvals/<tenant>/removals",
}

// lint refuses files that the plain cue command accepts: a file that opts out of its
// directory's package, writes another layer's field or refers to another layer. The
// file must come from the parser unchanged. It is of a package that applications share if
// field is "".
func lint(f *ast.File, field string) (problems []model.Problem) {
	bad := func(code string, n ast.Node, format string, args ...any) {
		problems = append(problems, model.Problem{
			Code: code, Message: fmt.Sprintf(format, args...), Places: []model.Place{{At: n.Pos().String()}},
		})
	}
	own := "fleet"
	if field == "" {
		own = path.Base(path.Dir(f.Filename))
	}
	if f.PackageName() != own {
		problems = append(problems, WholeFile(catalogue.Package, f.Filename, "must begin with: package "+own))
	}
	for _, d := range f.Decls {
		if field == "" {
			break // its fields are its own
		}
		switch d := d.(type) {
		case *ast.Field:
			if name, _, err := ast.LabelName(d.Label); err != nil || name != field {
				bad(catalogue.Layer, d, "only %s may be written here%s", field, elsewhere[name])
			}
		case *ast.Package, *ast.ImportDecl, *ast.CommentGroup, *ast.Attribute, *ast.LetClause:
		default:
			if field != "platform" || !isFleet(d) {
				bad(catalogue.Layer, d, "only %s may be written here", field)
			}
		}
	}
	for spec := range f.ImportSpecs() {
		p, err := literal.Unquote(spec.Path.Value)
		if _, dir := cutModule(p); dir != "" && err == nil {
			if field != "application" || !strings.HasPrefix(f.Filename, path.Dir(path.Dir(dir))+"/apps/") {
				bad(catalogue.Import, spec, "import %s is not allowed; only applications of its tenant import a package of lib", spec.Path.Value)
			}
			continue
		}
		if err != nil || !imports[p] {
			bad(catalogue.Import, spec, "import %s is not allowed; a fleet imports %s, list, math, regexp and strings only", spec.Path.Value, schema.ImportPath)
		}
	}
	for _, id := range f.Unresolved {
		if slices.Contains(topLevel, id.Name) && id.Name != field {
			bad(catalogue.Reference, id, "%s of another layer cannot be referred to here; write the value", id.Name)
		}
	}
	within := cuefile.Walk(f, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Attribute:
			bad(catalogue.Attribute, n, "attribute %s is not allowed", n.Text)
		case *ast.BinaryExpr:
			if n.Op == token.OR && slices.Contains([]string{"", "application", "approval", "removal"}, field) {
				bad(catalogue.Disjunction, n, "an %s writes values, not alternatives", cmp.Or(field, "application"))
			}
		}
	})
	if !within { // its evaluation would not stay small
		problems = append(problems, WholeFile(catalogue.Complex, f.Filename, fmt.Sprintf("is too complex; a file has at most %d parts, nested at most %d deep", cuefile.MaxNodes, cuefile.MaxDepth)))
	}
	return problems
}

// isFleet reports whether d is the line that binds the repo to the schema.
func isFleet(d ast.Decl) bool {
	embed, ok := d.(*ast.EmbedDecl)
	if !ok {
		return false
	}
	sel, ok := embed.Expr.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	name, _, err := ast.LabelName(sel.Sel)
	return ok && err == nil && pkg.Name == "schema" && name == "#Fleet"
}

// embedsFleet reports whether f has that line and imports the schema under that name.
func embedsFleet(f *ast.File) bool {
	imported := false
	for spec := range f.ImportSpecs() {
		p, err := literal.Unquote(spec.Path.Value)
		imported = imported || err == nil && p == schema.ImportPath && (spec.Name == nil || spec.Name.Name == "schema")
	}
	return imported && slices.ContainsFunc(f.Decls, isFleet)
}
