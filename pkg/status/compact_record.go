package status

import (
	"reflect"
	"unique"
)

// common is how many bytes a text may have that records are likely to repeat: a commit, a pool, a reason, a quantity.
const common = 64

// compactRecord takes back the room that the decoder leaves, as a ledger is kept: the decoder makes each list with room
// for four, and each text anew. Equal short texts share their memory, and lists have the room they need.
func compactRecord(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			compactRecord(v.Elem())
		}
	case reflect.String:
		if s := v.String(); s != "" && len(s) <= common {
			v.SetString(unique.Make(s).Value())
		}
	case reflect.Slice:
		if v.Cap() > v.Len() {
			fits := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(fits, v)
			v.Set(fits)
		}
		if v.Type().Elem().Kind() != reflect.Uint8 {
			for i := range v.Len() {
				compactRecord(v.Index(i))
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				compactRecord(v.Field(i))
			}
		}
	}
}
