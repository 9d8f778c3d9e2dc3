package layer

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// Files of the fleet's package alone are blamed, and looking for them is bounded.
func TestUnread(t *testing.T) {
	files, names := fstest.MapFS{}, []string{}
	put := func(name, text string) {
		files["d/"+name] = &fstest.MapFile{Data: []byte(text)}
		names = append(names, name)
	}
	put("a/fleet.cue", "// a comment\n\npackage fleet\n\nbroken: {")
	put("a/other.cue", "package other")
	put("a/none.cue", "x: 1")
	put("a/text.yaml", "package fleet")
	problems, err := Unread(files, "d", names)
	require.NoError(t, err)
	require.Len(t, problems, 1)
	require.Equal(t, "d/a/fleet.cue:1:1", problems[0].Places[0].At)
	for i := range 9 {
		put(fmt.Sprintf("b/%d.cue", i), "package fleet\n//"+strings.Repeat("x", 250_000))
	}
	problems, err = Unread(files, "d", names)
	require.NoError(t, err)
	require.Len(t, problems, 5)
}
