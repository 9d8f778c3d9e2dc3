package git

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestUnlockedDespiteCopies: between fork and exec a child has all files of its parent.
func TestUnlockedDespiteCopies(t *testing.T) {
	dir := t.TempDir()
	d, err := openDisk(dir)
	require.NoError(t, err)
	child, err := unix.Dup(int(d.lock.Fd()))
	require.NoError(t, err)
	defer unix.Close(child)
	_, err = openDisk(dir)
	require.ErrorContains(t, err, "another process uses it")
	require.NoError(t, d.close())
	again, err := openDisk(dir)
	require.NoError(t, err)
	require.NoError(t, again.close())
}
