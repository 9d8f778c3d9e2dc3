package status

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/d-aros/d-aros/pkg/model"
)

// fields are members of a record that this program does not know, by name: a newer
// minor format has them.
type fields map[string]json.RawMessage

// encode writes a record as indented JSON, with the fields that this program does
// not know after its own.
func encode(v any, more fields) ([]byte, error) {
	var compact bytes.Buffer
	to := json.NewEncoder(&compact)
	to.SetEscapeHTML(false) // records are for people, too
	if err := to.Encode(v); err != nil {
		return nil, err
	}
	b := bytes.TrimSuffix(compact.Bytes(), []byte("\n"))
	for _, name := range slices.Sorted(maps.Keys(more)) {
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		b = bytes.TrimSuffix(b, []byte("}"))
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(append(append(b, key...), ':'), more[name]...), '}')
	}
	out := bytes.NewBuffer(make([]byte, 0, 2*len(b)))
	if err := json.Indent(out, b, "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	if out.Len() > maxFile {
		return nil, fmt.Errorf("has %d bytes, at most %d are allowed", out.Len(), maxFile)
	}
	return out.Bytes(), nil
}

// decode reads a record strictly: an unknown field and a repeated one are errors.
// Where a newer format may have added fields at the top level, decode returns them.
func decode(b []byte, into any, newer bool) (more fields, err error) {
	err = decodeStrictly(b, into)
	if err != nil && newer && strings.HasPrefix(err.Error(), unknownField) {
		if more, b, err = cut(b, reflect.TypeOf(into).Elem()); err == nil {
			reflect.ValueOf(into).Elem().SetZero()
			err = decodeStrictly(b, into)
		}
	}
	if err == nil {
		switch a := into.(type) {
		case *model.Application:
			err = compactOpaque(a)
		case *specRecord:
			err = compactOpaque(&a.Application)
		}
	}
	if err == nil {
		compactRecord(reflect.ValueOf(into))
	}
	return more, err
}

// unknownField starts the error of encoding/json for a field that the type does not
// have.
const unknownField = "json: unknown field "

// decoder decodes one record after another. A new one for each record would copy the record four times, as its room grows.
type decoder struct {
	*json.Decoder
	from *bytes.Reader
}

var decoders = sync.Pool{New: func() any {
	from := bytes.NewReader(nil)
	d := json.NewDecoder(from)
	d.DisallowUnknownFields()
	return &decoder{d, from}
}}

func decodeStrictly(b []byte, into any) error {
	d := decoders.Get().(*decoder)
	d.from.Reset(b)
	if err := d.Decode(into); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return errors.New("the file ends too early")
		}
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the record")
	}
	decoders.Put(d) // it has read all that it was given
	if key, found := repeatedKey(b); found {
		return fmt.Errorf("the key %q stands there twice", key)
	}
	return nil
}

// cut splits a record into the fields that its type does not have and the rest.
func cut(b []byte, t reflect.Type) (more fields, rest []byte, err error) {
	known := fields{}
	if err := json.Unmarshal(b, &known); err != nil {
		return nil, nil, err
	}
	if key, found := repeatedKey(b); found {
		return nil, nil, fmt.Errorf("the key %q stands there twice", key)
	}
	more = fields{}
	for name, value := range known {
		if !has(t, name) {
			more[name] = value
			delete(known, name)
		}
	}
	rest, err = json.Marshal(known)
	return more, rest, err
}

// has reports whether a type has a field for a member of a JSON object.
func has(t reflect.Type, member string) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return true
	}
	for _, field := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); strings.EqualFold(name, member) {
			return true
		}
	}
	return false
}

// compactOpaque removes the indentation from the parts of a spec that are kept as
// JSON: equal content is to have equal bytes.
func compactOpaque(a *model.Application) error {
	var parts []*json.RawMessage
	for i := range a.Components {
		parts = append(parts, &a.Components[i].Properties, &a.Components[i].Traits)
	}
	if a.Workflow != nil {
		for i := range a.Workflow.Steps {
			parts = append(parts, &a.Workflow.Steps[i].Properties)
		}
	}
	for _, part := range parts {
		if len(*part) == 0 {
			continue
		}
		var compact bytes.Buffer
		compact.Grow(len(*part))
		if err := json.Compact(&compact, *part); err != nil {
			return err
		}
		*part = slices.Clone(compact.Bytes())
	}
	return nil
}

// repeatedKey returns a key that an object of valid JSON has twice: encoding/json
// takes the last one, other readers the first.
func repeatedKey(b []byte) (key string, found bool) {
	keys := make([][]byte, 0, 64) // of the objects that are open
	begins := make([]int, 0, 16)  // where the keys of each begin
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '{':
			begins = append(begins, len(keys))
		case '}':
			begin := begins[len(begins)-1]
			own := keys[begin:]
			slices.SortFunc(own, bytes.Compare)
			for k := 1; k < len(own); k++ {
				if bytes.Equal(own[k-1], own[k]) {
					return string(own[k]), true
				}
			}
			keys, begins = keys[:begin], begins[:len(begins)-1]
		case '"':
			begin := i + 1
			i = closing(b, begin)
			text := b[begin:i]
			after := i + 1
			for after < len(b) && (b[after] == ' ' || b[after] == '\n' || b[after] == '\t' || b[after] == '\r') {
				after++
			}
			if after == len(b) || b[after] != ':' {
				continue // a value
			}
			if bytes.IndexByte(text, '\\') >= 0 {
				var plain string
				if json.Unmarshal(b[begin-1:i+1], &plain) == nil {
					text = []byte(plain)
				}
			}
			keys = append(keys, text)
		}
	}
	return "", false
}

// closing returns where the text of JSON ends that begins at a place: at the first quote that is not escaped.
func closing(b []byte, begin int) (end int) {
	for end = begin; ; end++ {
		end += bytes.IndexByte(b[end:], '"')
		escapes := 0
		for b[end-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return end
		}
	}
}
