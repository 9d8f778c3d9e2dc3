package evaluate

import (
	"fmt"
	"path"
	"testing"
	"testing/fstest"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/parser"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
)

// The order in which people write fields, and how they spread them over files,
// has no meaning: the model is the same.
func TestOrderHasNoMeaning(t *testing.T) {
	files := unpack(archive(t, "full.txtar"))
	at := func(string) (Files, error) { return files, nil }
	want := content(New().Fleet("c", files, at))
	require.NotEmpty(t, want.applications)
	rounds := 0
	rapid.Check(t, func(t *rapid.T) {
		if rounds++; rounds > 12 {
			return // each evaluates the whole fleet
		}
		shuffled := fstest.MapFS{}
		for name, f := range files.FS.(fstest.MapFS) {
			if path.Ext(name) == ".cue" {
				spread(t, shuffled, name, f.Data)
			} else {
				shuffled[name] = f
			}
		}
		f := New().Fleet("c", tree{shuffled}, at)
		if report(f) != "" {
			t.Fatalf("%s", report(f))
		}
		require.Equal(t, want, content(f))
	})
}

// encoded is a fleet without the places of its values.
type encoded struct {
	platform, tenants, applications model.Digest
}

func content(f model.Fleet) encoded {
	return encoded{model.DigestOf(f.Platform), model.DigestOf(f.Tenants), model.DigestOf(f.Applications)}
}

// spread writes a file as two with the fields in another order.
func spread(t *rapid.T, into fstest.MapFS, name string, data []byte) {
	halves := [2]*ast.File{}
	for i := range halves {
		f, err := parser.ParseFile(name, data)
		if err != nil {
			t.Fatal(err)
		}
		halves[i] = f
	}
	// The decisions are by position, so that both halves know them.
	choice := map[string]int{}
	order := map[string][]int{}
	for i, f := range halves {
		for _, d := range f.Decls {
			if field, ok := d.(*ast.Field); ok {
				shuffle(t, field.Value, "", i, choice, order, true)
			}
		}
		out, err := format.Node(f)
		if err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			name = path.Join(path.Dir(name), fmt.Sprintf("a%d.cue", rapid.IntRange(0, 9).Draw(t, "name")))
		}
		into[name] = &fstest.MapFile{Data: out, Mode: 0o644}
	}
}

// shuffle changes the order of fields below x and keeps those that fall to the half.
func shuffle(t *rapid.T, x ast.Expr, at string, half int, choice map[string]int, order map[string][]int, split bool) {
	switch x := x.(type) {
	case *ast.ListLit:
		for i, e := range x.Elts {
			shuffle(t, e, fmt.Sprint(at, ".", i), half, choice, order, false)
		}
	case *ast.StructLit:
		if order[at] == nil {
			order[at] = rapid.Permutation(indices(len(x.Elts))).Draw(t, "order"+at)
		}
		var elts []ast.Decl
		for _, i := range order[at] {
			field, ok := x.Elts[i].(*ast.Field)
			if !ok {
				continue // a comment
			}
			label, _, err := ast.LabelName(field.Label)
			if err != nil {
				t.Fatal(err)
			}
			below := fmt.Sprint(at, ".", label, i)
			_, deeper := field.Value.(*ast.StructLit)
			if split && !deeper {
				if _, ok := choice[below]; !ok {
					choice[below] = rapid.IntRange(0, 2).Draw(t, "half"+below) // 2: in both
				}
				if c := choice[below]; c != 2 && c != half {
					continue
				}
			}
			// A definition refers to its own fields, and a reference does not leave its file.
			shuffle(t, field.Value, below, half, choice, order, split && label != "definitions")
			elts = append(elts, field)
		}
		x.Elts = elts
	}
}

func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
