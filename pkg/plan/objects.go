package plan

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/wI2L/jsondiff"
	"sigs.k8s.io/yaml"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// ObjectChange is an object that is added, changed or removed.
type ObjectChange struct {
	App       model.AppID   `json:"-"`
	Owner     string        `json:"owner"` // the application, or only the tenant
	Action    Action        `json:"action"`
	Kind      string        `json:"kind"`
	Namespace string        `json:"namespace,omitempty"`
	Name      string        `json:"name"`
	Fields    []FieldChange `json:"fields,omitempty"` // that differ
	Diff      string        `json:"diff,omitempty"`   // unified, of the object as YAML; "" where nobody asked for it or it would be too long

	before, after []byte // as JSON
	secret        bool   // its values may be those of a secret, now or before
}

// Action is what the change does to an object.
type Action string

// Actions.
const (
	Add    Action = "add"
	Change Action = "change"
	Remove Action = "remove"
	Keep   Action = "keep" // it is no longer declared but stays, such as a volume
)

// FieldChange is a field whose value differs. One of the two may be nil.
type FieldChange struct {
	Path   string          `json:"path"` // spec.template.spec.containers[web].image
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after,omitempty"`
}

// identity identifies an object on both sides.
type identity struct{ kind, namespace, name string }

func byIdentity(objects []Object) map[identity]*Object {
	all := make(map[identity]*Object, len(objects))
	for i := range objects {
		o := &objects[i]
		all[identity{o.Kind, o.Namespace, o.Name}] = o
	}
	return all
}

func compareObjects(before, after []Object, declared map[model.AppID]bool) (list []ObjectChange) {
	was, is := byIdentity(before), byIdentity(after)
	all := maps.Clone(was)
	maps.Copy(all, is)
	for _, o := range all {
		id := identity{o.Kind, o.Namespace, o.Name}
		change := ObjectChange{App: o.App, Owner: owner(o.App), Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}
		x, y := was[id], is[id]
		// A component that changes between secret and config keeps the name of its object.
		asSecret := identity{"Secret", o.Namespace, o.Name}
		change.secret = o.Kind == "Secret" || o.Kind == "ConfigMap" && (was[asSecret] != nil || is[asSecret] != nil)
		if x != nil {
			change.before = x.JSON
		}
		if y != nil {
			change.after = y.JSON
		}
		switch {
		case x == nil && y.Made:
			continue
		case x == nil:
			change.Action = Add
		case y == nil && x.Outlives && (!x.Disposed || declared[x.App]):
			change.Action = Keep
		case y == nil:
			change.Action = Remove
		case x.JSON == nil || y.JSON == nil: // its content is not managed
			continue
		default:
			if change.Fields = Fields(x.JSON, y.JSON); len(change.Fields) == 0 {
				continue
			}
			change.Action = Change
			if change.secret {
				hideValues(change.Fields)
			}
		}
		list = append(list, change)
	}
	slices.SortFunc(list, func(a, b ObjectChange) int {
		return cmp.Or(a.App.Compare(b.App), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// hideValues takes the values of a secret out of its changes: the readers of a plan may not read them.
func hideValues(fields []FieldChange) {
	hidden := json.RawMessage(`"(hidden)"`)
	for i := range fields {
		f := &fields[i]
		if !strings.HasPrefix(f.Path, "data") && !strings.HasPrefix(f.Path, "binaryData") && !strings.HasPrefix(f.Path, "stringData") {
			continue
		}
		if f.Before != nil {
			f.Before = hidden
		}
		if f.After != nil {
			f.After = hidden
		}
	}
}

func owner(app model.AppID) string {
	if app.Name == "" {
		return app.Tenant
	}
	return app.String()
}

// Fields compares two JSON documents field by field. Other text is one value.
func Fields(before, after []byte) []FieldChange {
	if bytes.Equal(before, after) {
		return nil
	}
	patch, err := jsondiff.Compare(decoded(before), decoded(after))
	if err != nil {
		return []FieldChange{{Path: "", Before: Encoded(string(before)), After: Encoded(string(after))}}
	}
	fields := make([]FieldChange, 0, len(patch))
	for _, op := range patch {
		f := FieldChange{Path: readable(op.Path)}
		if op.Type != jsondiff.OperationAdd {
			f.Before = Encoded(op.OldValue)
		}
		if op.Type != jsondiff.OperationRemove {
			f.After = Encoded(op.Value)
		}
		fields = append(fields, f)
	}
	return fields
}

// decoded reads a document. A list whose elements have names becomes an object with the keys "[name]", so that the order
// of the elements does not count.
func decoded(document []byte) any {
	var v any
	if json.Unmarshal(document, &v) != nil {
		return string(document)
	}
	return keyed(v)
}

func keyed(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			v[key] = keyed(value)
		}
	case []any:
		named := make(map[string]any, len(v))
		for i, value := range v {
			v[i] = keyed(value)
			if object, ok := v[i].(map[string]any); ok {
				if name, ok := object["name"].(string); ok {
					named["["+name+"]"] = object
				}
			}
		}
		if len(v) > 0 && len(named) == len(v) {
			return named
		}
	}
	return v
}

// Encoded writes a value as JSON on one line. Characters that HTML gives a meaning to stay as they are.
func Encoded(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return json.RawMessage(`"?"`)
	}
	return bytes.TrimSpace(b.Bytes())
}

// readable converts a JSON pointer: /spec/replicas is spec.replicas.
func readable(pointer string) string {
	var path strings.Builder
	for segment := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		segment = strings.NewReplacer("~1", "/", "~0", "~").Replace(segment)
		switch {
		case strings.HasPrefix(segment, "["):
		case pointer == "":
		case strings.ContainsAny(segment, "./") || strings.Trim(segment, "0123456789") == "":
			segment = "[" + segment + "]"
		case path.Len() > 0:
			segment = "." + segment
		}
		path.WriteString(segment)
	}
	return path.String()
}

