package evaluate

import (
	"fmt"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"github.com/d-aros/d-aros/schema"
)

// module is the name of the module that every instance pretends to be in: the
// repo's own name has no meaning here.
const module = "fleet.invalid@v0"

// build makes the value of a directory from its layers, as cue vet would, in a
// context of its own: what is built in a context is never freed.
func buildValue(dir string, layers ...*layer) (v cue.Value, err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("the CUE evaluator gave up: %v", e)
		}
	}()
	var ctx *build.Context
	ctx = build.NewContext(build.Loader(func(pos token.Pos, path string) *build.Instance {
		if path != schema.ImportPath {
			if imports[path] {
				return nil // of the standard library
			}
			in := ctx.NewInstance(path, nil)
			in.ReportError(errors.Newf(pos, "import %q is not allowed", path))
			return in
		}
		in := ctx.NewInstance(path, nil)
		in.ImportPath = path
		add(in, parseSchema())
		return in
	}))
	in := ctx.NewInstance(dir, nil)
	in.Root, in.Module = "/", module
	in.ImportPath = "fleet.invalid/" + dir + ":fleet"
	for _, l := range layers {
		add(in, l.parse())
	}
	in.Complete()
	if in.Err != nil {
		return cue.Value{}, in.Err
	}
	return cuecontext.New().BuildInstance(in), nil
}

func add(in *build.Instance, files []*ast.File) {
	for _, f := range files {
		if err := in.AddSyntax(f); err != nil {
			in.ReportError(err)
		}
	}
	if in.ImportPath == schema.ImportPath {
		in.Complete()
	}
}

func parseSchema() []*ast.File {
	var trees []*ast.File
	for _, f := range schema.Files() {
		tree, err := parser.ParseFile("d-aros.dev/schema/"+f.Name, f.Data)
		if err != nil {
			panic(err) // the schema is compiled in and tested
		}
		trees = append(trees, tree)
	}
	return trees
}

// export validates one field of a value and returns it, and on request a hidden
// field of it, as JSON.
func export(v cue.Value, field, hidden string) (doc, extra []byte, err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("the CUE evaluator gave up: %v", e)
		}
	}()
	f := v.LookupPath(cue.MakePath(cue.Str(field)))
	if !f.Exists() {
		return nil, nil, v.Err()
	}
	if err := f.Validate(cue.Concrete(true), cue.Final()); err != nil {
		return nil, nil, err
	}
	if doc, err = f.MarshalJSON(); err != nil {
		return nil, nil, err
	}
	if hidden != "" {
		extra, err = f.LookupPath(cue.MakePath(cue.Hid(hidden, schema.ImportPath))).MarshalJSON()
	}
	return doc, extra, err
}
