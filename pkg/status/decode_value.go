package status

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
	"unsafe"
)

// decoder reads values of one type, as encoding/json would fill them. It is made
// once for each type, because reading records is most of what a start of the
// reconciler costs. Where p points there is a zero value of the type. False
// leaves the file to the library.
type decoder struct {
	block func(r *reader, p unsafe.Pointer) bool        // what starts at pos
	line  func(r *reader, p unsafe.Pointer, n int) bool // the rest of the line, or the block that it announces, indented by n
}

var (
	decoders      sync.Map // reflect.Type to *decoder
	textType      = reflect.TypeFor[encoding.TextUnmarshaler]()
	unmarshalType = reflect.TypeFor[json.Unmarshaler]()
)

func decoding(t reflect.Type) *decoder {
	if known, ok := decoders.Load(t); ok {
		return known.(*decoder)
	}
	made := makeDecoder(t)
	decoders.Store(t, made)
	return made
}

func makeDecoder(t reflect.Type) *decoder {
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return rawDecoder
	case reflect.PointerTo(t).Implements(textType):
		return textDecoder(unmarshalText(t))
	case reflect.PointerTo(t).Implements(unmarshalType):
		return unknownDecoder
	}
	switch t.Kind() {
	case reflect.String:
		return textDecoder(func(p unsafe.Pointer, text string) bool {
			*(*string)(p) = text
			return true
		})
	case reflect.Int:
		return wordDecoder(func(p unsafe.Pointer, s []byte) bool {
			n, err := strconv.Atoi(string(s))
			*(*int)(p) = n
			return err == nil && wholeNumber(s)
		})
	case reflect.Int64:
		return wordDecoder(func(p unsafe.Pointer, s []byte) bool {
			n, err := strconv.ParseInt(string(s), 10, 64)
			*(*int64)(p) = n
			return err == nil && wholeNumber(s)
		})
	case reflect.Bool:
		return wordDecoder(func(p unsafe.Pointer, s []byte) bool {
			*(*bool)(p) = string(s) == "true"
			return string(s) == "true" || string(s) == "false"
		})
	case reflect.Struct:
		return structDecoder(t)
	case reflect.Slice:
		return sliceDecoder(t)
	case reflect.Map:
		return mapDecoder(t)
	case reflect.Pointer:
		return pointerDecoder(t)
	}
	return unknownDecoder
}

var (
	// unknownDecoder leaves everything to the library.
	unknownDecoder = &decoder{
		block: func(*reader, unsafe.Pointer) bool { return false },
		line:  func(*reader, unsafe.Pointer, int) bool { return false },
	}
	// rawDecoder keeps a value as JSON.
	rawDecoder = &decoder{
		block: func(r *reader, p unsafe.Pointer) bool { return r.raw(p, r.node()) },
		line:  func(r *reader, p unsafe.Pointer, n int) bool { return r.raw(p, r.scalar(n)) },
	}
)

// raw stores the JSON of what was read.
func (r *reader) raw(p unsafe.Pointer, ok bool) bool {
	*(*json.RawMessage)(p) = bytes.Clone(r.out)
	r.out = r.out[:0]
	return ok
}

// oneLine makes the decoder of what a line holds or announces.
func oneLine(line func(r *reader, p unsafe.Pointer, n int) bool) *decoder {
	return &decoder{line: line, block: func(r *reader, p unsafe.Pointer) bool { return line(r, p, r.indent) }}
}

// wordDecoder reads numbers and constants.
func wordDecoder(set func(p unsafe.Pointer, s []byte) bool) *decoder {
	return oneLine(func(r *reader, p unsafe.Pointer, _ int) bool {
		s := r.rest()
		return string(s) == "null" || set(p, s)
	})
}

// wholeNumber says whether s, a number to strconv, is written as one here.
func wholeNumber(s []byte) bool {
	digits := bytes.TrimPrefix(s, []byte("-"))
	return digits[0] >= '1' && digits[0] <= '9' || string(s) == "0"
}

// textDecoder reads text of one line or of several.
func textDecoder(set func(p unsafe.Pointer, text string) bool) *decoder {
	return oneLine(func(r *reader, p unsafe.Pointer, n int) bool {
		s := r.in[r.pos:r.end()]
		switch {
		case len(s) == 0:
			return false
		case s[0] == '|':
			text, ok := r.literal(n)
			return ok && set(p, string(text))
		case s[0] == '"' && quotedEnd(s) != len(s), s[0] != '"' && !plainText(s):
			return string(r.rest()) == "null"
		}
		text, ok := r.text(r.rest())
		return ok && set(p, text)
	})
}

