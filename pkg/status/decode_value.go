package status

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// These functions do what encoding/json does when it fills Go values, for the
// kinds of values that the model has. They refuse all others.

// opaque says whether v keeps JSON as it is.
func opaque(v reflect.Value) bool { return v.IsValid() && v.Type() == rawType }

var (
	rawType        = reflect.TypeFor[json.RawMessage]()
	textType       = reflect.TypeFor[encoding.TextUnmarshaler]()
	unmarshalType  = reflect.TypeFor[json.Unmarshaler]()
	fieldsOfTypes  sync.Map // reflect.Type to fields
	textTypes      sync.Map // reflect.Type to whether it reads text
	unknownMapping = mappingInto{}
)

// settle follows a pointer, to a new value if it points nowhere.
func settle(v reflect.Value) reflect.Value {
	for v.IsValid() && v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	return v
}

// setWord stores a constant, a number or an empty collection.
func setWord(v reflect.Value, s []byte) bool {
	if string(s) == "null" {
		return true // everything starts as zero
	}
	v = settle(v)
	if readsText(v) {
		return false
	}
	switch kind := v.Kind(); {
	case string(s) == "{}":
		if kind == reflect.Map {
			v.Set(reflect.MakeMap(v.Type()))
		}
		return kind == reflect.Map || kind == reflect.Struct
	case string(s) == "[]":
		if kind == reflect.Slice {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		return kind == reflect.Slice
	case s[0] == 't' || s[0] == 'f':
		if kind == reflect.Bool {
			v.SetBool(s[0] == 't')
		}
		return kind == reflect.Bool
	case v.CanInt():
		n, err := strconv.ParseInt(string(s), 10, 64)
		if err != nil || v.OverflowInt(n) {
			return false
		}
		v.SetInt(n)
		return true
	}
	return false
}

// setText stores a text.
func setText(v reflect.Value, text string) bool {
	v = settle(v)
	if readsText(v) {
		return v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text)) == nil
	}
	if v.Kind() == reflect.String {
		v.SetString(text)
		return true
	}
	return false
}

// readsText says whether a value is written as text of its own making.
func readsText(v reflect.Value) bool {
	t := v.Type()
	if t.PkgPath() == "" {
		return false // string, int …: cheap, and the common case
	}
	reads, known := textTypes.Load(t)
	if !known {
		reads = reflect.PointerTo(t).Implements(textType)
		textTypes.Store(t, reads)
	}
	return reads.(bool)
}

// mappingInto is a struct or a map that is being filled.
type mappingInto struct {
	of     reflect.Value
	fields map[string]int // of a struct, by name

	key   string // of a map …
	entry reflect.Value
}

// intoMapping prepares to fill v. An invalid v takes anything.
func intoMapping(v reflect.Value) (mappingInto, bool) {
	if !v.IsValid() {
		return unknownMapping, true
	}
	t := v.Type()
	switch {
	case t.Kind() == reflect.Map && t.Key().Kind() == reflect.String && !t.Key().Implements(textType):
		v.Set(reflect.MakeMap(t))
		return mappingInto{of: v}, true
	case t.Kind() == reflect.Struct && !readsText(v) && !reflect.PointerTo(t).Implements(unmarshalType):
		fields := fieldsOf(t)
		return mappingInto{of: v, fields: fields}, fields != nil
	}
	return unknownMapping, false
}

// value returns where the value of a key goes, invalid if there is no such
// field.
func (m *mappingInto) value(key []byte) reflect.Value {
	if m.fields == nil {
		m.key, m.entry = string(key), reflect.New(m.of.Type().Elem()).Elem()
		return m.entry
	}
	i, ok := m.fields[string(key)]
	if !ok {
		return reflect.Value{}
	}
	return m.of.Field(i)
}

// done stores the value of the last key.
func (m *mappingInto) done() {
	if m.entry.IsValid() {
		m.of.SetMapIndex(reflect.ValueOf(m.key).Convert(m.of.Type().Key()), m.entry)
	}
}

// fieldsOf returns the fields of a struct by the name that they are written
// under, nil if one of them is of a kind that is not known here.
func fieldsOf(t reflect.Type) map[string]int {
	if known, ok := fieldsOfTypes.Load(t); ok {
		return known.(map[string]int)
	}
	fields := map[string]int{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported():
		case f.Anonymous || name == "" || strings.Contains(options, "string"):
			fieldsOfTypes.Store(t, map[string]int(nil))
			return nil
		default:
			fields[name] = i
		}
	}
	fieldsOfTypes.Store(t, fields)
	return fields
}
