package apply

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestPacked: an object is unpacked as it was, whatever it has, and takes a third of the memory where it is like others.
func TestPacked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOf(rapid.Byte()).Draw(t, "text")
		if part := rapid.IntRange(0, len(likely)).Draw(t, "part"); rapid.Bool().Draw(t, "likely") {
			text = append(text, likely[part:]...)
		}
		require.Equal(t, string(text), string(pack(text).text()))
	})
	large := bytes.Repeat(likely, 1000) // more than an object of a cluster may have
	require.Equal(t, string(large), string(pack(large).text()))
	usual := []byte(strings.NewReplacer("tenant", "acme", "worker", "shop-frontend", "c4024f36d6215a001f6c3dd892acea48", "0f9d2b7751e6b5e0aa0ae0a6f2c4d6e8",
		"980620405d243ab8305df12faa93d09e", "5ad2b6e0c1b0a4e2b1ad0c6a9f7e4d3c").Replace(string(likely)))
	t.Logf("%d bytes of %d", len(pack(usual)), len(usual))
	require.Less(t, 3*len(pack(usual)), len(usual))
	require.Nil(t, packed("").decoded())
	require.Nil(t, pack([]byte("{")).decoded())
}

func BenchmarkPack(b *testing.B) {
	for b.Loop() {
		pack(likely)
	}
}
