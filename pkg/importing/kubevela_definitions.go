package importing

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// defined are the definitions that came with an Application of KubeVela, and what evaluates their templates. What a template comes to
// are objects of Kubernetes, which become components and traits as those of a file do.
type defined struct {
	templates map[string]string // CUE, by kind and name of the definition
	charts    map[string]*node  // of Helm, by the name of the definition of a component
	beside    []*node           // objects beside the Application
	expand    func(template string, values []byte) ([]byte, error)
	workloads map[*component]*node // what templates of components came to
	failed    int                  // templates that came to nothing
}

// maxFailed bounds the time that hostile templates take, each of which is ended at a limit.
const maxFailed = 10

// The kinds of definitions.
const (
	definesComponent = "ComponentDefinition"
	definesTrait     = "TraitDefinition"
	definesStep      = "WorkflowStepDefinition"

	definesResource = "Terraform"        // a ComponentDefinition with a configuration of Terraform
	definesRemote   = "Terraform remote" // or with the address of a repository that has one, and a directory of it
)

// define takes the templates of definitions. The first of a name counts.
func (d *defined) define(docs []*node) {
	for _, n := range docs {
		kind := n.at("kind").string()
		if name, chart := n.at("metadata.name").string(), n.at("spec.schematic.helm"); kind == definesComponent && chart != nil && d.charts[name] == nil {
			d.charts[name] = chart
		}
		source := cmp.Or(n.at("spec.schematic.cue.template").string(), n.at("spec.extension.template").string()) // the latter of older ones
		if terraform := n.at("spec.schematic.terraform"); kind == definesComponent && !terraform.at("configuration").null() {
			kind, source = definesResource, terraform.at("configuration").string()
			if terraform.at("type").string() == "remote" {
				kind, source = definesRemote, source+" "+terraform.at("path").string()
			}
		}
		key := kind + " " + n.at("metadata.name").string()
		if _, twice := d.templates[key]; source != "" && !twice && strings.HasPrefix(n.at("apiVersion").string(), "core.oam.dev/") {
			d.templates[key] = source
		}
	}
}

// has reports whether there is a definition that can be evaluated.
func (d *defined) has(kind, name string) bool {
	return d.expand != nil && d.templates[kind+" "+name] != ""
}

// expansion is what a template came to.
type expansion struct {
	main, patch *node
	others      []*node // objects
	deploys     bool    // a step: it deploys the component that it names
	unused      []string
}

// expanded evaluates the definition of a component, a trait or a step for a component of a name.
func (d *defined) expanded(t *translation, kind string, n *node, name string, workload any) (*expansion, error) {
	source := d.templates[kind+" "+n.at("type").string()]
	values, err := json.Marshal(map[string]any{
		"parameter": cmp.Or(to.said(n.at("properties")), any(map[string]any{})),
		"context":   map[string]any{"name": name, "appName": t.app.name, "namespace": "default", "output": workload},
	})
	if err != nil {
		return nil, err
	}
	if d.failed >= maxFailed {
		return nil, because("is of a definition that was not evaluated, because many cannot be", "an import without these definitions")
	}
	template, secrets := inserted(source, n.at("properties"))
	answer, err := d.expand(template, values)
	if err != nil {
		d.failed++
		return nil, because("is of a definition that cannot be said: "+err.Error(), "a type that the platform defines (definitions)")
	}
	docs, err := parse(answer)
	if err != nil || len(docs) != 1 {
		return nil, because("is of a definition that comes to too much", "a type that the platform defines (definitions)")
	}
	for _, part := range []string{"output", "outputs", "patch"} {
		if err := uninserted(docs[0].at(part)); err != nil {
			return nil, err
		}
	}
	if strings.Contains(source, "context.namespace") {
		t.note("%s: its definition asks for the namespace, which follows from the tenant", name)
	}
	x := &expansion{main: docs[0].at("output"), patch: docs[0].at("patch"), deploys: docs[0].at("deploys").bool()}
	for _, k := range docs[0].at("outputs").fields() {
		x.others = append(x.others, k.node)
	}
	for _, o := range append(slices.Clone(x.others), x.main) {
		manifest.named(o, name)
	}
	for _, u := range docs[0].at("unused").items() {
		if !slices.Contains(secrets, u.string()) {
			x.unused = append(x.unused, u.string())
		}
	}
	return x, nil
}

// named names an object that has no name, as KubeVela does.
func (manifests) named(n *node, name string) {
	if n == nil || n.kind != mapping || !n.at("metadata.name").null() {
		return
	}
	meta := n.at("metadata")
	if meta == nil {
		meta = &node{up: n, name: "metadata", kind: mapping}
		n.keys = append(n.keys, key{"metadata", meta})
	}
	meta.keys = append(meta.keys, key{"name", &node{up: meta, name: "name", text: name, tag: "!!str", fate: kept}})
}

