package layer

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
)

// ModuleFile has the name of the repo's module, with which its packages are imported.
const ModuleFile = "cue.mod/module.cue"

// LibraryDir has the packages that the applications of a tenant share, a directory each.
func LibraryDir(tenant string) string { return path.Join(TenantDir(tenant), "lib") }

// shared is how an application imports a package of a tenant's library.
var shared = regexp.MustCompile(`^(.+)/(tenants/[a-z][-a-z0-9]*/lib/[a-z][a-z0-9_]*)$`)

// quoted is every text of a file that may be such an import.
var quoted = regexp.MustCompile(`"[^"\n]+/tenants/[a-z][-a-z0-9]*/lib/[a-z][a-z0-9_]*"`)

// ImportedBy returns the directories of the packages that the files of an application may
// import from the library of its tenant: it parses nothing.
func ImportedBy(tenant string, files []Source) (dirs []string) {
	for _, f := range files {
		for _, text := range quoted.FindAll(f.Data, -1) {
			_, dir := cutModule(string(text[1 : len(text)-1]))
			if path.Dir(dir) == LibraryDir(tenant) && !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	slices.Sort(dirs)
	return dirs
}

// cutModule splits the path of an import into a module and a directory of a library, "" if
// it is none.
func cutModule(imported string) (module, dir string) {
	if m := shared.FindStringSubmatch(imported); m != nil {
		return m[1], m[2]
	}
	return "", ""
}

// A packaged is the parsed files of the packages that an application imports, by directory.
type packaged map[string][]*ast.File

// trees returns all files.
func (p packaged) trees() []*ast.File { return slices.Concat(slices.Collect(maps.Values(p))...) }

// importsOf checks the packages that the trees of an application import, and parses them.
// A fault in a package is one of each application that imports it, and of no other.
func importsOf(trees []*ast.File, library []Source) (out packaged, problems []model.Problem) {
	out = packaged{}
	for _, tree := range trees {
		for spec := range tree.ImportSpecs() {
			p, _ := literal.Unquote(spec.Path.Value)
			module, dir := cutModule(p)
			if dir == "" || out[dir] != nil {
				continue
			}
			blame := func(code, message string) {
				problems = append(problems, model.Problem{Code: code, Message: "import " + spec.Path.Value + " " + message, Places: []model.Place{{At: spec.Pos().String()}}})
			}
			if own := moduleOf(library); module != own {
				blame(catalogue.ForeignModule, fmt.Sprintf("is of another module; that of this repo is %s (%s)", own, ModuleFile))
				continue
			}
			for _, f := range within(p, library) {
				file, bad := parseShared(f)
				for i, b := range bad {
					bad[i].Places = append([]model.Place{{At: spec.Pos().String(), Note: "imports " + dir}}, b.Places...)
				}
				problems = append(problems, bad...)
				out[dir] = append(out[dir], file)
			}
			if out[dir] == nil {
				blame(catalogue.NoPackage, "has no CUE files in "+dir)
			}
		}
	}
	return out, problems
}

// parseShared parses and checks a file of a package.
func parseShared(f Source) (*ast.File, []model.Problem) {
	tree, err := parser.ParseFile(f.Name, f.Data)
	if err != nil {
		return nil, syntaxProblems(err)
	}
	return tree, lint(tree, "")
}

// moduleOf returns the name of the repo's module, without its major version.
func moduleOf(library []Source) string {
	for _, f := range library {
		tree, err := parser.ParseFile(f.Name, f.Data)
		if f.Name != ModuleFile || err != nil {
			continue
		}
		for label, field := range labelled(tree.Decls) {
			if text, ok := field.Value.(*ast.BasicLit); ok && label == "module" {
				name, _ := literal.Unquote(text.Value)
				name, _, _ = strings.Cut(name, "@")
				return name
			}
		}
	}
	return "unknown"
}

// named returns the fields at the top of the packages that a file imports, by the name
// under which it imports each.
func (p packaged) named(tree *ast.File) scope {
	out := scope{}
	for spec := range tree.ImportSpecs() {
		imported, _ := literal.Unquote(spec.Path.Value)
		_, dir := cutModule(imported)
		name := path.Base(dir)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		for _, f := range p[dir] {
			out[name] = append(out[name], f.Decls...)
		}
	}
	return out
}

// within returns the files of the package that an import is of, nil if the library does
// not have it.
func within(imported string, library []Source) (files []Source) {
	_, dir := cutModule(imported)
	for _, f := range library {
		if path.Dir(f.Name) == dir {
			files = append(files, f)
		}
	}
	return files
}
