package layer

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"

	"github.com/d-aros/d-aros/pkg/evaluate/cuefile"
	"github.com/d-aros/d-aros/pkg/model"
)

// AllotmentsFile is the file at the root of a repo to which allotments are moved.
const AllotmentsFile = "allotments.cue"

// A Moved is a field of a tenant's file that was moved to the allotment of the tenant.
type Moved struct {
	Tenant string `json:"tenant"`
	From   string `json:"from"`  // file
	Field  string `json:"field"` // "quota.priorityCeiling"
}

// Allotments are the edits that give every tenant an allotment.
type Allotments struct {
	Given []string // the tenants that have an allotment now and had none
	Kept  []string // the tenants that stay as open as before, because their allotments say so now
	Moved []Moved
	Files []Source // all that change, as they are then
}

// movable are the fields of a tenant that an allotment has, as paths below the tenant and
// below the allotment. The first are no fields of a tenant any more. The others may narrow
// an allotment, so they are moved only if there is none.
var movable = []struct {
	from, to []string
	always   bool
}{
	{[]string{"weight"}, []string{"weight"}, true},
	{[]string{"guarantee"}, []string{"guarantee"}, true},
	{[]string{"lend"}, []string{"lend"}, true},
	{[]string{"borrow"}, []string{"borrow"}, false},
	{[]string{"quota", "priorityCeiling"}, []string{"priorityCeiling"}, false},
	{[]string{"quota"}, []string{"quota"}, false},
}

// MoveAllotments moves what the files of tenants say of their allotments to the root of
// the repo, with the comments, and gives an allotment to each tenant that has none: with
// what is in use of names that all share. What a tenant without one runs was
// not locked, so its allotment says that. With open, those that do not say how locked the
// tenant is say that, too.
func MoveAllotments(files fs.FS, inUse []model.Allotment, open bool) (out Allotments, err error) {
	root, err := ReadAll(files, ".")
	if err != nil {
		return out, err
	}
	platform, problems := Parse("platform", root)
	if len(problems) > 0 {
		return out, fmt.Errorf("%s", problems[0])
	}
	tenants, err := fs.ReadDir(files, "tenants")
	if err != nil {
		return out, fmt.Errorf("read tenants: %w", err)
	}
	var given strings.Builder
	for _, t := range tenants {
		if !t.IsDir() || !model.ValidName(t.Name()) {
			continue
		}
		own, err := ReadAll(files, TenantDir(t.Name()))
		if err != nil {
			return out, err
		}
		has := platform.Writes("platform", "allotments", t.Name())
		var allotment strings.Builder
		for _, file := range own {
			before := len(out.Moved)
			e := cuefile.Open(cuefile.File(file))
			if err := moveAllotment(&e, t.Name(), has, &out, &allotment); err != nil {
				return out, err
			}
			if len(out.Moved) == before {
				continue
			}
			data, err := e.Done()
			if err != nil {
				return out, err
			}
			out.Files = append(out.Files, Source{file.Name, data})
		}
		if len(own) == 0 {
			continue
		}
		if !has {
			out.Given = append(out.Given, t.Name())
			if own := slices.IndexFunc(inUse, func(a model.Allotment) bool { return a.Name == t.Name() }); own >= 0 {
				writeInUse(&allotment, inUse[own])
			}
		}
		if !has || open {
			keptOpen(&platform, t.Name(), &out, &allotment)
		}
		if allotment.Len() == 0 {
			continue
		}
		fmt.Fprintf(&given, "\t%s{\n%s\t}\n", cuefile.Label(t.Name()), &allotment)
	}
	if given.Len() == 0 {
		return out, nil
	}
	e := cuefile.Text{Name: AllotmentsFile, Data: []byte("package fleet\n\n// What each tenant gets. A tenant may narrow it, never widen it.\n"), Clean: true}
	if i := slices.IndexFunc(root, func(f Source) bool { return f.Name == AllotmentsFile }); i >= 0 {
		e = cuefile.Open(cuefile.File(root[i]))
		e.Data = append(bytes.TrimRight(e.Data, "\n"), "\n\n"...)
	}
	e.Data = append(e.Data, "platform: allotments: {\n"+given.String()+"}\n"...)
	data, err := e.Done()
	if err != nil {
		return out, err
	}
	out.Files = append(out.Files, Source{e.Name, data})
	return out, nil
}

