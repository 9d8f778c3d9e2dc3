// Package traits holds what is made of the traits of pkg/render/trait to them: the schema of what owners may write,
// a page for each with its fields and its example, and the objects of that example.
package traits

import (
	"flag"
	"slices"
	"strings"
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"
	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/render/trait"
)

var update = flag.Bool("update", false, "write what is made of the traits anew")

// fragment is the file of CUE of a trait, in its parts.
type fragment struct {
	trait.Trait
	imports bool   // it uses package strings
	about   string // what the trait is for, in a sentence or two
	field   string // of the traits of a component, with its comment
	words   string // definitions that it needs
	details string // what its page adds
	example string // fields of an application
}

// fragments are those of all traits, by name.
func fragments(t *testing.T) (all []fragment) {
	for _, t0 := range trait.All() {
		all = append(all, read(t, t0))
	}
	slices.SortFunc(all, func(a, b fragment) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// read reads the declarations of a fragment: the field of the trait first, definitions, and an example last.
func read(t *testing.T, of trait.Trait) fragment {
	file, err := parser.ParseFile(of.Name+".cue", of.Schema, parser.ParseComments)
	require.NoError(t, err)
	f := fragment{Trait: of}
	for i, d := range file.Decls {
		end := len(of.Schema)
		if i+1 < len(file.Decls) {
			end = begin(file.Decls[i+1])
		}
		text := strings.TrimSpace(of.Schema[begin(d):end]) + "\n"
		field, ok := d.(*ast.Field)
		if !ok { // the package and imports
			f.imports = f.imports || strings.Contains(text, `import "strings"`)
			continue
		}
		switch name, _, _ := ast.LabelName(field.Label); name {
		case of.Name:
			f.about, f.field = comment(field), text
		case "application":
			f.details = comment(field)
			f.example = text[strings.LastIndex("\n"+text, "\napplication:"):]
		default:
			f.words += "\n" + text
		}
	}
	require.NotEmpty(t, f.about, "%s: the field of the trait has a comment", of.Name)
	require.NotEmpty(t, f.field)
	require.NotEmpty(t, f.example, "%s: the last field is application, an example", of.Name)
	return f
}

// begin is where a declaration begins, with its comment.
func begin(d ast.Decl) int {
	at := d.Pos().Offset()
	for _, g := range ast.Comments(d) {
		if g.Doc {
			at = min(at, g.Pos().Offset())
		}
	}
	return at
}

func comment(d ast.Node) (text string) {
	for _, g := range ast.Comments(d) {
		if g.Doc {
			text += g.Text()
		}
	}
	return strings.TrimSpace(text)
}
