package layer

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
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
	name  string
	data  []byte
	clean bool // the file is as "cue fmt" would write it

	tenant, releases, pin, commit *ast.Field
	whole                         *ast.Field // the outermost field that holds nothing but the pin
	names                         bool       // the file has tenant.name
}

func findPin(file Source, app string) (*pinned, error) {
	f, err := parser.ParseFile(file.Name, file.Data, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	again, err := format.Source(file.Data)
	p := &pinned{name: file.Name, data: file.Data, clean: err == nil && bytes.Equal(again, file.Data)}
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

// siblings counts declarations.
func siblings(decls []ast.Decl) (n int) {
	for _, d := range decls {
		if _, ok := d.(*ast.CommentGroup); !ok {
			n++
		}
	}
	return n
}

// braced reports whether a field is there and has a struct with braces.
func braced(f *ast.Field) bool {
	if f == nil {
		return false
	}
	s, ok := f.Value.(*ast.StructLit)
	return ok && s.Lbrace.IsValid()
}

// add puts a field at the end of the braces of another.
func (p *pinned) add(field *ast.Field, text string) {
	s := field.Value.(*ast.StructLit)
	brace := s.Rbrace.Offset()
	line := bytes.LastIndexByte(p.data[:brace], '\n') + 1
	indent := string(p.data[line:brace])
	if strings.TrimSpace(indent) != "" || line <= s.Lbrace.Offset() { // the brace does not stand alone
		before := strings.TrimRight(string(p.data[:brace]), " \t")
		separator := ", "
		if strings.HasSuffix(before, "{") || strings.HasSuffix(before, ",") || strings.HasSuffix(before, "\n") {
			separator = ""
		}
		p.replace(len(before), brace, separator+strings.TrimSpace(text))
		return
	}
	var added strings.Builder
	for part := range strings.SplitSeq(text, "\n") {
		if part != "" {
			part = indent + "\t" + part
		}
		added.WriteString(part + "\n")
	}
	p.replace(line, line, added.String())
}

// cut removes a field with its comments, and its lines if nothing else is on them.
func (p *pinned) cut(field *ast.Field) {
	start, end := field.Pos().Offset(), field.End().Offset()
	for _, c := range ast.Comments(field) {
		if c.Doc {
			start = min(start, c.Pos().Offset())
		}
	}
	line := bytes.LastIndexByte(p.data[:start], '\n') + 1
	rest := p.data[end:]
	next := bytes.IndexByte(rest, '\n')
	if next < 0 {
		next = len(rest)
	}
	behind := bytes.Trim(rest[:next], " \t\r,")
	alone := len(bytes.TrimSpace(p.data[line:start])) == 0 && (len(behind) == 0 || bytes.HasPrefix(behind, []byte("//")))
	if !alone {
		after := bytes.TrimLeft(rest, " \t")
		if bytes.HasPrefix(after, []byte(",")) {
			after = bytes.TrimLeft(after[1:], " \t")
			p.replace(start, len(p.data)-len(after), "")
			return
		}
		before := bytes.TrimRight(p.data[:start], " \t,")
		p.replace(len(before), end, "")
		return
	}
	stop := min(end+next+1, len(p.data))
	// An empty line before it goes, too.
	if before := p.data[:line]; bytes.HasSuffix(before, []byte("\n\n")) {
		if after := bytes.TrimSpace(firstLine(p.data[stop:])); len(after) == 0 || after[0] == '}' {
			line--
		}
	}
	p.replace(line, stop, "")
}

func firstLine(b []byte) []byte {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	return line
}

func (p *pinned) replace(start, end int, text string) {
	p.data = slices.Concat(p.data[:start], []byte(text), p.data[end:])
}

// done returns the file, formatted if it was formatted before.
func (p *pinned) done() ([]byte, error) {
	if !p.clean {
		_, err := parser.ParseFile(p.name, p.data)
		return p.data, err
	}
	out, err := format.Source(p.data)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("edit %s", p.name), err)
	}
	return out, nil
}