// writeInUse writes the lists that have something.
func writeInUse(allotment *strings.Builder, a model.Allotment) {
	for _, list := range []struct {
		field string
		words []string
	}{{"namespaces", a.Namespaces}, {"hosts", a.Hosts}, {"ingress: classes", a.Classes}, {"ingress: annotations", a.Annotations}, {"services", a.Services}} {
		if len(list.words) == 0 {
			continue
		}
		fmt.Fprintf(allotment, "%s: [\n", list.field)
		for _, w := range list.words {
			fmt.Fprintf(allotment, "%s,\n", strconv.Quote(w))
		}
		allotment.WriteString("]\n")
	}
}

// keptOpen writes how little a tenant was locked before there were locked tenants, where
// its allotment says nothing.
func keptOpen(platform *Layer, tenant string, out *Allotments, allotment *strings.Builder) {
	for _, field := range []struct{ name, value string }{{"isolation", "open"}, {"podSecurity", "baseline"}} {
		if platform.Writes("platform", "allotments", tenant, field.name) {
			continue
		}
		fmt.Fprintf(allotment, "%s: %q\n", field.name, field.value)
		if !slices.Contains(out.Kept, tenant) {
			out.Kept = append(out.Kept, tenant)
		}
	}
}

// moveAllotment moves the fields of one file of a tenant. A tenant that has an allotment
// keeps those that narrow it.
func moveAllotment(p *cuefile.Text, tenant string, has bool, out *Allotments, allotment *strings.Builder) error {
	for _, m := range movable {
		for m.always || !has {
			places, err := cuefile.Index(cuefile.File{Name: p.Name, Data: p.Data})
			if err != nil {
				return fmt.Errorf("read %s: %w", p.Name, err)
			}
			i := slices.IndexFunc(places, func(p cuefile.Place) bool { return slices.Equal(p.Path, append([]string{"tenant"}, m.from...)) })
			if i < 0 {
				break
			}
			field, outermost := places[i].Field, places[i].Whole
			if places[i].Kind == cuefile.Computed || !plainValue(field.Value) {
				return fmt.Errorf("%s: tenant.%s is not plain data; move it to platform.allotments.%s.%s by hand",
					field.Value.Pos(), strings.Join(m.from, "."), tenant, strings.Join(m.to, "."))
			}
			fmt.Fprintf(allotment, "%s\n", textOf(p, field, outermost, m.to))
			p.Cut(outermost)
			out.Moved = append(out.Moved, Moved{Tenant: tenant, From: p.Name, Field: strings.Join(m.from, ".")})
		}
	}
	return nil
}

// textOf returns a field as it is written under another path, with the comments above it
// and behind it.
func textOf(p *cuefile.Text, field, outermost *ast.Field, path []string) string {
	var b strings.Builder
	for _, f := range slices.Compact([]*ast.Field{outermost, field}) {
		for _, group := range ast.Comments(f) {
			for _, c := range group.List {
				if group.Doc {
					b.WriteString(c.Text + "\n")
				}
			}
		}
	}
	end := outermost.End().Offset()
	b.WriteString(strings.Join(path, ": ") + ": ")
	b.Write(p.Data[field.Value.Pos().Offset():field.Value.End().Offset()])
	line, _, _ := bytes.Cut(p.Data[end:], []byte("\n"))
	if behind := bytes.TrimLeft(line, " \t\r,"); bytes.HasPrefix(behind, []byte("//")) {
		b.WriteString(" ")
		b.Write(behind)
	}
	return b.String()
}