// Limits of unified diffs, in bytes.
const (
	maxDocument = 256 << 10 // of an object that is compared
	maxDiff     = 32 << 10  // of one
	maxDiffs    = 512 << 10 // of all
)

// Unify gives the objects their unified diffs, until these are too much for an answer. It returns the number of objects
// that have none because of that.
func (c *Changes) Unify() (left int) {
	sum := 0
	for i := range c.Objects {
		o := &c.Objects[i]
		if o.Action == Keep || o.before == nil && o.after == nil {
			continue
		}
		if len(o.before)+len(o.after) > maxDocument || sum > maxDiffs {
			left++
			continue
		}
		o.Diff = o.unified()
		sum += len(o.Diff)
	}
	return left
}

// unified compares the object on both sides as YAML. The values of a secret are hidden.
func (o *ObjectChange) unified() string {
	before, after := decodedObject(o.before), decodedObject(o.after)
	if o.secret {
		hideData(before, after)
	}
	name := strings.ToLower(o.Kind) + "/" + o.Name
	made := diff.Diff("a/"+name, documentOf(before), "b/"+name, documentOf(after))
	if _, body, ok := bytes.Cut(made, []byte("\n")); ok && bytes.HasPrefix(made, []byte("diff ")) {
		made = body // the names stand below, too
	}
	said := text.Lines(string(made), maxDiff)
	return strings.TrimRight(said, "\n") + "\n"
}

func decodedObject(document []byte) (object map[string]any) {
	_ = json.Unmarshal(document, &object)
	return object
}

func documentOf(object map[string]any) []byte {
	if object == nil {
		return nil
	}
	document, _ := yaml.Marshal(object) // it is decoded JSON
	return document
}

// hideData replaces the values of a secret, so that only whether they differ remains.
func hideData(before, after map[string]any) {
	for _, field := range []string{"data", "stringData", "binaryData"} {
		was, _ := before[field].(map[string]any)
		is, _ := after[field].(map[string]any)
		for key, value := range is {
			old, had := was[key]
			is[key] = "(hidden)"
			if had && old != value {
				is[key] = "(hidden, another value)"
			}
		}
		for key := range was {
			was[key] = "(hidden)"
		}
	}
}
