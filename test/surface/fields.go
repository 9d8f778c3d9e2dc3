package surface

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"
)

var (
	textual = reflect.TypeFor[encoding.TextMarshaler]()
	custom  = reflect.TypeFor[json.Marshaler]()
	moment  = reflect.TypeFor[time.Time]()
	raw     = reflect.TypeFor[json.RawMessage]()
)

// Fields returns an entry for each field that the JSON of v can have, as jq addresses it:
// "reconciler history -o json .[].reason  string". Fields that may be absent are optional.
func Fields(command string, v any) []string {
	w := walk{command: command + " -o json "}
	w.value(".", reflect.TypeOf(v), "")
	return w.entries
}

type walk struct {
	command string
	entries []string
	within  []reflect.Type
}

func (w *walk) add(path, kind, optional string) {
	w.entries = append(w.entries, w.command+path+Gap+kind+optional)
}

func (w *walk) value(path string, t reflect.Type, optional string) {
	switch {
	case t == moment:
		w.add(path, "time", optional)
		return
	case t == raw:
		w.add(path, "any", optional)
		return
	case t.Implements(custom) || reflect.PointerTo(t).Implements(custom):
		panic("describe by hand what " + t.String() + " is in JSON")
	case t.Implements(textual):
		w.add(path, "string", optional)
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		w.value(path, t.Elem(), optional)
	case reflect.Slice, reflect.Array:
		w.value(path+"[]", t.Elem(), optional)
	case reflect.Map:
		w.value(path+"{}", t.Elem(), optional)
	case reflect.Struct:
		if slices.Contains(w.within, t) {
			w.add(path, "as above: "+t.Name(), optional)
			return
		}
		w.within = append(w.within, t)
		w.fields(path, t)
		w.within = w.within[:len(w.within)-1]
	case reflect.Interface:
		w.add(path, "any", optional)
	case reflect.String:
		w.add(path, "string", optional)
	case reflect.Bool:
		w.add(path, "boolean", optional)
	case reflect.Float32, reflect.Float64:
		w.add(path, "number", optional)
	default:
		w.add(path, "integer", optional)
	}
}

func (w *walk) fields(path string, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
			continue
		case f.Anonymous && name == "":
			embedded := f.Type
			if embedded.Kind() == reflect.Pointer {
				embedded = embedded.Elem()
			}
			w.fields(path, embedded)
			continue
		case name == "":
			name = f.Name
		}
		optional := ""
		if strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero") {
			optional = ", optional"
		}
		w.value(strings.TrimSuffix(path, ".")+"."+name, f.Type, optional)
	}
}
