package nodeagent

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestUnlockedDespiteCopies: between fork and exec a child has all files of its parent.
func TestUnlockedDespiteCopies(t *testing.T) {
	dir := t.TempDir()
	s, err := openState(dir)
	require.NoError(t, err)
	child, err := unix.Dup(int(s.lock.Fd()))
	require.NoError(t, err)
	defer unix.Close(child)
	_, err = openState(dir)
	require.ErrorIs(t, err, ErrRunning)
	s.close()
	again, err := openState(dir)
	require.NoError(t, err)
	again.close()
}
