package layer

import (
	"fmt"
	"slices"

	"cuelang.org/go/cue"
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

// buildValue makes the value of a directory from the files of package fleet in it and
// above it, and the packages of a library that they import, as cue vet would. It uses a
// context of its own, because a context never frees what is built in it.
func buildValue(dir string, files, schemaFiles []Source, library ...Source) (v cue.Value, err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("the CUE evaluator gave up: %v", e)
		}
	}()
	var ctx *build.Context
	ctx = build.NewContext(build.Loader(func(pos token.Pos, path string) *build.Instance {
		if path != schema.ImportPath && (imports[path] || path == "time") { // lint keeps time to the schema
			return nil // of the standard library
		}
		in := ctx.NewInstance(path, nil)
		in.ImportPath = path
		found := within(path, library)
		switch {
		case path == schema.ImportPath:
			found = schemaFiles
		case found == nil:
			in.ReportError(errors.Newf(pos, "import %q is not allowed", path))
			return in
		}
		add(in, found)
		in.Complete()
		return in
	}))
	in := ctx.NewInstance(dir, nil)
	in.Root, in.Module = "/", module
	in.ImportPath = "fleet.invalid/" + dir + ":fleet"
	add(in, files)
	in.Complete()
	if in.Err != nil {
		return cue.Value{}, in.Err
	}
	return cuecontext.New().BuildInstance(in), nil
}

// add parses files into an instance. A syntax tree may be part of one instance
// only, so it is not kept.
func add(in *build.Instance, files []Source) {
	for _, f := range files {
		tree, err := parser.ParseFile(f.Name, f.Data)
		if err != nil {
			in.ReportError(errors.Promote(err, f.Name))
			continue
		}
		if err := in.AddSyntax(tree); err != nil {
			in.ReportError(err)
		}
	}
}

// schemaFiles returns the files of the schema but those left out.
func schemaFiles(without ...string) []Source {
	var out []Source
	for _, f := range schema.Files() {
		if !slices.Contains(without, f.Name) {
			out = append(out, Source{schema.ImportPath + "/" + f.Name, f.Data})
		}
	}
	return out
}

// export validates one field of a value and returns it as JSON, with a hidden field of
// it if one is named.
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
