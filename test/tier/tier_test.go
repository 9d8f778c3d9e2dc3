package tier

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCount(t *testing.T) {
	set := func(short, all string) {
		require.NoError(t, flag.Set("test.short", short))
		require.NoError(t, flag.Set("soak", all))
	}
	short, all := flag.Lookup("test.short").Value.String(), flag.Lookup("soak").Value.String()
	defer set(short, all)
	for _, c := range []struct {
		short, all string
		count      int
		soak       bool
	}{{"true", "false", 1, false}, {"false", "false", 2, false}, {"false", "true", 3, true}, {"true", "true", 3, true}} {
		set(c.short, c.all)
		require.Equal(t, c.count, Count(1, 2, 3), c)
		require.Equal(t, c.soak, Soak(), c)
	}
	list := []int{0, 1, 2, 3, 4, 5, 6}
	set("true", "false")
	require.Equal(t, []int{0, 3, 6}, Some(3, list))
	set("false", "false")
	require.Equal(t, list, Some(3, list))
}
