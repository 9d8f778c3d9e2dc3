package status_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
)

// filler gives every field of a value something of its own, so that whatever is
// lost or mixed up on the way shows.
type filler struct {
	n    int
	text func(n int) string // nil: x1, x2 …
}

func (f *filler) fill(v reflect.Value) {
	f.n++
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(noon.Add(time.Duration(f.n)*time.Second + time.Duration(f.n))))
	case v.Type() == reflect.TypeFor[model.AppID]():
		v.Set(reflect.ValueOf(model.AppID{Tenant: "acme", Name: fmt.Sprintf("app%d", f.n)}))
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		v.SetBytes(fmt.Appendf(nil, `{"n":%d}`, f.n))
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		f.fill(v.Index(0))
		f.fill(v.Index(1))
	case v.Kind() == reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(key)
		f.fill(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			// Positions in files are not kept: they are read from the source again.
			if field := v.Type().Field(i); field.IsExported() && field.Type != reflect.TypeFor[model.Positions]() && field.Type != reflect.TypeFor[model.Revision]() {
				f.fill(v.Field(i))
			}
		}
	case v.Kind() == reflect.String:
		v.SetString(fmt.Sprintf("x%d", f.n))
		if f.text != nil {
			v.SetString(f.text(f.n))
		}
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.CanInt():
		v.SetInt(int64(f.n))
	case v.CanUint():
		v.SetUint(uint64(f.n))
	case v.CanFloat():
		v.SetFloat(float64(f.n))
	default:
		panic("no way to fill a " + v.Type().String())
	}
}

// TestNoFieldIsLost: whatever field somebody adds to the record of an instance,
// the next process reads what this one saved.
func TestNoFieldIsLost(t *testing.T) {
	var l model.Ledger
	l.Instances = make([]model.Instance, 1)
	in := &l.Instances[0]
	(&filler{}).fill(reflect.ValueOf(in).Elem())
	in.App, in.Phase = shop(), model.PhaseRunning
	in.Spec.ID, in.Previous.ID, in.Run.App = shop(), shop(), shop()
	in.Spec.InForce, in.Previous.InForce = nil, nil // the decision has them
	*in.Spec, *in.Previous = in.Spec.Seal(), in.Previous.Seal()

	files, remembered, err := status.Written(l)
	require.NoError(t, err)
	back, err := status.Read(files)
	require.NoError(t, err)
	require.Equal(t, *in, back.Instances[0])
	require.Equal(t, *in, remembered.Instances[0])
}
