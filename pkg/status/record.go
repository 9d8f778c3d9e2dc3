package status

import (
	"reflect"
	"sync"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// record has the records of one application.
type record struct {
	instance *model.Instance // nil: none yet
	decision *model.Decision // nil: none yet

	damaged *model.DamagedRecord // nil: all of it was read
}

// records returns the records of a ledger by application.
func records(l *model.Ledger) map[model.AppID]record {
	all := make(map[model.AppID]record, len(l.Instances))
	for i := range l.Instances {
		all[l.Instances[i].App] = record{instance: &l.Instances[i]}
	}
	for i := range l.Decisions {
		d := &l.Decisions[i]
		all[d.App] = record{instance: all[d.App].instance, decision: d}
	}
	return all
}

// sameInstance reports whether a and b surely have the same files. It may report false
// for equal files, for example if a time is in another zone; writing finds that out.
func sameInstance(a, b *model.Instance) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Revision.Is(b.Revision) {
		return true
	}
	if identity(a.Spec) != identity(b.Spec) || identity(a.Previous) != identity(b.Previous) {
		return false
	}
	alone := pairs.Get().(*[2]model.Instance)
	alone[0], alone[1] = *a, *b
	for i := range alone {
		alone[i].Spec, alone[i].Previous, alone[i].Revision = nil, nil, model.Revision{}
	}
	same := reflect.DeepEqual(&alone[0], &alone[1])
	clear(alone[:]) // it would hold what is compared
	pairs.Put(alone)
	return same
}

// pairs are room for two instances that nobody compares now: a save of 10,000 records left 11 MB of garbage for it.
var pairs = sync.Pool{New: func() any { return new([2]model.Instance) }}

// identity identifies a spec: two specs of one identity have the same content.
func identity(a *model.Application) [2]string {
	if a == nil {
		return [2]string{}
	}
	return [2]string{string(a.Digest), a.Commit}
}

// sameDecision reports whether a and b differ at most in the inputs that were looked at and in
// the shares that tenants had at that moment: else every commit to the fleet repo would rewrite
// every application.
func sameDecision(a, b *model.Decision) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Revision.Is(b.Revision) {
		return true
	}
	x, y := *a, *b
	x.Inputs, x.Shares, x.Revision = y.Inputs, y.Shares, y.Revision
	return reflect.DeepEqual(&x, &y)
}

// inUTC puts all times in v into UTC, so that the same moment is written the
// same way everywhere. It returns whether one was not.
func inUTC(v reflect.Value) (changed bool) {
	switch v.Kind() {
	case reflect.Pointer:
		return !v.IsNil() && inUTC(v.Elem())
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return false
		}
		for i := range v.Len() {
			changed = inUTC(v.Index(i)) || changed
		}
	case reflect.Struct:
		if t, ok := v.Interface().(time.Time); ok {
			if t.Location() == time.UTC {
				return false
			}
			v.Set(reflect.ValueOf(t.UTC()))
			return true
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				changed = inUTC(v.Field(i)) || changed
			}
		}
	}
	return changed
}
