package importing

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/text"
)

// Options are what the person who imports says.
type Options struct {
	Format Format            // "" tells by what the file holds
	Name   string            // of the application; default: as the file names it
	File   string            // its name, for the comment and for a name of the application
	Labels map[string]string // of the application, besides those of the file
	Host   string            // for entrances that are for every host; "": these are lost
	Tenant string            // of the application; default: the one that has the namespace of the file

	Definitions [][]byte // files with definitions of KubeVela, besides those of the file
	// Expand evaluates the template of a definition, as evaluate.Evaluator.Template does; nil: no definition counts.
	Expand func(template string, values []byte) ([]byte, error)
}

// A Result is an application as a file of CUE, and what became of the fields of what was read.
type Result struct {
	Tenant string // "" if neither the person nor the file names one
	Name   string
	CUE    []byte
	Report Report
}

// Import translates a file. It fails on a file that it cannot read and on one without an application. What
// it cannot say in CUE is in the report, which comes with the error if nothing is left.
func Import(data []byte, o Options) (*Result, error) {
	docs, err := parse(data)
	if err != nil {
		return nil, err
	}
	if o.Format == "" {
		if o.Format, err = detect(docs); err != nil {
			return nil, err
		}
	}
	read, known := readers[o.Format]
	if !known {
		return nil, fmt.Errorf("%q is no format; use %s", o.Format, text.Enumerate(Formats(), len(readers)))
	}
	t := &translation{file: o.File, host: o.Host, report: Report{Format: o.Format, Lost: []Loss{}, Secrets: []Secret{}, Notes: []string{}}, configs: map[string]string{}, secrets: map[string][]string{}, hosts: map[string]string{}, steps: map[string]string{}, handed: handed{batches: map[string]*node{}, claims: map[string]*node{}, connections: map[string]*node{}}, podLabels: map[*component]map[string]string{},
		defined: defined{templates: map[string]string{}, charts: map[string]*node{}, expand: o.Expand, workloads: map[*component]*node{}}}
	t.app.labels = doc{}
	t.app.name = dnsName(o.Name)
	t.defined.define(docs)
	for i, file := range o.Definitions {
		more, err := parse(file)
		if err != nil {
			return nil, fmt.Errorf("file %d with definitions: %w", i+1, err)
		}
		t.defined.define(more)
	}
	tenant, namespaces := o.Format.tenant(docs, o.Tenant)
	mark(kept, namespaces...)
	if t.tenant = tenant; tenant != o.Tenant {
		t.note("stands in namespace %s, so it is for tenant %s; --tenant names another", tenant, tenant)
	}
	if err := read(t, docs); err != nil {
		return nil, err
	}
	finish(t, o)
	t.count(docs)
	result := &Result{Tenant: t.tenant, Name: t.app.name, Report: t.report}
	if len(t.app.components) == 0 {
		return result, errors.New(whyNothing(t))
	}
	if result.CUE, err = t.app.cue(); err != nil {
		return nil, err
	}
	return result, nil
}

// whyNothing says why there is no application.
func whyNothing(t *translation) string {
	why := "has no component that can be said in CUE"
	for i, l := range t.report.Lost {
		if i == 5 {
			return why + "; …"
		}
		why += fmt.Sprintf("; line %d: %s: %s", l.Line, l.Path, l.Reason)
	}
	return why
}

// translation is the work on one file.
type translation struct {
	file      string
	host      string // for entrances that are for every host
	tenant    string // "" if nobody names one
	app       application
	report    Report
	configs   map[string]string                // components of type config, by their names in the file
	secrets   map[string][]string              // keys of Secrets to make, by name
	hosts     map[string]string                // names by which components reach each other, with those that they get
	steps     map[string]string                // components by the names that a workflow gives them, "" for those that are Secrets
	podLabels map[*component]map[string]string // that the pods of components have in the file
	defined   defined
	handed
}

// handed is what parts of a file of KubeVela hand to others.
type handed struct {
	batches     map[string]*node // of rollouts, by component
	claims      map[string]*node // that steps make, by name
	connections map[string]*node // steps with the variables of a database, by the names under which they hand them on
}

// component adds a component, under a name that no other has.
func (t *translation) component(name, kind string) *component {
	c := &component{doc: doc{"type": kind}}
	c.name = unused(cmp.Or(dnsName(name), "component"), func(name string) bool {
		return slices.ContainsFunc(t.app.components, func(c *component) bool { return c.name == name })
	})
	if c.name != name {
		t.note("component %q is called %s", name, c.name)
	}
	t.app.components = append(t.app.components, c)
	return c
}

// drop takes a component out.
func (t *translation) drop(c *component) {
	t.app.components = slices.DeleteFunc(t.app.components, func(x *component) bool { return x == c })
}

func (t *translation) note(format string, args ...any) {
	t.report.Notes = append(t.report.Notes, text.Clean(fmt.Sprintf(format, args...)))
}

// called gives the application a name, unless it has one.
func (t *translation) called(n *node) {
	if t.app.name != "" {
		mark(kept, n)
		return
	}
	if t.app.name = dnsName(n.string()); t.app.name != "" {
		mark(kept, n)
	}
	if n.string() != "" && t.app.name != n.string() {
		t.note("application %q is called %s", n.string(), t.app.name)
	}
}

// finish completes what depends on the whole application.
func finish(t *translation, o Options) {
	t.app.name = cmp.Or(t.app.name, dnsName(baseName(o.File)), "imported")
	for name, value := range o.Labels {
		t.app.labels[name] = value
	}
	for _, c := range t.app.components {
		c.settle(t)
	}
	untangle(t)
	for _, name := range slices.Sorted(maps.Keys(t.secrets)) {
		slices.Sort(t.secrets[name])
		t.report.Secrets = append(t.report.Secrets, Secret{name, slices.Compact(t.secrets[name])})
	}
	if len(t.app.comment) > 0 {
		t.app.comment = append(t.app.comment, "")
	}
	t.app.comment = append(t.app.comment, "Imported from "+cmp.Or(o.File, "a file")+" ("+string(o.Format)+").")
	if len(t.report.Secrets) > 0 {
		t.app.comment = append(t.app.comment, "", "Make these Secrets in its namespace before it starts, or say where their values are",
			"with a component of type external-secret or a file that SOPS encrypted:")
	}
	for _, s := range t.report.Secrets {
		t.app.comment = append(t.app.comment, "- "+strings.TrimRight(s.Name+": "+strings.Join(s.Keys, ", "), ": "))
	}
}

// objectName is the name by which other components reach one.
func (t *translation) objectName(c string) string {
	return t.app.name + "-" + c
}

// untangle takes out what components depend on and is not there.
func untangle(t *translation) {
	there := func(v any) bool {
		return slices.ContainsFunc(t.app.components, func(c *component) bool { return c.name == v })
	}
	for _, c := range t.app.components {
		if affinity, ok := c.doc.get("traits.affinity").(doc); ok {
			for _, field := range []string{"near", "apart"} {
				affinity[field] = some(slices.DeleteFunc(affinity.list(field), func(v any) bool { return !there(v.(doc)["component"]) }))
			}
			if len(affinity.fields()) == 0 {
				delete(c.doc.sub("traits"), "affinity")
			}
		}
		c.doc["dependsOn"] = some(slices.DeleteFunc(c.doc.list("dependsOn"), func(v any) bool { return !there(v) || v == c.name }))
	}
}
