//go:build linux

package process

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// While nothing changes no data is written: a sign of life now and then is another time of the
// same file.
func TestReportIsWrittenWhenItChanges(t *testing.T) {
	s := &Supervisor{cfg: Config{Host: Host{Name: "h1", Pool: "hosts", Directory: t.TempDir()}}}
	file := filepath.Join(s.cfg.Host.Directory, "hosts", hostsDirectory, "h1.json")
	now := time.Unix(1_800_000_000, 0)
	publish := func(passed time.Duration) os.FileInfo {
		now = now.Add(passed)
		s.publish(now)
		info, err := os.Stat(file)
		require.NoError(t, err)
		return info
	}
	first := publish(0)
	require.NoError(t, os.Chtimes(file, now, now))
	soon := publish(look)
	require.True(t, os.SameFile(first, soon))
	require.Equal(t, now.Add(-look).Unix(), soon.ModTime().Unix())
	late := publish(beat)
	require.True(t, os.SameFile(first, late))
	require.NotEqual(t, soon.ModTime(), late.ModTime())
	s.plan.Generation++
	require.False(t, os.SameFile(first, publish(look)))
}
