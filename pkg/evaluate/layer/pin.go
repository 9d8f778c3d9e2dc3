package layer

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"

	"github.com/d-aros/d-aros/pkg/model"
)

// A PinEdit is one file of a tenant in which a pin changed. Everything else in the
// file stays as people wrote it.
type PinEdit struct {
	File string
	Data []byte
	Was  string // the commit that the application was pinned to, "" if to none
}

// Pin pins an application to a commit. It changes the file that has a pin of it, or a
// file with other pins, or the file with the name of the tenant, in this order.
func Pin(files fs.FS, app model.AppID, commit string) (PinEdit, error) {
	f, err := pinFile(files, app)
	if err != nil {
		return PinEdit{}, err
	}
	out := PinEdit{File: f.name, Was: f.was()}
	label, value := app.Name, strconv.Quote(commit)
	if ast.StringLabelNeedsQuoting(label) {
		label = strconv.Quote(label)
	}
	text := label + ": commit: " + value
	switch {
	case f.commit != nil && out.Was == "":
		return out, fmt.Errorf("%s: the pin of %s is no plain string; edit it by hand", f.commit.Value.Pos(), app)
	case f.commit != nil:
		f.replace(f.commit.Value.Pos().Offset(), f.commit.Value.End().Offset(), value)
	case braced(f.releases):
		f.add(f.releases, text)
	case braced(f.tenant) && f.releases != nil:
		f.add(f.tenant, "releases: "+text)
	case braced(f.tenant):
		f.add(f.tenant, "\nreleases: "+text)
	default:
		end := "\n"
		if len(f.data) > 0 && f.data[len(f.data)-1] != '\n' {
			end = "\n\n"
		}
		f.replace(len(f.data), len(f.data), end+"tenant: releases: "+text+"\n")
	}
	out.Data, err = f.done()
	return out, err
}

// Unpin removes the pin of an application. Without a pin the edit names no file.
func Unpin(files fs.FS, app model.AppID) (PinEdit, error) {
	f, err := pinFile(files, app)
	if err != nil || f.pin == nil {
		return PinEdit{}, err
	}
	out := PinEdit{File: f.name, Was: f.was()}
	f.cut(f.whole)
	out.Data, err = f.done()
	return out, err
}

// pinFile returns the file of a tenant that has, or should have, a pin of the application.
func pinFile(files fs.FS, app model.AppID) (*pinned, error) {
	dir := TenantDir(app.Tenant)
	names, problems, err := List(files, dir)
	if err != nil {
		return nil, err
	}
	blobs, more, err := Read(files, names)
	if err != nil {
		return nil, err
	}
	if problems = append(problems, more...); len(problems) > 0 {
		return nil, errors.New(problems[0].String())
	}
	var best *pinned
	for _, b := range blobs {
		f, err := findPin(b, app.Name)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", b.Name, err)
		}
		if best == nil || f.rank() > best.rank() {
			best = f
		}
	}
	if best == nil {
		return nil, fmt.Errorf("%s has no CUE file that could hold a pin", dir)
	}
	return best, nil
}

// pinned is a file, with the fields of tenant.releases.<app>.commit that it has.
type pinned struct {
	edited

	tenant, releases, pin, commit *ast.Field
	whole                         *ast.Field // the outermost field that holds nothing but the pin
	names                         bool       // the file has tenant.name
}

func findPin(file Source, app string) (*pinned, error) {
	f, err := parser.ParseFile(file.Name, file.Data, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	p := &pinned{edited: edit(file)}
	p.find(f.Decls, []string{"tenant", "releases", app, "commit"}, nil)
	return p, nil
}

// rank orders files by how well a pin fits into them.
func (p *pinned) rank() int {
	switch {
	case p.pin != nil:
		return 4
	case p.releases != nil:
		return 3
	case p.names:
		return 2
	case p.tenant != nil:
		return 1
	}
	return 0
}

// was returns the commit of the pin.
func (p *pinned) was() string {
	if p.commit != nil {
		if lit, ok := p.commit.Value.(*ast.BasicLit); ok {
			if s, err := literal.Unquote(lit.Value); err == nil {
				return s
			}
		}
	}
	return ""
}

// find searches the fields along labels. A field may occur more than once; one with
// braces is the better place for a pin. whole is the field above that would be empty
// without the field.
func (p *pinned) find(decls []ast.Decl, labels []string, whole *ast.Field) {
	for _, d := range decls {
		field, ok := d.(*ast.Field)
		if !ok {
			continue
		}
		name, _, err := ast.LabelName(field.Label)
		p.names = p.names || err == nil && len(labels) == 3 && name == "name"
		if err != nil || name != labels[0] {
			continue
		}
		slot := [...]**ast.Field{4: &p.tenant, 3: &p.releases, 2: &p.pin, 1: &p.commit}[len(labels)]
		if !braced(*slot) {
			*slot = field
		}
		all := whole
		if all == nil || siblings(decls) > 1 {
			all = field
		}
		if len(labels) == 2 {
			p.whole = all
		}
		if s, ok := field.Value.(*ast.StructLit); ok && len(labels) > 1 {
			p.find(s.Elts, labels[1:], all)
		}
	}
}

// braced reports whether a field is there and has a struct with braces.
func braced(f *ast.Field) bool {
	if f == nil {
		return false
	}
	s, ok := f.Value.(*ast.StructLit)
	return ok && s.Lbrace.IsValid()
}
