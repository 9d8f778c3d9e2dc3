//go:build linux

package cgrouptest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// OnDisk makes a directory on a disk that can be bounded: in /var/tmp, or beside the test.
func OnDisk(t testing.TB) string {
	t.Helper()
	var disks, on []string
	drivers, err := filepath.Glob("/sys/block/*/device")
	require.NoError(t, err)
	for _, d := range drivers {
		disks = append(disks, strings.TrimSpace(Read(t, filepath.Dir(d), "dev")))
	}
	for _, parent := range []string{"/var/tmp", "."} {
		dir, err := os.MkdirTemp(parent, "qos-disk-*")
		require.NoError(t, err)
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		var st unix.Stat_t
		require.NoError(t, unix.Stat(dir, &st))
		number := fmt.Sprintf("%d:%d", unix.Major(st.Dev), unix.Minor(st.Dev))
		for _, disk := range disks {
			if disk == number {
				dir, err = filepath.Abs(dir)
				require.NoError(t, err)
				return dir
			}
		}
		on = append(on, parent+" is on device "+number)
	}
	Skip(t, "no directory on a disk: %v; disks are %v", on, disks)
	return ""
}
