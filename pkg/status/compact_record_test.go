package status_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
)

// A ledger is kept as long as a reconciler runs: lists of records that were read have no room for more.
func TestRecordsHaveNoRoomToSpare(t *testing.T) {
	remote := gittest.NewBare(t)
	open := func() *status.Branch {
		b, err := status.Open(t.Context(), status.Options{URL: remote.Dir, Dir: t.TempDir()})
		require.NoError(t, err)
		return b
	}
	b := open()
	before, err := b.Load(t.Context())
	require.NoError(t, err)
	_, _, err = b.Commit(t.Context(), before, large(3))
	require.NoError(t, err)
	l, err := open().Load(t.Context())
	require.NoError(t, err)
	lists := 0
	for i := range l.Instances {
		lists += fits(t, reflect.ValueOf(&l.Instances[i]), "instance")
	}
	for i := range l.Decisions {
		lists += fits(t, reflect.ValueOf(&l.Decisions[i]), "decision")
	}
	require.Greater(t, lists, 20)
}

// fits requires of each list in a value that it has no room for more, and counts them.
func fits(t *testing.T, v reflect.Value, path string) (lists int) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return fits(t, v.Elem(), path)
		}
	case reflect.Slice:
		require.Equal(t, v.Len(), v.Cap(), path)
		for i := range v.Len() {
			lists += fits(t, v.Index(i), path+"[]")
		}
		return lists + 1
	case reflect.Struct:
		for i := range v.NumField() {
			if _, derived := v.Interface().(model.AppID); !derived && v.Type().Field(i).IsExported() {
				lists += fits(t, v.Field(i), path+"."+v.Type().Field(i).Name)
			}
		}
	}
	return lists
}
