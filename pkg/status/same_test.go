package status_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
)

// TestSame: a copy is the same, and a change of any written value is seen, in
// whatever field somebody will add.
func TestSame(t *testing.T) {
	t.Run("Instance", func(t *testing.T) { rapid.Check(t, checkSame[model.Instance]) })
	t.Run("Run", func(t *testing.T) { rapid.Check(t, checkSame[model.Run]) })
	t.Run("Decision", func(t *testing.T) { rapid.Check(t, checkSame[model.Decision]) })
	t.Run("Tenant", func(t *testing.T) { rapid.Check(t, checkSame[model.Tenant]) })
	t.Run("Platform", func(t *testing.T) { rapid.Check(t, checkSame[model.Platform]) })
	t.Run("Pool", func(t *testing.T) { rapid.Check(t, checkSame[model.Pool]) })
}

func checkSame[T any](t *rapid.T) {
	value := genSound[T](t, "value")
	written, err := json.Marshal(value)
	require.NoError(t, err)
	var a, b T
	require.NoError(t, json.Unmarshal(written, &a))
	require.NoError(t, json.Unmarshal(written, &b))
	require.True(t, status.Same(&a, &b))

	for _, leaf := range leaves(reflect.ValueOf(&b).Elem(), "") {
		alter(leaf.at)
		require.False(t, status.Same(&a, &b), "%s altered", leaf.path)
		leaf.restore()
	}
	require.True(t, status.Same(&a, &b))
}

type leaf struct {
	path    string
	at      reflect.Value
	restore func()
}

// leaves lists all values in v that are written and hold no others.
func leaves(v reflect.Value, path string) (all []leaf) {
	add := func(v reflect.Value) {
		old := reflect.New(v.Type()).Elem()
		old.Set(v)
		all = append(all, leaf{path, v, func() { v.Set(old) }})
	}
	switch {
	case v.Type() == reflect.TypeFor[time.Time](), v.Kind() == reflect.Map:
		add(v)
	case v.Kind() == reflect.Pointer:
		if !v.IsNil() {
			all = append(all, leaves(v.Elem(), path)...)
		}
		add(v)
	case v.Kind() == reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			for i := range v.Len() {
				all = append(all, leaves(v.Index(i), fmt.Sprintf("%s[%d]", path, i))...)
			}
		}
		add(v)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "-" {
				all = append(all, leaves(v.Field(i), path+"."+f.Name)...)
			}
		}
	default:
		add(v)
	}
	return all
}

func alter(v reflect.Value) {
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(v.Interface().(time.Time).Add(time.Nanosecond)))
	case v.Kind() == reflect.String:
		v.SetString(v.String() + "x")
	case v.CanInt():
		v.SetInt(v.Int() + 1)
	case v.Kind() == reflect.Bool:
		v.SetBool(!v.Bool())
	case v.Kind() == reflect.Pointer && v.IsNil():
		v.Set(reflect.New(v.Type().Elem()))
	case v.Kind() == reflect.Pointer:
		v.SetZero()
	case v.Kind() == reflect.Slice:
		v.Set(reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()+1), v))
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
	case v.Kind() == reflect.Map:
		m := reflect.MakeMap(v.Type())
		for _, k := range v.MapKeys() {
			m.SetMapIndex(k, v.MapIndex(k))
		}
		m.SetMapIndex(reflect.ValueOf(fmt.Sprint("new", v.Len())).Convert(v.Type().Key()), reflect.Zero(v.Type().Elem()))
		v.Set(m)
	default:
		panic("no way to alter a " + v.Type().String())
	}
}

func TestSameTimes(t *testing.T) {
	a := model.Instance{Since: noon}
	b := model.Instance{Since: noon.In(time.FixedZone("east", 3600)), History: []model.Transition{}}
	require.True(t, status.Same(&a, &b), "the same moment, and nothing is nothing")
}
