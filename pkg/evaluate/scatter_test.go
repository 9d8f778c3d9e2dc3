package evaluate

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// Whatever people write, right or wrong: over which files they spread it, what
// these are called and in which order the fields stand changes neither the model
// nor what is wrong.
func TestScatteredFleetsComeOutTheSame(t *testing.T) {
	full := unpack(archive(t, "full.txtar"))
	all := append(planteds(t), full)
	wants := map[int]model.Fleet{}
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.IntRange(0, len(all)-1).Draw(t, "fleet")
		at := func(string) (Files, error) { return full, nil }
		want, ok := wants[i]
		if !ok {
			want = New().Fleet("c", all[i], at)
			wants[i] = want
		}
		scattered, was := scatter(t, all[i].FS.(fstest.MapFS))
		got := New().Fleet("c", tree{scattered}, at)
		require.Equal(t, whatIsWrong(want, nil), whatIsWrong(got, was))
		require.Equal(t, content(want), content(got))
	})
}

// planteds are the files of all examples, bypasses and twins.
func planteds(t *testing.T) (all []tree) {
	base := archive(t, "base.txtar")
	for _, p := range pairs(t) {
		all = append(all, planted(base, p.refused).tree)
		if p.accepted != nil {
			all = append(all, planted(base, p.accepted).tree)
		}
	}
	return all
}

// Scattering spreads what a file says and drops none of it, so that a fleet which is wrong stays wrong.
func TestScatteringDropsNothing(t *testing.T) {
	flattened := map[string]bool{}
	for _, fleet := range append(planteds(t), unpack(archive(t, "full.txtar"))) {
		for name, file := range fleet.FS.(fstest.MapFS) {
			text := string(file.Data)
			if path.Ext(name) != ".cue" || flattened[text] {
				continue
			}
			declarations, ok := flatten(t, file.Data, func(ast.Expr) {})
			if !ok {
				continue
			}
			flattened[text] = true
			require.Equal(t, said(t, text), said(t, "package fleet\n\n"+strings.Join(declarations, "\n")), name)
		}
	}
	require.NotEmpty(t, flattened)
}

// said are the values and the attributes of a file, sorted.
func said(t *testing.T, text string) (all []string) {
	f, err := parser.ParseFile("x.cue", text)
	require.NoError(t, err, text)
	var walk func(ast.Node) bool
	walk = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field: // its label may stand several times
			for _, a := range n.Attrs {
				all = append(all, a.Text)
			}
			ast.Walk(n.Value, walk, nil)
			return false
		case *ast.Attribute:
			all = append(all, n.Text)
		case *ast.BasicLit:
			value := n.Value
			if n.Kind == token.STRING { // its indentation says nothing
				value, err = literal.Unquote(value)
				require.NoError(t, err)
			}
			all = append(all, value)
		case *ast.StructLit:
			if len(n.Elts) == 0 {
				all = append(all, "{}")
			}
		}
		return true
	}
	ast.Walk(f, walk, nil)
	slices.Sort(all)
	return all
}

var conflict = regexp.MustCompile(`conflicting values (\S+) and (\S+)`)

// whatIsWrong are the problems without their places, sorted, and what is not used
// for them.
func whatIsWrong(f model.Fleet, was *strings.Replacer) (all []string) {
	for _, p := range f.Problems {
		message := p.Message
		if was != nil {
			message = was.Replace(message)
		}
		// Which of two conflicting values is read first depends on the order of files.
		if sides := conflict.FindStringSubmatch(message); sides != nil && sides[1] > sides[2] {
			message = conflict.ReplaceAllString(message, "conflicting values $2 and $1")
		}
		all = append(all, strings.TrimSpace(fmt.Sprintln(p.Code, p.Tenant, p.App, p.Path, message)))
	}
	slices.Sort(all)
	all = slices.Compact(all) // what stands in one place may be wrong in several once it is scattered
	for _, u := range f.Unusable {
		all = append(all, "unusable "+u.App.String())
	}
	return append(all, f.UnusableTenants...)
}

// scatter spreads every file of plain fields over up to three, one declaration for
// each value, in any order, and renames all files. The replacer knows the old names.
func scatter(t *rapid.T, files fstest.MapFS) (out fstest.MapFS, was *strings.Replacer) {
	out = fstest.MapFS{}
	var names []string
	for i, name := range slices.Sorted(maps.Keys(files)) {
		file := files[name]
		if path.Ext(name) != ".cue" || name == "fleet.cue" || name == layer.ModuleFile || strings.HasPrefix(path.Base(name), "_") ||
			strings.HasPrefix(path.Base(name), ".") || strings.HasSuffix(name, "_test.cue") || strings.HasSuffix(name, "_tool.cue") {
			out[name] = file // its name says something
			continue
		}
		letter := rapid.SampledFrom([]string{"a", "m", "z"}).Draw(t, "letter")
		rename := func(part int) string { return path.Join(path.Dir(name), fmt.Sprintf("%s%d-%d.cue", letter, i, part)) }
		values, ok := flatten(t, file.Data, func(value ast.Expr) { turn(t, value) })
		if !ok {
			out[rename(0)] = file
			names = append(names, rename(0), name)
			continue
		}
		values = rapid.Permutation(values).Draw(t, "order")
		parts := map[int]string{}
		for _, v := range values {
			parts[rapid.IntRange(0, 2).Draw(t, "part")] += v + "\n"
		}
		if len(parts) == 0 {
			out[rename(0)] = file
		}
		for part, text := range parts {
			out[rename(part)] = &fstest.MapFile{Data: []byte("package fleet\n\n" + text), Mode: 0o644}
			names = append(names, rename(part), name)
		}
	}
	return out, strings.NewReplacer(names...)
}

// flatten writes a file of plain values as one declaration for each. It is not ok if
// the place of something may have a meaning.
func flatten(t require.TestingT, data []byte, turn func(ast.Expr)) (declarations []string, ok bool) {
	f, err := parser.ParseFile("x.cue", data)
	if err != nil || f.PackageName() != "fleet" || !layer.Plain(f.Decls) {
		return nil, false
	}
	var walk func(path string, decls []ast.Decl)
	walk = func(path string, decls []ast.Decl) {
		for _, d := range decls {
			field, ok := d.(*ast.Field)
			if !ok {
				continue
			}
			path := path + sourceOf(t, field.Label) + ": "
			// An attribute belongs to the field as it is written, so that field is not spread.
			if s, ok := field.Value.(*ast.StructLit); ok && len(s.Elts) > 0 && len(field.Attrs) == 0 {
				walk(path, s.Elts)
				continue
			}
			turn(field.Value)
			declaration := path + sourceOf(t, field.Value)
			for _, a := range field.Attrs {
				declaration += " " + a.Text
			}
			declarations = append(declarations, declaration)
		}
	}
	walk("", f.Decls)
	return declarations, true
}

func sourceOf(t require.TestingT, n ast.Node) string {
	b, err := format.Node(n)
	require.NoError(t, err)
	return string(b)
}

// turn changes the order of fields in the structs of a list.
func turn(t *rapid.T, x ast.Expr) {
	switch x := x.(type) {
	case *ast.ListLit:
		for _, e := range x.Elts {
			turn(t, e)
		}
	case *ast.StructLit:
		if len(x.Elts) > 1 {
			x.Elts = rapid.Permutation(x.Elts).Draw(t, "fields")
		}
		for _, d := range x.Elts {
			if field, ok := d.(*ast.Field); ok {
				turn(t, field.Value)
			}
		}
	}
}
