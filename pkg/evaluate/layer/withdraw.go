package layer

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"

	"github.com/d-aros/d-aros/pkg/model"
)

// withdraw returns the files of a platform or tenant without the definitions that problems
// are about, and these as kind.name. It returns none if a problem is about anything else.
func withdraw(field string, files []Source, problems []model.Problem) (rest []Source, bad map[string]bool) {
	bad = map[string]bool{}
	for _, p := range problems {
		below, ok := strings.CutPrefix(p.Path, field+".definitions.")
		parts := strings.SplitN(below, ".", 3)
		if !ok || len(parts) < 2 {
			return nil, nil
		}
		bad[parts[0]+"."+parts[1]] = true
	}
	changed := false
	for _, f := range files {
		tree, err := parser.ParseFile(f.Name, f.Data)
		if err != nil {
			return nil, nil
		}
		for _, d := range slices.Backward(written(tree, field, bad)) {
			from, to := d.Label.Pos().Offset(), d.Value.End().Offset()
			// A hidden field is no definition. All lines keep their number.
			lines := bytes.Repeat([]byte("\n"), bytes.Count(f.Data[from:to], []byte("\n")))
			f.Data = slices.Concat(f.Data[:from], []byte("_0: _"), lines, f.Data[to:])
			changed = true
		}
		if f.Data = withoutUnused(f.Name, f.Data); f.Data == nil {
			return nil, nil
		}
		rest = append(rest, f)
	}
	if !changed {
		return nil, nil
	}
	return rest, bad
}

// withoutUnused returns a file without the imports that nothing in it uses, which CUE refuses,
// or nil if the file cannot be parsed. All lines keep their number.
func withoutUnused(name string, data []byte) []byte {
	tree, err := parser.ParseFile(name, data)
	if err != nil {
		return nil
	}
	used := map[int]bool{} // by where the import stands
	ast.Walk(tree, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if spec, ok := id.Node.(*ast.ImportSpec); ok {
				used[spec.Pos().Offset()] = true
			}
		}
		return true
	}, nil)
	data = bytes.Clone(data)
	for _, decl := range tree.Decls {
		imports, ok := decl.(*ast.ImportDecl)
		if !ok {
			continue
		}
		var unused []ast.Node
		for _, spec := range imports.Specs {
			if !used[spec.Pos().Offset()] {
				unused = append(unused, spec)
			}
		}
		if len(unused) == len(imports.Specs) { // the keyword goes, too
			unused = []ast.Node{imports}
		}
		for _, n := range unused {
			for i := n.Pos().Offset(); i < n.End().Offset(); i++ {
				if data[i] != '\n' {
					data[i] = ' '
				}
			}
		}
	}
	return data
}

// written returns the fields of a file that write one of the definitions, in order.
func written(tree *ast.File, field string, definitions map[string]bool) (out []*ast.Field) {
	for _, all := range definitionsOfFile(tree, field) {
		for _, kind := range kindsDefined {
			for name, f := range definitionsIn(all.Elts, kind) {
				if definitions[kind+"."+name] {
					out = append(out, f)
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b *ast.Field) int { return a.Label.Pos().Offset() - b.Label.Pos().Offset() })
	return out
}

// saysWithdrawn explains the problems of an application that uses a definition that is not
// in force because of problems of its own.
func saysWithdrawn(problems []model.Problem, policy []byte) []model.Problem {
	var above struct{ Definitions Definitions }
	if json.Unmarshal(policy, &above) != nil {
		return problems
	}
	for i, p := range problems {
		for _, definition := range slices.Sorted(maps.Keys(above.Definitions.Withdrawn)) {
			kind, name, _ := strings.Cut(definition, ".")
			uses := strings.HasSuffix(p.Path, ".type") && strings.HasPrefix(p.Message, `asks for "`+name+`"`) &&
				(kind == "steps") == strings.HasPrefix(p.Path, "application.workflow.")
			if kind == "traits" {
				uses = strings.HasSuffix(p.Path, ".traits."+name)
			}
			if uses {
				p.Message = "uses definition " + name + " of " + above.Definitions.Withdrawn[definition] + ", which is refused itself"
				problems[i] = behind([]model.Problem{p}, func(model.Problem) string { return "definitions." + definition })[0]
			}
		}
	}
	return problems
}
