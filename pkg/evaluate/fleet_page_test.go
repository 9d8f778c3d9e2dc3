package evaluate

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// What docs/fleet.md shows is accepted, all of it together: each block of CUE is the
// file that its first line names, beside the base fleet.
func TestFleetPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/fleet.md")
	require.NoError(t, err)
	shown := &txtar.Archive{}
	for _, block := range regexp.MustCompile("(?ms)^```cue\n// (\\S+\\.cue)\n(.*?)^```$").FindAllSubmatch(page, -1) {
		shown.Files = append(shown.Files, txtar.File{Name: string(block[1]), Data: append([]byte("package fleet\n\n"), block[2]...)})
	}
	require.Len(t, shown.Files, 8)
	f := judged(t, New(), unpack(archive(t, "base.txtar"), shown), nil)
	require.Empty(t, report(f))
	require.Len(t, f.Applications, 1)
	require.Equal(t, "redis", f.Applications[0].Components[0].Definition)
}
