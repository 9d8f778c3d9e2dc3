package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/d-aros/d-aros/"

// root is the checkout, seen from this package.
var root = os.DirFS(filepath.Join("..", ".."))

// A file is one Go source file.
type file struct {
	path    string
	test    bool // _test.go
	lines   int
	syntax  *ast.File
	imports []string
}

// A folder is the Go files of one directory: a package and its external tests.
type folder struct {
	dir   string
	files []*file
}

// production are the files that end up in programs.
func (f *folder) production() []*file {
	return slices.DeleteFunc(slices.Clone(f.files), func(f *file) bool { return f.test })
}

// support reports whether the package serves tests and tools only, or has nothing but tests.
func (f *folder) support() bool { return isSupport(f.dir) || len(f.production()) == 0 }

func isSupport(dir string) bool {
	return dir == "test" || strings.HasPrefix(dir, "test/")
}

// own returns the packages of this module that a file imports, as directories.
func (f *file) own() (dirs []string) {
	for _, p := range f.imports {
		if dir, ok := strings.CutPrefix(p, module); ok {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

var positions = token.NewFileSet()

func at(n ast.Node) string {
	p := positions.Position(n.Pos())
	return p.Filename + ":" + strconv.Itoa(p.Line)
}

// folders returns all packages of the checkout, whatever system they are for, in order.
func folders(t *testing.T) []*folder {
	t.Helper()
	if parsed == nil {
		all, err := parse()
		require.NoError(t, err)
		require.NotEmpty(t, all)
		parsed = all
	}
	return parsed
}

var parsed []*folder // by the first test that asks; one runs after the other

func parse() (all []*folder, err error) {
	err = walk(func(name string) error {
		if path.Ext(name) != ".go" {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		syntax, err := parser.ParseFile(positions, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		f := &file{path: name, test: strings.HasSuffix(name, "_test.go"), lines: strings.Count(string(text), "\n"), syntax: syntax}
		for _, spec := range syntax.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			f.imports = append(f.imports, imported)
		}
		dir := path.Dir(name)
		if len(all) == 0 || all[len(all)-1].dir != dir {
			if i := slices.IndexFunc(all, func(o *folder) bool { return o.dir == dir }); i >= 0 {
				all[i].files = append(all[i].files, f)
				return nil
			}
			all = append(all, &folder{dir: dir})
		}
		all[len(all)-1].files = append(all[len(all)-1].files, f)
		return nil
	})
	return all, err
}

// walk calls visit for every file of the checkout that people write: not for hidden directories but .ci, not for bin,
// the packages of the pages and the built pages.
func walk(visit func(name string) error) error {
	return fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !entry.IsDir():
			return visit(name)
		case name == "bin", name == "web/node_modules", name == "web/dist", entry.Name() == "testdata":
			return fs.SkipDir
		case name != "." && name != ".ci" && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		}
		return nil
	})
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := fs.ReadFile(root, name)
	require.NoError(t, err)
	return string(text)
}
