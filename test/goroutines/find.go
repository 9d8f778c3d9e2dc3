package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// A folder is the Go files of one directory.
type folder struct {
	dir   string
	tests int    // bytes of its tests
	why   string // the first place that starts a goroutine or takes a lock; "" if there is none
}

// find returns the folders of a module, in order. Directories that the go command passes over are passed over here.
func find(module fs.FS) (all []folder, err error) {
	err = fs.WalkDir(module, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		base := path.Base(name)
		if name != "." && (base == "testdata" || base == "node_modules" || base[0] == '.' || base[0] == '_') {
			return fs.SkipDir
		}
		if _, err := fs.Stat(module, path.Join(name, "go.mod")); err == nil && name != "." {
			return fs.SkipDir // another module
		}
		f, err := read(module, name)
		if f.dir != "" {
			all = append(all, f)
		}
		return err
	})
	return all, err
}

// read looks through the Go files of a directory. A directory without any gives a folder without a name.
func read(module fs.FS, dir string) (f folder, err error) {
	entries, err := fs.ReadDir(module, dir)
	if err != nil {
		return f, err
	}
	for _, entry := range entries {
		if path.Ext(entry.Name()) != ".go" {
			continue
		}
		f.dir = dir
		name := path.Join(dir, entry.Name())
		text, err := fs.ReadFile(module, name)
		if err != nil {
			return f, err
		}
		if strings.HasSuffix(name, "_test.go") {
			f.tests += len(text)
		}
		if f.why != "" {
			continue
		}
		if f.why, err = concurrency(name, text); err != nil {
			return f, err
		}
	}
	return f, nil
}

// starters are the functions that start a goroutine for their caller, by import path.
var starters = map[string][]string{
	"time":              {"AfterFunc"},
	"context":           {"AfterFunc"},
	"net/http":          {"Serve", "ListenAndServe"},
	"net/http/httptest": {"NewServer", "NewTLSServer", "NewUnstartedServer"},
}

// concurrency returns the first place of a file that starts a goroutine or takes a lock, "" if there is none.
// Channels do not count: whoever uses one without starting a goroutine got it from a package that does. Tests that
// run in parallel do not count either: they share nothing but what the package has, and that would need a lock.
func concurrency(name string, text []byte) (why string, err error) {
	positions := token.NewFileSet()
	file, err := parser.ParseFile(positions, name, text, parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	found := func(n ast.Node, what string) {
		if why == "" {
			p := positions.Position(n.Pos())
			why = name + ":" + strconv.Itoa(p.Line) + ": " + what
		}
	}
	calls := map[string]bool{} // the starters as this file writes them
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return "", err
		}
		if imported == "sync" || imported == "sync/atomic" || strings.HasPrefix(imported, "golang.org/x/sync/") {
			found(spec, "imports "+imported)
		}
		local := path.Base(imported)
		if spec.Name != nil {
			local = spec.Name.Name
		}
		for _, f := range starters[imported] {
			calls[local+"."+f] = true
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found(n, "starts a goroutine")
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && calls[x.Name+"."+n.Sel.Name] {
				found(n, "calls "+x.Name+"."+n.Sel.Name)
			}
		}
		return true
	})
	return why, nil
}
