package architecture

import (
	"bytes"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// largest is how large a file in Git may be. Everybody who clones pays for it, for ever.
const largest = 512 << 10

// larger are the beginnings of names of larger files, with how large these may be.
var larger = map[string]int64{
	"web/dist/assets/elk-worker": 2 << 20, // lays out graphs: one file of its npm package, unchanged, so it is stored anew only with a new version
}

// TestGitHasNoPrograms: a test may build a program where "git add" finds it.
func TestGitHasNoPrograms(t *testing.T) {
	for name := range strings.SplitSeq(strings.TrimSuffix(git(t, "ls-files", "-z"), "\x00"), "\x00") {
		f, err := root.Open(name)
		if err != nil {
			continue // deleted, and not committed yet
		}
		info, err := f.Stat()
		require.NoError(t, err)
		most := int64(largest)
		for prefix, n := range larger {
			if strings.HasPrefix(name, prefix) {
				most = n
			}
		}
		if info.Mode()&fs.ModeType == 0 && info.Size() > most {
			t.Errorf("%s has %d KiB: git holds sources, of at most %d KiB each", name, info.Size()>>10, most>>10)
		}
		magic := make([]byte, 4)
		if n, _ := io.ReadFull(f, magic); bytes.Equal(magic[:n], []byte("\x7fELF")) {
			t.Errorf("%s is a program: take it out of Git, and build it below t.TempDir()", name)
		}
		require.NoError(t, f.Close())
	}
}
