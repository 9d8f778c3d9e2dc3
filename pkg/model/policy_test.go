package model

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPolicyEqualComparesEveryField: two policies that differ in one value are not equal.
func TestPolicyEqualComparesEveryField(t *testing.T) {
	fields := reflect.TypeFor[Policy]()
	for i := range fields.NumField() {
		var p Policy
		switch v := reflect.ValueOf(&p).Elem().Field(i); v.Kind() {
		case reflect.String:
			v.SetString("other")
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Slice:
			v.Set(reflect.ValueOf([]string{}))
		case reflect.Struct:
			if first := v.Field(0); first.Kind() == reflect.Slice {
				first.Set(reflect.ValueOf([]string{"other"}))
			} else {
				first.SetInt(1)
			}
		default:
			v.SetInt(1)
		}
		require.False(t, p.Equal(&Policy{}), fields.Field(i).Name)
		same := p
		require.True(t, p.Equal(&same), fields.Field(i).Name)
	}
}
