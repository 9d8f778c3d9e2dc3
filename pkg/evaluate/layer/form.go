package layer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/ast/astutil"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"github.com/d-aros/d-aros/schema"
)

// A Form is the compiled schema of applications. It exports files that are plain data
// and valid, for half the cost of building their instance. For all other files the
// instance is built, because only that has the sentences and places of problems. The
// zero Form exports nothing.
type Form struct {
	value  cue.Value
	policy string    // that it is bound to
	rules  string    // the policy without the name of its owner
	bound  cue.Value // value under the rules
	known  *defined  // the definitions of the policy that were needed, compiled
}

// Made reports whether the form is of a schema: the zero Form is not.
func (f Form) Made() bool { return f.value.Exists() }

// NewForm compiles the schema of applications, which costs as much as evaluating one.
// The schema is the package itself, not an import: CUE evaluates an imported package
// anew for each evaluation.
func NewForm() Form {
	var files []*ast.File
	for _, f := range schemaUnder([]byte("_")) {
		file, err := parser.ParseFile(f.Name, f.Data)
		if err != nil {
			return Form{}
		}
		silence(file)
		files = append(files, file)
	}
	v, ok := compile(schema.ImportPath, files)
	under := v.LookupPath(cue.MakePath(cue.Def("Under")))
	if !ok || under.Err() != nil {
		return Form{}
	}
	return Form{value: under}
}

// Under binds the form to a policy. It pays when several
// applications are under the same.
func (f Form) Under(policy []byte) (bound Form) {
	defer func() {
		if recover() != nil { // the instance will say why
			bound = f
		}
	}()
	if !f.Made() || f.policy == string(policy) {
		return f
	}
	rules := anonymous(policy)
	if f.rules == string(rules) {
		f.policy = string(policy)
		return f
	}
	above, ok := policyValue(rules)
	if !ok {
		return f
	}
	return Form{f.value, string(policy), string(rules), f.value.Unify(above), &defined{}}
}

// anonymous removes the owner's name from a policy. Only sentences use it, and a form has
// no sentences. So tenants whose policies differ only in the name share one bound form.
func anonymous(policy []byte) []byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal(policy, &fields) != nil || fields["owner"] == nil {
		return policy
	}
	fields["owner"] = json.RawMessage(`"the tenant"`)
	return asJSON(fields)
}

// policyValue returns a policy at its place in the schema of applications.
func policyValue(policy []byte) (cue.Value, bool) {
	file, err := parser.ParseFile("policy.cue", fmt.Appendf(nil, "package schema\n\napplication: _policy: %s\n", policy))
	if err != nil {
		return cue.Value{}, false
	}
	v, ok := compile(schema.ImportPath, []*ast.File{file}) // hidden fields belong to a package
	return v, ok && v.Err() == nil
}

// fill exports the application in files. The files cannot be used again.
func (f Form) fill(policy []byte, files []*ast.File) (doc []byte, ok bool) {
	defer func() {
		if recover() != nil { // the instance will say why
			doc, ok = nil, false
		}
	}()
	if !f.Made() {
		return nil, false
	}
	f = f.Under(policy)
	if f.policy != string(policy) || slices.ContainsFunc(files, func(f *ast.File) bool { return !Plain(f.Decls) }) {
		return nil, false
	}
	data, ok := compile("fleet", files)
	if !ok || data.Err() != nil {
		return nil, false
	}
	doc, _, err := export(f.bound.Unify(data), "application", "")
	return doc, err == nil && doc != nil
}

// compile returns the value of a package that imports only the standard library, in a
// context of its own: a context frees all its values together.
func compile(path string, files []*ast.File) (cue.Value, bool) {
	in := build.NewContext().NewInstance(path, nil)
	in.ImportPath = path
	for _, file := range files {
		if in.AddSyntax(file) != nil {
			return cue.Value{}, false
		}
	}
	if in.Complete() != nil {
		return cue.Value{}, false
	}
	return cuecontext.New().BuildInstance(in), true
}

// Plain reports whether declarations have only values. A reference may see values that
// the schema adds, so only the instance can evaluate it.
func Plain(decls []ast.Decl) bool {
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.Package, *ast.CommentGroup:
		case *ast.Field:
			name, _, err := ast.LabelName(d.Label)
			if _, aliased := d.Label.(*ast.Alias); aliased || err != nil || strings.HasPrefix(name, "_") || strings.HasPrefix(name, "#") ||
				d.Constraint != token.ILLEGAL || d.Alias != nil || !plainValue(d.Value) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func plainValue(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.BasicLit:
		return true
	case *ast.UnaryExpr:
		_, number := x.X.(*ast.BasicLit)
		return number && x.Op == token.SUB
	case *ast.StructLit:
		return Plain(x.Elts)
	case *ast.ListLit:
		return !slices.ContainsFunc(x.Elts, func(e ast.Expr) bool { return !plainValue(e) })
	}
	return false
}

// silence removes the sentences from a schema file. They are alternatives that are errors,
// and make no value valid.
func silence(f *ast.File) {
	astutil.Apply(f, nil, func(c astutil.Cursor) bool {
		or, ok := c.Node().(*ast.BinaryExpr)
		if !ok || or.Op != token.OR {
			return true
		}
		if call, ok := or.Y.(*ast.CallExpr); ok {
			if name, ok := call.Fun.(*ast.Ident); ok && name.Name == "error" {
				c.Replace(or.X)
			}
		}
		return true
	})
}
