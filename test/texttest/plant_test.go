package texttest_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/texttest"
)

func TestPlant(t *testing.T) {
	type name string
	v := struct {
		Name name
		Text string
		List []struct{ Text *string }
		Map  map[string]string
		Raw  []byte
		No   int
	}{Name: "kept", List: []struct{ Text *string }{{new(string)}, {}}, Map: map[string]string{"key": ""}, Raw: []byte("raw")}
	require.Equal(t, 3, texttest.Plant(&v, reflect.TypeFor[name]()))
	c := texttest.Corpus()
	require.Equal(t, name("kept"), v.Name)
	require.Equal(t, []string{c[0], c[1], c[2], "raw"}, []string{v.Text, *v.List[0].Text, v.Map["key"], string(v.Raw)})
}
