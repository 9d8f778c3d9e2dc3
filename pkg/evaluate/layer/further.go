package layer

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
)

// maxRounds bounds how often a layer is evaluated again for the problems behind
// its problems.
const maxRounds = 3

// further adds problems that CUE does not report together with those of a layer: a value
// that breaks a rule hides unknown fields above it and every missing field. To find
// them, further removes the fields that are known to be wrong from the files and
// evaluates the rest again. That is sound only for plain data, which has no references
// to the removed fields.
func (l *Layer) further(problems []model.Problem, build func(files []Source) (cue.Value, error), layers []*Layer) []model.Problem {
	wrong := map[string]bool{}
	news := problems
	for range maxRounds {
		before := len(wrong)
		for _, p := range news {
			if path, ok := l.written(p.Path); ok {
				wrong[key(path)] = true
			}
		}
		if len(wrong) == before || len(problems) >= maxProblems {
			break
		}
		files, ok := without(l.Files, wrong)
		if !ok {
			break
		}
		v, err := build(files)
		if err != nil {
			break
		}
		if _, _, err = export(v, l.Field, ""); err == nil {
			break
		}
		news = slices.DeleteFunc(l.sound(explain(err, v, layers...), wrong), func(p model.Problem) bool {
			return slices.ContainsFunc(problems, func(q model.Problem) bool { return p.Path == q.Path })
		})
		problems = causes(append(problems, news...))
	}
	return problems[:min(len(problems), maxProblems)]
}

// written returns the path of the field to remove for a problem, if it is written. For
// an element of a list it is the list.
func (l *Layer) written(dotted string) (path []string, ok bool) {
	path = strings.Split(dotted, ".")
	for len(path) > 1 {
		if _, err := strconv.Atoi(path[len(path)-1]); err != nil {
			break
		}
		path = path[:len(path)-1]
	}
	return path, len(path) > 1 && l.Where[key(path)] != nil
}

// sound leaves out problems that only follow from the removal of fields: that these are
// missing, and problems with fields beside them, which may depend on them, or with
// values of the schema.
func (l *Layer) sound(problems []model.Problem, wrong map[string]bool) []model.Problem {
	var unknown []string
	for _, p := range problems {
		path := strings.Split(p.Path, ".")
		switch {
		case !wrong[key(path)]:
		case p.Path == "application.name": // nothing depends on it
			unknown = append(unknown, p.Path)
		default:
			unknown = append(unknown, strings.Join(path[:len(path)-1], "."))
		}
	}
	return slices.DeleteFunc(problems, func(p model.Problem) bool {
		if _, written := l.written(p.Path); p.Code == catalogue.Conflict && !written {
			return true
		}
		return slices.ContainsFunc(unknown, func(path string) bool { return p.Path == path || strings.HasPrefix(p.Path, path+".") })
	})
}

// without returns files without some fields, and everything else at its place. It
// reports false if that is not possible or the files are not plain data.
func without(files []Source, fields map[string]bool) (out []Source, ok bool) {
	for _, f := range files {
		tree, err := parser.ParseFile(f.Name, f.Data)
		if err != nil {
			return nil, false
		}
		data := slices.DeleteFunc(slices.Clone(tree.Decls), func(d ast.Decl) bool {
			_, imports := d.(*ast.ImportDecl)
			return imports || isFleet(d)
		})
		if !Plain(data) {
			return nil, false
		}
		e := eraser{fields, bytes.Clone(f.Data)}
		e.decls(nil, tree.Decls, "")
		if _, err = parser.ParseFile(f.Name, e.data); err != nil {
			return nil, false
		}
		out = append(out, Source{f.Name, e.data})
	}
	return out, true
}

// An eraser overwrites fields with blanks.
type eraser struct {
	fields map[string]bool
	data   []byte
}

// decls erases fields among declarations. A field that is alone and without braces around
// it is replaced by instead, so that the file still parses.
func (e *eraser) decls(path []string, decls []ast.Decl, instead string) {
	for name, field := range labelled(decls) {
		below := append(path[:len(path):len(path)], name)
		if e.fields[key(below)] {
			e.erase(field.Label.Pos().Offset(), field.Value.End().Offset(), instead)
			continue
		}
		e.value(below, field.Value)
	}
}

func (e *eraser) value(path []string, x ast.Expr) {
	switch x := x.(type) {
	case *ast.StructLit:
		instead := ""
		if !x.Lbrace.IsValid() {
			instead = "{}"
		}
		e.decls(path, x.Elts, instead)
	case *ast.ListLit:
		for i, element := range x.Elts {
			e.value(append(path[:len(path):len(path)], strconv.Itoa(i)), element)
		}
	}
}

func (e *eraser) erase(from, to int, instead string) {
	if rest := bytes.TrimLeft(e.data[to:], " \t"); instead == "" && bytes.HasPrefix(rest, []byte(",")) {
		to = len(e.data) - len(rest) + 1
	}
	for i := from; i < to; i++ {
		if e.data[i] != '\n' {
			e.data[i] = ' '
		}
	}
	copy(e.data[from:to], instead)
}
