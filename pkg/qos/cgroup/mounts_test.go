//go:build linux

package cgroup

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseMounts(t *testing.T) {
	mounts := parseMounts(`31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct
33 31 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot
34 31 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
35 34 0:32 / /sys/fs/cgroup/memory rw - tmpfs tmpfs rw
36 31 0:33 /a\040b /mnt/with\040space rw - cgroup cgroup rw,pids
short line - x
`)
	require.Equal(t, []mount{
		{"/sys/fs/cgroup/cpu,cpuacct", "/", false, []string{"rw", "cpu", "cpuacct"}},
		{"/sys/fs/cgroup/unified", "/", true, []string{"rw", "nsdelegate", "memory_recursiveprot"}},
		{"/mnt/with space", "/a b", false, []string{"rw", "pids"}},
	}, mounts, "what is covered by another file system is no cgroup mount")
	m, ok := covering(mounts, "/sys/fs/cgroup/unified/a")
	require.True(t, ok)
	require.Equal(t, "/sys/fs/cgroup/unified", m.point)
	_, ok = covering(mounts, "/sys/fs/cgroup/unifiedtwin")
	require.False(t, ok)
	require.Len(t, directlyBelow(mounts, "/sys/fs/cgroup"), 2)
}

func FuzzParseMounts(f *testing.F) {
	f.Add("32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n")
	f.Fuzz(func(t *testing.T, s string) { parseMounts(s) })
}
