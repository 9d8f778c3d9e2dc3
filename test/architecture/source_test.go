package architecture

import (
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// clock are the functions of package time that read or wait for the clock.
var clock = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}

func TestNoClockInTheCore(t *testing.T) {
	p := readPicture(t)
	for _, f := range folders(t) {
		if !slices.Contains(pure, p.line(f.dir)) {
			continue
		}
		for _, file := range f.production() {
			for _, use := range uses(file, "time", clock...) {
				t.Errorf("%s reads the clock: take the time as an argument, the loop reads it once in a pass", use)
			}
		}
	}
}

// uses returns where a file mentions functions of a package.
func uses(f *file, imported string, names ...string) (places []string) {
	local := path.Base(imported)
	for _, spec := range f.syntax.Imports {
		if strings.Trim(spec.Path.Value, `"`) == imported && spec.Name != nil {
			local = spec.Name.Name
		}
	}
	if !slices.Contains(f.imports, imported) {
		return nil
	}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := s.X.(*ast.Ident); ok && x.Name == local && slices.Contains(names, s.Sel.Name) {
			places = append(places, at(s)+" "+x.Name+"."+s.Sel.Name)
		}
		return true
	})
	return places
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	for _, f := range folders(t) {
		files := f.production()
		if len(files) == 0 {
			files = f.files
		}
		var comments []string
		for _, file := range files {
			if file.syntax.Doc == nil {
				continue
			}
			comments = append(comments, file.path)
			begin := "Package " + file.syntax.Name.Name + " "
			if file.syntax.Name.Name == "main" {
				begin = "Command "
			}
			if text := file.syntax.Doc.Text(); !strings.HasPrefix(text, begin) {
				t.Errorf("%s: the package comment does not begin with %q but %.40q", file.path, begin, text)
			}
		}
		switch len(comments) {
		case 0:
			t.Errorf("%s has no package comment: say what it decides and what it never does", f.dir)
		case 1:
		default:
			t.Errorf("%s has more than one package comment: %s", f.dir, strings.Join(comments, ", "))
		}
	}
}

// empty are names that say nothing about their subject.
var empty = []string{"util", "utils", "common", "helper", "helpers", "misc", "manager", "managers"}

func TestNamesHaveASubject(t *testing.T) {
	for _, f := range folders(t) {
		if slices.Contains(empty, path.Base(f.dir)) {
			t.Errorf("%s: a package is named for its subject", f.dir)
		}
		for _, file := range f.files {
			words := strings.Split(strings.TrimSuffix(path.Base(file.path), ".go"), "_")
			if slices.ContainsFunc(words, func(w string) bool { return slices.Contains(empty, w) }) {
				t.Errorf("%s: a file is named for its subject", file.path)
			}
		}
	}
}

// mostLines is where a file stops being about one subject.
const mostLines = 400

// long are the production files that are longer, with the reason.
var long = map[string]string{}

func TestFilesStayShort(t *testing.T) {
	for _, f := range folders(t) {
		for _, file := range f.production() {
			switch reason := long[file.path]; {
			case file.lines > mostLines && reason == "":
				t.Errorf("%s has %d lines, more than %d: which of its subjects gets a file of its own?", file.path, file.lines, mostLines)
			case file.lines <= mostLines && reason != "":
				t.Errorf("%s has %d lines and needs no exception any more", file.path, file.lines)
			}
		}
	}
}

// postponed are the marks with which people put off work. They are written apart so as not to be found here.
var postponed = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|X` + `XX|HA` + `CK)\b`)

func TestNothingIsPutOff(t *testing.T) {
	for _, f := range folders(t) {
		for _, file := range f.files {
			for _, group := range file.syntax.Comments {
				if mark := postponed.FindString(group.Text()); mark != "" {
					t.Errorf("%s says %s: do it, or open an issue", at(group), mark)
				}
			}
		}
	}
}
