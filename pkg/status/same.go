package status

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"
)

// same says whether a and b would be written alike, without encoding them: for
// almost every record in every pass they would. What is not written does not
// count, nor does the zone of a time, nor whether nothing is nil or empty.
func same[T any](a, b *T) bool {
	return identical(unsafe.Pointer(a), unsafe.Pointer(b), unsafe.Sizeof(*a)) || comparison(reflect.TypeFor[T]())(unsafe.Pointer(a), unsafe.Pointer(b))
}

// identical says whether two values are the same to the bit, and so share all
// that they point to. Values that are the same may differ in bits; what a pass
// left alone does not.
func identical(a, b unsafe.Pointer, size uintptr) bool {
	return bytes.Equal(unsafe.Slice((*byte)(a), size), unsafe.Slice((*byte)(b), size))
}

// allSame compares two lists element by element, unless they are one: nothing was
// added, changed or left out.
func allSame[T any](a, b []T, same func(a, b *T) bool) bool {
	if len(a) != len(b) {
		return false
	}
	if len(a) == 0 || &a[0] == &b[0] {
		return true
	}
	for i := range a {
		if !same(&a[i], &b[i]) {
			return false
		}
	}
	return true
}

// comparer compares two values of one type. It is made once for each type,
// because reflection on every value of a large ledger takes longer than
// everything else in a pass without changes.
type comparer func(a, b unsafe.Pointer) bool

var comparers sync.Map // reflect.Type to comparer

func comparison(t reflect.Type) comparer {
	if known, ok := comparers.Load(t); ok {
		return known.(comparer)
	}
	made := makeComparer(t)
	comparers.Store(t, made)
	return made
}

func makeComparer(t reflect.Type) comparer {
	if t == reflect.TypeFor[time.Time]() {
		return func(a, b unsafe.Pointer) bool { return (*time.Time)(a).Equal(*(*time.Time)(b)) }
	}
	switch t.Kind() {
	case reflect.String:
		return func(a, b unsafe.Pointer) bool { return *(*string)(a) == *(*string)(b) }
	case reflect.Int:
		return func(a, b unsafe.Pointer) bool { return *(*int)(a) == *(*int)(b) }
	case reflect.Int64:
		return func(a, b unsafe.Pointer) bool { return *(*int64)(a) == *(*int64)(b) }
	case reflect.Bool:
		return func(a, b unsafe.Pointer) bool { return *(*bool)(a) == *(*bool)(b) }
	case reflect.Struct:
		return compareStruct(t)
	case reflect.Slice:
		return compareSlice(t)
	case reflect.Pointer:
		elem := comparison(t.Elem())
		return func(a, b unsafe.Pointer) bool {
			x, y := *(*unsafe.Pointer)(a), *(*unsafe.Pointer)(b)
			return x == y || x != nil && y != nil && elem(x, y)
		}
	case reflect.Map:
		return compareMap(t)
	}
	return func(a, b unsafe.Pointer) bool {
		return reflect.DeepEqual(reflect.NewAt(t, a).Elem().Interface(), reflect.NewAt(t, b).Elem().Interface())
	}
}

// compareStruct compares all fields that are written but those that are named.
func compareStruct(t reflect.Type, but ...string) comparer {
	type field struct {
		at   uintptr
		same comparer
	}
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "-" && f.IsExported() && !slices.Contains(but, f.Name) {
			fields = append(fields, field{f.Offset, comparison(f.Type)})
		}
	}
	return func(a, b unsafe.Pointer) bool {
		for _, f := range fields {
			if !f.same(unsafe.Add(a, f.at), unsafe.Add(b, f.at)) {
				return false
			}
		}
		return true
	}
}

func compareSlice(t reflect.Type) comparer {
	if t.Elem().Kind() == reflect.Uint8 {
		return func(a, b unsafe.Pointer) bool { return bytes.Equal(*(*[]byte)(a), *(*[]byte)(b)) }
	}
	elem, size := comparison(t.Elem()), t.Elem().Size()
	return func(a, b unsafe.Pointer) bool {
		// The elements are visited by address; no byte is read as another type.
		x, y := *(*[]byte)(a), *(*[]byte)(b)
		if len(x) != len(y) {
			return false
		}
		p, q := unsafe.Pointer(unsafe.SliceData(x)), unsafe.Pointer(unsafe.SliceData(y))
		if p == q {
			return true
		}
		for i := range uintptr(len(x)) {
			if !elem(unsafe.Add(p, i*size), unsafe.Add(q, i*size)) {
				return false
			}
		}
		return true
	}
}

func compareMap(t reflect.Type) comparer {
	return func(a, b unsafe.Pointer) bool {
		x, y := reflect.NewAt(t, a).Elem(), reflect.NewAt(t, b).Elem()
		if x.Len() != y.Len() || x.Len() == 0 {
			return x.Len() == y.Len()
		}
		return reflect.DeepEqual(x.Interface(), y.Interface())
	}
}