// unmarshalText reads a type that is written as text of its own making.
func unmarshalText(t reflect.Type) func(p unsafe.Pointer, text string) bool {
	if t == reflect.TypeFor[time.Time]() {
		return func(p unsafe.Pointer, text string) bool { return (*time.Time)(p).UnmarshalText([]byte(text)) == nil }
	}
	return func(p unsafe.Pointer, text string) bool {
		return reflect.NewAt(t, p).Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text)) == nil
	}
}

// empty reads what stands for an empty collection, or for none.
func (r *reader) empty(word string) (found, null bool) {
	s := r.rest()
	return string(s) == word, string(s) == "null"
}

// structDecoder reads the fields of a struct in the order in which they are
// written. So none can come twice; another order is left to the library.
func structDecoder(t reflect.Type) *decoder {
	type field struct {
		name string
		at   uintptr
		of   *decoder
	}
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported():
		case f.Anonymous || name == "" || strings.Contains(options, "string"):
			return unknownDecoder
		default:
			fields = append(fields, field{name, f.Offset, decoding(f.Type)})
		}
	}
	line := func(r *reader, _ unsafe.Pointer, _ int) bool {
		found, null := r.empty("{}")
		return found || null
	}
	return &decoder{line: line, block: func(r *reader, p unsafe.Pointer) bool {
		if r.in[r.pos] == '{' {
			return line(r, p, 0)
		}
		n, next := r.indent, 0
		for r.indent == n {
			for next < len(fields) && !hasKey(r.in[r.pos:], fields[next].name) {
				next++
			}
			if next == len(fields) {
				return false
			}
			f := &fields[next]
			next++
			r.pos += len(f.name) + 1
			if !r.pair(f.of, unsafe.Add(p, f.at), n) {
				return false
			}
		}
		return r.indent < n
	}}
}

// hasKey says whether a line starts with a key and its colon.
func hasKey(line []byte, key string) bool {
	n := len(key)
	return len(line) > n+1 && line[n] == ':' && (line[n+1] == ' ' || line[n+1] == '\n') && string(line[:n]) == key
}

func sliceDecoder(t reflect.Type) *decoder {
	elem, size := decoding(t.Elem()), t.Elem().Size()
	line := func(r *reader, p unsafe.Pointer, _ int) bool {
		found, null := r.empty("[]")
		if found {
			reflect.NewAt(t, p).Elem().Set(reflect.MakeSlice(t, 0, 0))
		}
		return found || null
	}
	return &decoder{line: line, block: func(r *reader, p unsafe.Pointer) bool {
		if !r.dash() {
			return line(r, p, 0)
		}
		n, i, v := r.indent, 0, reflect.NewAt(t, p).Elem()
		for ; r.indent == n && r.dash(); i++ {
			if i == v.Len() {
				v.Grow(max(1, i))
				v.SetLen(v.Cap())
			}
			r.pos += 2
			r.indent += 2
			if r.in[r.pos] == ' ' || !elem.block(r, unsafe.Add(v.UnsafePointer(), uintptr(i)*size)) {
				return false
			}
		}
		v.SetLen(i)
		return r.indent <= n // a key of the mapping that holds the sequence may follow
	}}
}

func mapDecoder(t reflect.Type) *decoder {
	if t.Key().Kind() != reflect.String || t.Key().Implements(textType) {
		return unknownDecoder
	}
	elem := decoding(t.Elem())
	line := func(r *reader, p unsafe.Pointer, _ int) bool {
		found, null := r.empty("{}")
		if found {
			reflect.NewAt(t, p).Elem().Set(reflect.MakeMap(t))
		}
		return found || null
	}
	return &decoder{line: line, block: func(r *reader, p unsafe.Pointer) bool {
		if r.in[r.pos] == '{' {
			return line(r, p, 0)
		}
		m := reflect.MakeMap(t)
		reflect.NewAt(t, p).Elem().Set(m)
		return r.pairs(func(key []byte, n int) bool {
			name, ok := r.text(key)
			value := reflect.New(t.Elem())
			if !ok || !r.pair(elem, value.UnsafePointer(), n) {
				return false
			}
			m.SetMapIndex(reflect.ValueOf(name).Convert(t.Key()), value.Elem())
			return true
		})
	}}
}

func pointerDecoder(t reflect.Type) *decoder {
	elem, null := decoding(t.Elem()), []byte("null\n")
	target := func(p unsafe.Pointer) unsafe.Pointer {
		made := reflect.New(t.Elem())
		reflect.NewAt(t, p).Elem().Set(made)
		return made.UnsafePointer()
	}
	line := func(r *reader, p unsafe.Pointer, n int) bool {
		if bytes.HasPrefix(r.in[r.pos:], null) {
			r.rest()
			return true
		}
		return elem.line(r, target(p), n)
	}
	return &decoder{line: line, block: func(r *reader, p unsafe.Pointer) bool {
		if bytes.HasPrefix(r.in[r.pos:], null) {
			return line(r, p, 0)
		}
		return elem.block(r, target(p))
	}}
}
