package cuefile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate/cuefile"
)

func renamed(t *testing.T, files []cuefile.File, path []string, to string) []cuefile.File {
	t.Helper()
	changed, err := cuefile.Apply(files, cuefile.Edit{Path: path, Op: cuefile.Rename, Value: to})
	require.NoError(t, err)
	return changed
}

// TestRename: a field gets another name wherever it is written, and nothing else of the files differs; the rename back gives the
// same bytes.
func TestRename(t *testing.T) {
	web := []string{"application", "components", "web"}
	for before, after := range map[string]string{
		"application: components: {\n\t// The front.\n\tweb: {type: \"worker\"} // stays\n\tdb: {}\n}\n": "application: components: {\n\t// The front.\n\t\"front-end\": {type: \"worker\"} // stays\n\tdb: {}\n}\n",
		"application: components: web: replicas: 2\r\napplication: components: \"web\": type: \"x\"\r\n": "application: components: \"front-end\": replicas: 2\r\napplication: components: \"front-end\": type: \"x\"\r\n",
		"application: components: {w=web: {x: 1}, db: y: w.x}\n":                                         "application: components: {w=\"front-end\": {x: 1}, db: y: w.x}\n",
		"application: {components: web: {x: 1} & {y: 2}, other: web: 3}\n":                               "application: {components: \"front-end\": {x: 1} & {y: 2}, other: web: 3}\n",
	} {
		files := []cuefile.File{{Name: "a.cue", Data: []byte(before)}, {Name: "b.cue", Data: []byte("application: name: \"x\"\n")}}
		changed := renamed(t, files, web, "front-end")
		require.Len(t, changed, 1)
		require.Equal(t, after, string(changed[0].Data))
	}
	plain := []cuefile.File{{Name: "a.cue", Data: []byte("application: components: {\n\tweb: {\n\t\ttype: \"worker\"\n\t}\n}\n")}}
	there := renamed(t, plain, web, "front")
	back := renamed(t, there, []string{"application", "components", "front"}, "web")
	require.Equal(t, string(plain[0].Data), string(back[0].Data))

	for text, why := range map[string]string{
		"application: components: {web: {}, front: {}}\n": "a.cue:1:43: application.components.front is there already",
		"application: components: {db: {}}\n":             "rename application.components.web: no file has it",
		"application: components: {if true {web: {}}}\n":  "stands in a condition or a loop",
	} {
		_, err := cuefile.Apply([]cuefile.File{{Name: "a.cue", Data: []byte(text)}}, cuefile.Edit{Path: web, Op: cuefile.Rename, Value: "front"})
		require.ErrorContains(t, err, why)
	}
}
