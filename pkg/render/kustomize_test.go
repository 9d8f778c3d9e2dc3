package render

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/build"
)

// reads counts the bytes of the files that are read.
type reads struct {
	fstest.MapFS
	bytes *int
}

func (r reads) ReadFile(name string) ([]byte, error) {
	data, err := fs.ReadFile(r.MapFS, name)
	*r.bytes += len(data)
	return data, err
}

// What all kustomizations of an application read together is bounded: nobody stops the reading, and a hundred that share a
// base would read it a hundred times. The same one is read once.
func TestReadingOfKustomizationsIsBounded(t *testing.T) {
	files := reads{fstest.MapFS{}, new(int)}
	put := func(name, text string) { files.MapFS[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644} }
	put("base/kustomization.yaml", "resources: [map.yaml]")
	put("base/map.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: "+strings.Repeat("x", 1_000_000)+"}}")
	spec := &model.Application{Policy: &model.Policy{}}
	for i := range 100 {
		dir := fmt.Sprint("k", i)
		put(dir+"/kustomization.yaml", "resources: [../base]")
		for range 2 {
			spec.Components = append(spec.Components, model.Component{Type: "kustomize", Properties: []byte(`{"path": "` + dir + `"}`)})
		}
	}
	asked := 0
	built, err := Builder{Follow: func(string, build.Recipe) (build.Result, error) {
		asked++
		return build.Result{}, nil
	}}.Build(spec, files)
	require.NoError(t, err)
	require.Len(t, built, 100)
	require.Equal(t, 16, asked)
	require.LessOrEqual(t, *files.bytes, 16<<20)
	require.Contains(t, built["k16"].Refused, "the kustomizations of the application read more than 16 MiB together")
	require.Contains(t, built["k99"].Refused, "16 MiB together")
}
