//go:build linux

package network

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/test/cgrouptest"
)

// sendEnv makes of the test binary a program that sends to an address until it is ended, with
// the priority that it asks for its packets.
const sendEnv, priorityEnv = "NETWORK_TEST_SEND", "NETWORK_TEST_PRIORITY"

func TestMain(m *testing.M) {
	if address := os.Getenv(sendEnv); address != "" {
		send(address)
		return
	}
	os.Exit(m.Run())
}

func send(address string) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if priority, err := strconv.Atoi(os.Getenv(priorityEnv)); err == nil {
		raw, _ := conn.(*net.TCPConn).SyscallConn()
		_ = raw.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PRIORITY, priority) })
		if err != nil {
			fmt.Fprintln(os.Stderr, "priority:", err)
			os.Exit(1)
		}
	}
	block := make([]byte, 16<<10)
	for err == nil {
		_, err = conn.Write(block)
	}
}

// host is a network namespace with an uplink to a peer in another one.
type host struct {
	t      *testing.T
	device string
	link   netlink.Link
	net    *netlink.Handle // of the namespace, for any thread
	home   int             // file of the namespace
	peer   int
	group  string // of the test, below the root of cgroup v2; "" while it needs none
	saved  []byte // the journal
}

// newHost gives the test a namespace of its own, in which its thread then is.
func newHost(t *testing.T) *host {
	t.Helper()
	return newQueuedHost(t, 1)
}

// newQueuedHost makes one whose uplink has so many queues.
func newQueuedHost(t *testing.T, queues int) *host {
	t.Helper()
	if os.Geteuid() != 0 {
		cgrouptest.Skip(t, "network namespaces need root")
	}
	runtime.LockOSThread() // never unlocked: the thread ends with the test, and its namespace with it
	h := &host{t: t, device: "up0"}
	h.peer = namespace(t)
	h.home = namespace(t)
	h.veth(h.device, "down0", h.peer, 1, queues)
	var err error
	h.link, err = netlink.LinkByName(h.device)
	require.NoError(t, err)
	h.net, err = netlink.NewHandle(unix.NETLINK_ROUTE)
	require.NoError(t, err)
	t.Cleanup(h.net.Close)
	return h
}

// namespace puts the thread into a namespace of its own and returns a file of it.
func namespace(t *testing.T) int {
	t.Helper()
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		cgrouptest.Skip(t, "network namespace: %s", err)
	}
	fd, err := unix.Open("/proc/thread-self/ns/net", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = unix.Close(fd) })
	lo, err := netlink.LinkByName("lo")
	require.NoError(t, err)
	require.NoError(t, netlink.LinkSetUp(lo))
	return fd
}

// in runs a function with the thread in a namespace.
func (h *host) in(namespace int, f func()) {
	h.t.Helper()
	require.NoError(h.t, unix.Setns(namespace, unix.CLONE_NEWNET))
	f()
	require.NoError(h.t, unix.Setns(h.home, unix.CLONE_NEWNET))
}

// veth connects the host with another namespace: 10.0.NET.1 and 10.0.NET.2.
func (h *host) veth(name, there string, namespace, net, queues int) {
	h.t.Helper()
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.NumTxQueues = name, queues
	require.NoError(h.t, netlink.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: there, PeerNamespace: netlink.NsFd(namespace)}))
	up := func(name string, last int) {
		link, err := netlink.LinkByName(name)
		require.NoError(h.t, err)
		addr, err := netlink.ParseAddr(fmt.Sprintf("10.0.%d.%d/24", net, last))
		require.NoError(h.t, err)
		require.NoError(h.t, netlink.AddrAdd(link, addr))
		require.NoError(h.t, netlink.LinkSetUp(link))
	}
	up(name, 1)
	h.in(namespace, func() { up(there, 2) })
}

// open opens the shaper, as each start of an agent does.
func (h *host) open(cfg Config) *Shaper {
	h.t.Helper()
	cfg.Device = h.device
	if cfg.Rate == 0 {
		cfg.Rate = 100_000_000
	}
	s, err := Open(cfg, h.saved, func(data []byte) error { h.saved = data; return nil })
	require.NoError(h.t, err)
	h.t.Cleanup(s.Close)
	return s
}

func (h *host) apply(s *Shaper, u *qos.Uplink, groups map[string]uint64) []Outcome {
	h.t.Helper()
	outcomes, err := s.Apply(u, groups, noHold, false)
	require.NoError(h.t, err)
	for _, o := range outcomes {
		require.NotEqual(h.t, Refused, o.State, "%+v", o)
	}
	return outcomes
}

func noHold(string, string) string { return "" }

// cgroup makes a group and returns its directory and its id.
func (h *host) cgroup(name string) (dir string, id uint64) {
	h.t.Helper()
	if h.group == "" {
		cgrouptest.V1(h.t) // alone on the machine
		if _, err := os.Stat(filepath.Join(cgrouptest.Unified(), "cgroup.procs")); err != nil {
			cgrouptest.Skip(h.t, "cgroup v2: %s", err)
		}
		h.group = cgrouptest.Name(h.t)
	}
	dir = cgrouptest.Group(h.t, cgrouptest.Unified(), h.group+"/"+name)
	var st unix.Stat_t
	require.NoError(h.t, unix.Stat(dir, &st))
	return dir, st.Ino
}

// receive counts what comes in at an address of the peer.
func (h *host) receive(address string) (at string, got *atomic.Int64) {
	h.t.Helper()
	got = &atomic.Int64{}
	h.in(h.peer, func() {
		l, err := net.Listen("tcp", address)
		require.NoError(h.t, err)
		h.t.Cleanup(func() { _ = l.Close() })
		at = l.Addr().String()
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				go func() {
					defer conn.Close()
					_, _ = io.Copy(counter{got}, conn)
				}()
			}
		}()
	})
	return at, got
}

type counter struct{ n *atomic.Int64 }

func (c counter) Write(b []byte) (int, error) {
	c.n.Add(int64(len(b)))
	return len(b), nil
}

// send starts senders in a group, from the namespace in which the thread is.
func (h *host) send(dir, address string, n int, environment ...string) (stop func()) {
	h.t.Helper()
	group, err := os.Open(dir)
	require.NoError(h.t, err)
	defer group.Close()
	var all []*exec.Cmd
	for range n {
		cmd := exec.Command("/proc/self/exe")
		cmd.Env = append(append(os.Environ(), sendEnv+"="+address, "GOMAXPROCS=1"), environment...)
		cmd.Stderr = os.Stderr
		cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(group.Fd()), Pdeathsig: syscall.SIGKILL}
		require.NoError(h.t, cmd.Start())
		all = append(all, cmd)
	}
	stop = func() {
		for _, cmd := range all {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
		all = nil
	}
	h.t.Cleanup(stop)
	return stop
}

// sent returns the bytes that have gone through the classes of an uplink, by the names of these.
func (h *host) sent(u *qos.Uplink) map[string]uint64 {
	h.t.Helper()
	all, err := h.net.ClassList(h.link, 0)
	require.NoError(h.t, err)
	bytes := map[string]uint64{}
	for _, c := range all {
		for i := range u.Classes {
			if c.Attrs().Handle == netlink.MakeHandle(Major, u.Classes[i].Minor) && c.Attrs().Statistics != nil {
				bytes[u.Classes[i].Name] = c.Attrs().Statistics.Basic.Bytes
			}
		}
	}
	return bytes
}
