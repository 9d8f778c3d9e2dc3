package arbitration_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/story"
)

// TestRestoreIsHeld: what was granted less has no more before its restoreHold is over, although there is room.
func TestRestoreIsHeld(t *testing.T) {
	s, err := story.Read(`
policy restoreHold=10m
pool general cpu=8
tenant a
runs a/web size=1 x=8 min=2`)
	require.NoError(t, err)
	grants := func(passed time.Duration, cpu int64) int {
		s.Now = s.Now.Add(passed)
		s.Seen.Pools[0].Capacity = model.Resources{CPU: cpu}
		ruling, _ := s.Round()
		return ruling.Decisions[0].Grants[0].Replicas
	}
	require.Equal(t, 8, grants(0, 8000))
	require.Equal(t, 5, grants(time.Minute, 5000))
	require.Equal(t, 5, grants(10*time.Minute-time.Second, 8000))
	require.Equal(t, 8, grants(time.Second, 8000))
}
