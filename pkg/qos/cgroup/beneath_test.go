//go:build linux

package cgroup

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// Both ways of opening keep to the tree. The paths are those of known escapes
// from container runtimes.
func TestOpenBeneath(t *testing.T) {
	base := t.TempDir()
	root := filepath.Join(base, "root")
	for _, dir := range []string{"root/a/b", "roottwin", "outside"} {
		require.NoError(t, os.MkdirAll(filepath.Join(base, dir), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "a/knob"), []byte("1"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(base, "outside/knob"), []byte("1"), 0o600))
	require.NoError(t, os.Symlink("../../outside", filepath.Join(root, "a/link")))
	require.NoError(t, os.Symlink("b", filepath.Join(root, "a/inner")))
	require.NoError(t, os.Symlink("../../outside/knob", filepath.Join(root, "a/knoblink")))
	dir, err := os.Open(root)
	require.NoError(t, err)
	defer dir.Close()

	for name, open := range map[string]func(*os.File, string, int) (int, error){"openat2": openFd, "walk": walkBeneath} {
		for _, path := range []string{"a", "a/b", "a/knob", "."} {
			f, err := open(dir, path, unix.O_RDONLY)
			require.NoError(t, err, "%s %s", name, path)
			require.NoError(t, unix.Close(f))
		}
		for _, path := range []string{
			"", "..", "../roottwin", "a/../../outside/knob", filepath.Join(base, "outside/knob"), "/", "/etc/passwd",
			"a/link", "a/link/knob", "a/inner", "a/inner/x", "a/knoblink", "missing", "a/missing",
		} {
			f, err := open(dir, path, unix.O_RDONLY)
			if err == nil {
				_ = unix.Close(f)
			}
			require.Error(t, err, "%s %s", name, path)
		}
	}
	require.Error(t, writeFile(dir, "created", "1"), "no file is ever created")
	require.NoFileExists(t, filepath.Join(root, "created"))
	_, err = openCgroupDir(root, true)
	require.ErrorContains(t, err, "is not a cgroup file system")
}

// What a process is known by leads anywhere: its links are followed as little as others.
func TestOpenBeneathFollowsNoMagicLinks(t *testing.T) {
	dir, err := os.Open("/proc")
	require.NoError(t, err)
	defer dir.Close()
	pid := strconv.Itoa(os.Getpid())
	for _, open := range []func(*os.File, string, int) (int, error){openFd, walkBeneath} {
		for _, link := range []string{"root", "root/etc", "cwd", "exe", "fd/" + strconv.Itoa(int(dir.Fd())) + "/self"} {
			_, err = open(dir, pid+"/"+link, unix.O_RDONLY)
			require.Error(t, err, link)
			require.NotErrorIs(t, err, unix.ENOENT, link)
		}
	}
}

func TestOpenBeneathDoesNotCrossMounts(t *testing.T) {
	dir, err := os.Open("/proc/self/root")
	require.NoError(t, err)
	defer dir.Close()
	for _, open := range []func(*os.File, string, int) (int, error){openFd, walkBeneath} {
		_, err = open(dir, "proc/self/status", unix.O_RDONLY)
		require.ErrorIs(t, err, unix.EXDEV)
	}
}
