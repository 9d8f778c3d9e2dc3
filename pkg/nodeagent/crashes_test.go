//go:build linux

package nodeagent

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCrashesAreCounted(t *testing.T) {
	s, err := openState(t.TempDir())
	require.NoError(t, err)
	defer s.close()
	now := time.Unix(1_800_000_000, 0)
	count := func(passed time.Duration) int {
		now = now.Add(passed)
		before, err := s.crashes(now)
		require.NoError(t, err)
		return len(before)
	}
	require.Equal(t, 0, count(0))
	require.Equal(t, 1, count(time.Second))
	require.NoError(t, s.ended())
	require.Equal(t, 0, count(time.Second), "it ended well")
	require.Equal(t, 1, count(crashesIn-time.Second))
	require.Equal(t, 1, count(2*time.Second), "the first one is long ago")
	require.Equal(t, 0, count(-time.Hour), "the clock was put back")
	for i := range 100 {
		require.Equal(t, min(i+1, 2*mostCrashes+1), count(time.Second), "the file stays small")
	}
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, startsFile), []byte(`["202`), 0o600))
	require.Equal(t, 0, count(time.Second), "a damaged file keeps nobody from starting")

	for crashes, want := range []time.Duration{0, 0, 0, time.Second, 2 * time.Second, 4 * time.Second} {
		require.Equal(t, want, holdOff(crashes))
	}
	require.Equal(t, longestWait, holdOff(1<<30))
}

// After many crashes the plan is in force, nothing follows the load, and the report says why.
func TestCrashLoopIsQuiet(t *testing.T) {
	n := newNode(t)
	n.write(n.batch(", limit: 500m"))
	require.NoError(t, os.MkdirAll(n.cfg.StateDir, 0o700))
	var starts []time.Time
	for i := range mostCrashes {
		starts = append(starts, time.Now().Add(-time.Duration(i)*time.Second))
	}
	data, err := json.Marshal(starts)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(n.cfg.StateDir, startsFile), data, 0o600))
	a, err := open(n.cfg, false)
	require.NoError(t, err)
	defer a.close()
	hurried, cancel := context.WithCancel(t.Context())
	cancel()
	a.afterCrashes(hurried)
	for range 20 {
		require.NoError(t, a.pass(t.Context(), false))
	}
	require.Equal(t, "50000", n.quota())
	require.Contains(t, a.report.Quiet, "the agent ended without a word 5 times in 10m0s: nothing follows the load until 20")
	require.Contains(t, n.log.String(), "wait=4s")
	require.True(t, a.report.Holds())
	require.False(t, strings.Contains(n.log.String(), "may be in use"))
}
