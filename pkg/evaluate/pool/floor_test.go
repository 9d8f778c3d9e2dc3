package pool

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"github.com/d-aros/d-aros/schema"
)

// floor evaluates applications as plainly as CUE's Go API allows: for each
// directory the files of it, its ancestors and the schema as one instance built
// by hand, validated and decoded, and nothing else: no process, no check of what
// cue vet overlooks, no place of anything, no model. What it costs is what
// evaluation is compared with.
func floor(dirs []string) error {
	debug.SetGCPercent(400)
	for _, dir := range dirs {
		var files []string
		for _, above := range []string{".", path.Dir(path.Dir(dir)), dir} {
			names, err := filepath.Glob(above + "/*.cue")
			if err != nil {
				return err
			}
			files = append(files, names...)
		}
		if err := evaluateByHand(dir, files); err != nil {
			return fmt.Errorf("evaluate %s: %w", dir, err)
		}
	}
	return nil
}

func evaluateByHand(dir string, files []string) error {
	var ctx *build.Context
	ctx = build.NewContext(build.Loader(func(_ token.Pos, name string) *build.Instance {
		if name != schema.ImportPath {
			return nil // of the standard library
		}
		in := ctx.NewInstance(name, nil)
		in.ImportPath = name
		for _, file := range schema.Files() {
			tree, err := parser.ParseFile(file.Name, file.Data)
			if err != nil || in.AddSyntax(tree) != nil {
				panic(fmt.Sprintf("parse %s: %v", file.Name, err))
			}
		}
		in.Complete()
		return in
	}))
	in := ctx.NewInstance(dir, nil)
	in.Root, in.Module, in.ImportPath = "/", "fleet.example@v0", "fleet.example/"+dir+":fleet"
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		tree, err := parser.ParseFile(name, data)
		if err != nil {
			return err
		}
		if err := in.AddSyntax(tree); err != nil {
			return err
		}
	}
	if err := in.Complete(); err != nil {
		return err
	}
	v := cuecontext.New().BuildInstance(in).LookupPath(cue.MakePath(cue.Str("application")))
	if err := v.Validate(cue.Concrete(true), cue.Final()); err != nil {
		return err
	}
	doc, err := v.MarshalJSON()
	if err != nil {
		return err
	}
	var decoded map[string]any
	return json.Unmarshal(doc, &decoded)
}
