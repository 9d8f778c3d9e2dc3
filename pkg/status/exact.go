package status

import (
	"bytes"
	"encoding/json"
	"reflect"
	"time"
	"unicode/utf8"

	"github.com/d-aros/d-aros/pkg/model"
)

// exact reports whether a value that can be encoded is surely deeply equal to what is
// read back from its record, so that it need not be read back. Where it reports false,
// as for a time in another zone or an empty list, nothing but time is lost.
func exact(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String:
		return utf8.ValidString(v.String())
	case reflect.Pointer:
		return v.IsNil() || exact(v.Elem())
	case reflect.Slice:
		switch {
		case v.IsNil():
			return true
		case v.Len() == 0:
			return false // it may be left out, and is nil then
		case v.Type().Elem().Kind() == reflect.Uint8:
			return exactOpaque(v.Bytes())
		}
		for i := range v.Len() {
			if !exact(v.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		if !v.IsNil() && v.Len() == 0 {
			return false
		}
		for each := v.MapRange(); each.Next(); {
			if !exact(each.Key()) || !exact(each.Value()) {
				return false
			}
		}
		return true
	case reflect.Struct:
		return exactStruct(v)
	case reflect.Interface:
		return false
	}
	return true
}

func exactStruct(v reflect.Value) bool {
	switch v.Type() {
	case reflect.TypeFor[time.Time]():
		t := v.Interface().(time.Time)
		return t == t.UTC().Round(0) // as a reading without a monotonic clock
	case reflect.TypeFor[model.AppID]():
		id := v.Interface().(model.AppID)
		again, err := model.ParseAppID(id.String())
		return err == nil && again == id && utf8.ValidString(id.String())
	}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if kept := field.IsExported() && field.Tag.Get("json") != "-"; kept && !exact(v.Field(i)) || !kept && !v.Field(i).IsZero() {
			return false
		}
	}
	return true
}

// exactOpaque reports whether a part that is kept as JSON has no white space between
// its values, and no key twice.
func exactOpaque(b []byte) bool {
	var compact bytes.Buffer
	if json.Compact(&compact, b) != nil || !bytes.Equal(compact.Bytes(), b) {
		return false
	}
	_, repeated := repeatedKey(b)
	return !repeated
}
