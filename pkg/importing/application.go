package importing

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/d-aros/d-aros/pkg/evaluate/cuefile"
)

// application is what a file comes to.
type application struct {
	name       string
	labels     doc
	comment    []string
	components []*component
	workflow   doc
	grace      int64 // seconds that a stop may take, the most of any component; 0 is the default
}

// component is one of its components, in the words of the schema.
type component struct {
	ofStep  bool // only a step of the workflow runs it
	name    string
	comment []string
	doc     doc
}

// replicas returns how many it says that there are, 0 without a word.
func (c *component) replicas() int64 {
	n, _ := c.doc["replicas"].(int64)
	return n
}

// A doc has values by the names of the schema: strings, int64, bools, []any and docs.
type doc map[string]any

// set puts a value at a path of names, and makes the docs above it.
func (d doc) set(path string, v any) {
	names := strings.Split(path, ".")
	last := len(names) - 1
	for _, name := range names[:last] {
		d = d.sub(name)
	}
	d[names[last]] = v
}

// merge sets a value, or adds the fields of a doc to those that are there. A field that is nil goes.
func (d doc) merge(path string, v any) {
	fields, ok := v.(doc)
	if !ok {
		d.set(path, v)
		return
	}
	into, ok := d.get(path).(doc)
	if !ok {
		into = doc{}
		d.set(path, into)
	}
	for name, value := range fields {
		if into[name] = value; value == nil {
			delete(into, name)
		}
	}
}

// sub returns the doc of a name, and makes it if there is none.
func (d doc) sub(name string) doc {
	below, ok := d[name].(doc)
	if !ok {
		below = doc{}
		d[name] = below
	}
	return below
}

// get returns the value at a path, nil if there is none.
func (d doc) get(path string) any {
	names := strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		d, _ = d[name].(doc)
	}
	return d[names[len(names)-1]]
}

// list returns the list at a path, nil if there is none.
func (d doc) list(path string) []any {
	list, _ := d.get(path).([]any)
	return list
}

// add puts elements at the end of a list.
func (d doc) add(path string, v ...any) { d.set(path, append(d.list(path), v...)) }

// untangle is how fields of the schema follow each other. Others come behind, by name.
var order = []string{
	"name", "type", "labels", "priority", "lifecycle", "replicas", "dependsOn", "components", "workflow", "order", "steps",
	"host", "path", "min", "max", "user", "group", "properties", "image", "command", "args", "schedule", "ports", "port", "env", "config", "secret", "existing", "key",
	"resources", "requests", "limits", "cpu", "memory", "traits", "mountPath", "size",
}

// fields returns a doc as fields in the order of the schema.
func (d doc) fields() []cuefile.Field {
	fields := make([]cuefile.Field, 0, len(d))
	for name, v := range d {
		if v == nil {
			continue // takes one away that is not there
		}
		fields = append(fields, cuefile.Field{Name: name, Value: written(v)})
	}
	slices.SortFunc(fields, func(a, b cuefile.Field) int {
		return cmp.Or(place(a.Name)-place(b.Name), strings.Compare(a.Name, b.Name))
	})
	return fields
}

func place(name string) int {
	if i := slices.Index(order, name); i >= 0 {
		return i
	}
	return len(order)
}

func written(v any) any {
	switch v := v.(type) {
	case doc:
		return v.fields()
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = written(e)
		}
		return list
	}
	return v
}

// cue writes the application as a file of CUE.
func (a *application) cue() ([]byte, error) {
	whole := doc{"name": a.name, "labels": some(a.labels), "workflow": some(a.workflow)}
	if a.grace > 0 {
		whole.set("lifecycle.grace", strconv.FormatInt(a.grace, 10)+"s")
	}
	fields := whole.fields()
	var components []cuefile.Field
	for _, c := range a.components {
		components = append(components, cuefile.Field{Name: c.name, Comment: c.comment, Value: c.doc.fields()})
	}
	at := slices.IndexFunc(fields, func(f cuefile.Field) bool { return f.Name == "workflow" })
	if at < 0 {
		at = len(fields)
	}
	fields = slices.Insert(fields, at, cuefile.Field{Name: "components", Value: components})
	return cuefile.Write("fleet", a.comment, []cuefile.Field{{Name: "application", Value: fields}})
}