// said is what a node says, as encoding/json has it.
func (conversion) said(n *node) any {
	switch {
	case n.null():
		return nil
	case n.kind == mapping:
		all := make(map[string]any, len(n.keys))
		for _, k := range n.keys {
			all[k.name] = to.said(k.node)
		}
		return all
	case n.kind == sequence:
		all := make([]any, len(n.list))
		for i, e := range n.list {
			all[i] = to.said(e)
		}
		return all
	case n.tag == "!!bool":
		return strings.EqualFold(n.text, "true")
	case (n.tag == "!!int" || n.tag == "!!float") && json.Valid([]byte(n.text)):
		return json.Number(n.text)
	}
	return n.text
}

// component makes a component of what the template of its definition comes to. It returns nil if no component comes of it.
func (d *defined) component(t *translation, n *node) (c *component) {
	name := n.at("name").string()
	x, err := d.expanded(t, definesComponent, n, name, nil)
	if err == nil && x.main == nil {
		err = errors.New("comes to no object")
	}
	if err != nil {
		t.lose(n, err)
		return nil
	}
	objects := append([]*node{x.main}, x.others...)
	manifest.aside(t, name, objects, func() { c = manifest.objects(t, objects)[x.main] })
	if c == nil || !t.there(c) {
		t.lose(n, because(fmt.Sprintf("comes to a %s, which no type of component becomes", x.main.at("kind").string()), "a type that the platform defines (definitions: components)"))
		return nil
	}
	d.workloads[c] = x.main
	t.note("%s: is what definition %s came to; later changes of the definition do not reach it", c.name, n.at("type").string())
	mark(kept, n.at("name"), n.at("type"))
	x.keep(t, n.at("properties"), objects)
	return c
}

// trait adds what the template of a trait comes to.
func (d *defined) trait(s *scope, n *node) {
	workload := d.workloads[s.c]
	if workload == nil { // one like those of KubeVela's own types
		workload = pods{}.like(s.c.name)
	}
	x, err := d.expanded(s.translation, definesTrait, n, s.c.name, to.said(workload))
	if err != nil {
		s.lose(n, err)
		return
	}
	objects := x.others
	if x.patch != nil {
		objects = append(slices.Clone(objects), x.patch)
	}
	manifest.aside(s.translation, s.c.name, objects, func() {
		patch.pods(s, x.patch)
		o := manifest.sorted(s.translation, x.others)
		o.workloads, o.made[workload] = []*node{workload}, s.c // which is not read
		o.join(s.translation)
	})
	x.keep(s.translation, n.at("properties"), objects)
}

// like is a workload whose pods have the labels that KubeVela gives them.
func (pods) like(name string) *node {
	docs, err := parse(fmt.Appendf(nil, `{"kind": "Deployment", "metadata": {"name": %[1]q}, "spec": {"template": {"metadata": {"labels": {"app.oam.dev/component": %[1]q}}, `+
		`"spec": {"containers": [{"name": %[1]q}]}}}}`, name))
	if err != nil { // a name is a name of DNS
		return nil
	}
	return docs[0]
}

// aside does what is about objects that are not of the file: what is lost of them are notes about a component.
func (manifests) aside(t *translation, about string, objects []*node, do func()) {
	before := len(t.report.Lost)
	do()
	for _, o := range objects {
		t.sweep(o, "")
	}
	for _, l := range t.report.Lost[before:] {
		t.note("%s: its definition says %s, which is not kept: %s", about, l.Path, l.Reason)
	}
	t.report.Lost = t.report.Lost[:before]
}

// keep says what became of properties by what became of the objects: a value is lost if the template asks for no
// property of that name, or if it stands in a field that was lost. Where fields were lost, it has to be seen in one that was kept.
func (x *expansion) keep(t *translation, properties *node, objects []*node) {
	var gone, secret, have []string
	for _, o := range objects {
		o.leaves(func(l *node) {
			switch l.fate {
			case lost:
				gone = append(gone, l.text)
			case withheld:
				secret = append(secret, l.text)
			case kept:
				have = append(have, l.text)
			}
		})
	}
	for _, k := range properties.fields() {
		if slices.Contains(x.unused, k.name) {
			t.lose(k.node, because("nothing in its definition asks for it", ""))
			continue
		}
		k.node.leaves(func(l *node) {
			in := func(text string) bool { return text == l.text || len(l.text) > 3 && strings.Contains(text, l.text) }
			switch {
			case l.null():
				mark(kept, l)
			case slices.ContainsFunc(secret, in):
				mark(withheld, l)
			case slices.ContainsFunc(gone, in), len(gone) > 0 && !slices.ContainsFunc(have, in):
				t.lose(l, because("stands in a field that its definition makes and that is not kept (see the notes)", ""))
			default:
				mark(kept, l)
			}
		})
	}
}
