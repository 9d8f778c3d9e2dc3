package architecture

import (
	"go/ast"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A refusal is a word that docs/words.md replaces by another.
type refusal struct {
	word    string // split into words
	dir     string // where it is refused; "": everywhere
	instead string
}

var notColumn = regexp.MustCompile("`([^`]+)`(?: \\(([^)]+)\\))?")

// refusals reads the last column of the table.
func refusals(t *testing.T) (list []refusal) {
	t.Helper()
	for line := range strings.Lines(read(t, "docs/words.md")) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 6 {
			continue
		}
		for _, m := range notColumn.FindAllStringSubmatch(cells[4], -1) {
			list = append(list, refusal{splitWords(m[1]), m[2], strings.TrimSpace(cells[1])})
		}
	}
	require.NotEmpty(t, list)
	return list
}

// phrases are those of the last line of the page.
func phrases(t *testing.T) (list []string) {
	t.Helper()
	_, text, ok := strings.Cut(read(t, "docs/words.md"), "Phrases that a test refuses:")
	require.True(t, ok)
	for _, m := range notColumn.FindAllStringSubmatch(text, -1) {
		list = append(list, m[1])
	}
	require.NotEmpty(t, list)
	return list
}

// in reports whether the word occurs in a text that was split into words.
func (r refusal) in(text string) bool {
	return strings.Contains(text, r.word)
}

// splitWords takes an identifier or a text apart: "giveBack" is " give back ".
func splitWords(s string) string {
	var b strings.Builder
	lower := false // the last was a small letter or a digit
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z':
			b.WriteRune(r)
		case r >= 'A' && r <= 'Z':
			if lower {
				b.WriteByte(' ')
			}
			b.WriteRune(r - 'A' + 'a')
		default:
			b.WriteByte(' ')
		}
		lower = r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
	}
	return " " + strings.Join(strings.Fields(b.String()), " ") + " "
}

func TestWords(t *testing.T) {
	list := refusals(t)
	check := func(dir, where, text string) {
		text = splitWords(text)
		for _, r := range list {
			if (r.dir == "" || dir == r.dir || strings.HasPrefix(dir, r.dir+"/")) && r.in(text) {
				t.Errorf("%s: %q is not a word of ours: use %q (docs/words.md)", where, strings.TrimSpace(r.word), r.instead)
			}
		}
	}
	for _, f := range folders(t) {
		names := map[string]bool{} // that were checked
		for _, file := range f.files {
			var visit func(n ast.Node) bool
			visit = func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.ImportSpec:
					return false
				case *ast.Field: // a tag names a field of a record, which keeps its name
					for _, name := range n.Names {
						check(f.dir, at(n), name.Name)
					}
					ast.Inspect(n.Type, visit)
					return false
				case *ast.Ident:
					if !names[n.Name] {
						names[n.Name] = true
						check(f.dir, at(n), n.Name)
					}
				case *ast.BasicLit:
					check(f.dir, at(n), n.Value)
				}
				return true
			}
			ast.Inspect(file.syntax, visit)
		}
	}
	require.NoError(t, walk(func(name string) error {
		if path.Ext(name) == ".md" && name != "docs/words.md" && name != "CHANGELOG.md" && !strings.HasPrefix(name, "docs/decisions/") {
			check("", name, read(t, name))
		}
		return nil
	}))
}

func TestPhrases(t *testing.T) {
	list := phrases(t)
	require.NoError(t, walk(func(name string) error {
		if name == "docs/words.md" || name == "test/architecture/words_test.go" {
			return nil
		}
		switch path.Ext(name) {
		case ".go", ".md", ".cue":
		default:
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		plain := strings.Join(strings.Fields(strings.ReplaceAll(string(text), "//", " ")), " ")
		for _, phrase := range list {
			if strings.Contains(plain, phrase) {
				t.Errorf("%s: %q: say it with a noun and a verb (docs/words.md)", name, phrase)
			}
		}
		return nil
	}))
}
