package qos

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStarved(t *testing.T) {
	const second = 1_000_000
	for _, c := range []struct {
		name             string
		used, waited     int64
		passed, reserved int64
		got              int64
		starved          bool
	}{
		{"all of it", second, second, second, 1000, 1000, false},
		{"a twentieth less", 950_000, second, second, 1000, 950, false},
		{"a quarter of it", 250_000, second, second, 1000, 250, true},
		{"it does not want more", 250_000, 50_000, second, 1000, 250, false},
		{"two cores", 900_000, second, second, 2000, 900, true},
		{"no time has passed", 0, 0, 0, 1000, 0, false},
		{"threads have ended", 100_000, -10, second, 1000, 0, false},
		{"the group is another", -1, second, second, 1000, 0, false},
	} {
		before := Usage{CPU: 1000, Waited: 1000}
		got, starved := Starved(before, Usage{before.CPU + c.used, before.Waited + c.waited}, c.passed, c.reserved)
		require.Equal(t, c.starved, starved, c.name)
		require.Equal(t, c.got, got, c.name)
	}
}
