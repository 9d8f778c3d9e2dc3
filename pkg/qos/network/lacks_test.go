//go:build linux

package network

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// What a host lacks is said in one sentence, by its name; nothing is changed then.
func TestLacks(t *testing.T) {
	h := newHost(t)
	s := h.open(Config{})
	s.root = "unheard" // no kernel has it
	require.Equal(t, "up0: this kernel has no HTB, clsact or cls_bpf (unheard: no such file or directory): modprobe sch_htb sch_ingress cls_bpf", s.Link().Lacks)
	root, program := h.roots(s)
	require.Equal(t, "noqueue", root)
	require.False(t, program)

	s, err := Open(Config{Device: "none0", Rate: 1}, nil, nil)
	require.NoError(t, err)
	defer s.Close()
	require.Equal(t, "none0: there is no such network interface", s.Link().Lacks)

	dropped := h.open(Config{})
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	require.NoError(t, unix.Capget(&head, &data[0]))
	data[unix.CAP_BPF/32].Effective &^= 1 << (unix.CAP_BPF % 32)
	data[unix.CAP_SYS_ADMIN/32].Effective &^= 1 << (unix.CAP_SYS_ADMIN % 32)
	require.NoError(t, unix.Capset(&head, &data[0])) // of this thread, which ends with the test
	require.Equal(t, "up0: the agent may not shape it: it needs CAP_NET_ADMIN and CAP_BPF", dropped.Link().Lacks)
}

func TestSpeed(t *testing.T) {
	dir := t.TempDir()
	for said, want := range map[string]int64{"1000\n": 1e9, "-1\n": 0, "x": 0, "": 0} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "eth0"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "eth0", "speed"), []byte(said), 0o600))
		require.Equal(t, want, speed(dir, "eth0"), said)
	}
	require.Zero(t, speed(dir, "eth1"))
}

func TestNamesOfInterfaces(t *testing.T) {
	for _, c := range []Config{
		{Device: "../eth0"}, {Device: "eth0/.."}, {Device: ".."}, {Device: "averyveryverylongname"}, {Device: "a b"},
		{Rate: 1}, {Replace: true}, {Device: "eth0", Pods: []string{"a/b"}},
	} {
		require.Error(t, c.Check(), "%+v", c)
	}
	require.NoError(t, Config{}.Check())
	require.NoError(t, Config{Device: "eth0", Rate: 1, Pods: []string{"veth", "cali"}}.Check())
}
