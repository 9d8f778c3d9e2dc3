package texttest

import (
	"reflect"
	"slices"
)

// Plant replaces the strings in *v by texts of the corpus, one after the other: in fields, elements and values of maps,
// however deep. Strings of the types in keep stay, and so does what is nil. It returns how many texts it planted.
func Plant(v any, keep ...reflect.Type) int {
	corpus, n := Corpus(), 0
	var plant func(v reflect.Value)
	plant = func(v reflect.Value) {
		if slices.Contains(keep, v.Type()) {
			return
		}
		switch v.Kind() {
		case reflect.String:
			v.SetString(corpus[n%len(corpus)])
			n++
		case reflect.Pointer:
			if !v.IsNil() {
				plant(v.Elem())
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type().Field(i).IsExported() {
					plant(v.Field(i))
				}
			}
		case reflect.Slice, reflect.Array:
			if v.Type().Elem().Kind() == reflect.Uint8 {
				return // bytes in a form of their own
			}
			for i := range v.Len() {
				plant(v.Index(i))
			}
		case reflect.Map:
			for _, key := range v.MapKeys() {
				value := reflect.New(v.Type().Elem()).Elem()
				value.Set(v.MapIndex(key))
				plant(value)
				v.SetMapIndex(key, value)
			}
		}
	}
	plant(reflect.ValueOf(v).Elem())
	return n
}
