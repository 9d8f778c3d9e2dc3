package apply

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/render"
)

// TestDemandIsWrittenIntoAnObject: whatever its metadata says already.
func TestDemandIsWrittenIntoAnObject(t *testing.T) {
	const owner, adopted = render.AnnotationOwner, render.AnnotationAdopted
	for object, want := range map[string]string{
		`{"metadata":{"name":"a"},"spec":{"uid":1}}`:                                `{"metadata":{"name":"a","resourceVersion":"1","annotations":{"` + owner + `":"f/\"t"}},"spec":{"uid":1}}`,
		`{"kind":"A","metadata":{"annotations":{}}}`:                                `{"kind":"A","metadata":{"resourceVersion":"1","annotations":{"` + owner + `":"f/\"t"}}}`,
		`{"metadata":{"annotations":null}}`:                                         `{"metadata":{"resourceVersion":"1","annotations":{"` + owner + `":"f/\"t"}}}`,
		`{"metadata": { "resourceVersion" : "5" } }`:                                `{"metadata": {"resourceVersion":"1","annotations":{"` + owner + `":"f/\"t"}} }`,
		`{"metadata":{"annotations":{"a":"b","` + owner + `":"other"},"name":"a"}}`: `{"metadata":{"name":"a","resourceVersion":"1","annotations":{"a":"b","` + owner + `":"f/\"t"}}}`,
	} {
		got, err := demand{}.body([]byte(object), `f/"t`)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	got, err := demand{uid: "7", adopted: "keep"}.body([]byte(`{"metadata":{"uid":"5"}}`), "f/t")
	require.NoError(t, err)
	require.Equal(t, `{"metadata":{"uid":"7","annotations":{"`+owner+`":"f/t","`+adopted+`":"keep"}}}`, string(got))
	_, err = demand{}.body([]byte(`{"metadata":[]}`), "f/t")
	require.Error(t, err)
}
