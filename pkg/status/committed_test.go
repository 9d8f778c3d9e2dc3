package status_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCommitted: the time of the tip is known once it was read, that of any other commit once the history was.
func TestCommitted(t *testing.T) {
	remote, _ := story(t, 3)
	b := open(t, remote.Dir)
	seconds := func(commit string) string { return strconv.FormatInt(b.Committed(commit).Unix(), 10) }
	tip, before := remote.Git("rev-parse", "status"), remote.Git("rev-parse", "status~1")
	require.True(t, b.Committed(tip).IsZero(), "nothing was read")
	_, err := b.Load(t.Context())
	require.NoError(t, err)
	require.Equal(t, remote.Git("log", "-1", "--format=%ct", tip), seconds(tip))
	require.True(t, b.Committed(before).IsZero(), "only the tip was read")
	_, err = b.At(t.Context(), before)
	require.NoError(t, err)
	require.Equal(t, remote.Git("log", "-1", "--format=%ct", before), seconds(before))
	for _, name := range []string{"", "status", strings.Repeat("0", 40), strings.Repeat("ab", 20)} {
		require.True(t, b.Committed(name).IsZero(), name)
	}
}
