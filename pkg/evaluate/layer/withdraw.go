package layer

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"

	"github.com/d-aros/d-aros/pkg/model"
)

// definitionPath is where a platform writes its definitions.
const definitionPath = "platform.definitions."

// withdraw returns the files of a platform without the definitions that problems are
// about, and the names of these. It returns none if a problem is about anything else.
func withdraw(files []Source, problems []model.Problem) (rest []Source, names []string) {
	bad := map[string]bool{} // kind.name
	for _, p := range problems {
		below, ok := strings.CutPrefix(p.Path, definitionPath)
		parts := strings.SplitN(below, ".", 3)
		if !ok || len(parts) < 2 {
			return nil, nil
		}
		bad[parts[0]+"."+parts[1]] = true
		if !slices.Contains(names, parts[1]) {
			names = append(names, parts[1])
		}
	}
	changed := false
	for _, f := range files {
		tree, err := parser.ParseFile(f.Name, f.Data)
		if err != nil {
			return nil, nil
		}
		for _, d := range slices.Backward(written(tree, bad)) {
			from, to := d.Label.Pos().Offset(), d.Value.End().Offset()
			// A hidden field is no definition. All lines keep their number.
			lines := bytes.Repeat([]byte("\n"), bytes.Count(f.Data[from:to], []byte("\n")))
			f.Data = slices.Concat(f.Data[:from], []byte("_0: _"), lines, f.Data[to:])
			changed = true
		}
		rest = append(rest, f)
	}
	if !changed {
		return nil, nil
	}
	return rest, names
}

// written returns the fields of a file that write one of the definitions, in order.
func written(tree *ast.File, definitions map[string]bool) (out []*ast.Field) {
	for _, top := range fields(tree.Decls, "platform") {
		for _, all := range fields(top.Elts, "definitions") {
			for _, kind := range []string{"components", "traits", "steps"} {
				for _, s := range fields(all.Elts, kind) {
					for _, e := range s.Elts {
						d, ok := e.(*ast.Field)
						if !ok {
							continue
						}
						if name, _, err := ast.LabelName(d.Label); err == nil && definitions[kind+"."+name] {
							out = append(out, d)
						}
					}
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
	var known struct{ Withdrawn []string }
	if json.Unmarshal(policy, &known) != nil {
		return problems
	}
	for i, p := range problems {
		for _, name := range known.Withdrawn {
			if strings.HasSuffix(p.Path, ".type") && strings.HasPrefix(p.Message, `asks for "`+name+`"`) || strings.HasSuffix(p.Path, ".traits."+name) {
				problems[i].Message = "uses definition " + name + " of the platform, which is refused itself"
			}
		}
	}
	return problems
}
