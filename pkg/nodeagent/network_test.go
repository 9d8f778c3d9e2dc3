//go:build linux

package nodeagent

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/qos/network"
	"github.com/d-aros/d-aros/test/cgrouptest"
)

const networkPlan = "apiVersion: d-aros.dev/v1alpha1\nkind: NodePlan\nworkloads:\n" +
	"- {name: db, cgroup: %[1]s, profile: guaranteed-pro, cpu: {request: 100m}, reserved: {network: %[2]s}}\n" +
	"- {name: batch, cgroup: %[1]s-batch, profile: best-effort}\n"

// newShapedNode gives the thread of the test a network namespace with an interface up0, and the
// groups of the plan.
func newShapedNode(t *testing.T) *node {
	n := newNode(t)
	runtime.LockOSThread() // never unlocked: the thread ends with the test, and its namespace with it
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		cgrouptest.Skip(t, "network namespace: %s", err)
	}
	attrs := netlink.NewLinkAttrs()
	attrs.Name = "up0"
	require.NoError(t, netlink.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: "down0"}))
	link, err := netlink.LinkByName("up0")
	require.NoError(t, err)
	require.NoError(t, netlink.LinkSetUp(link))
	if _, err := os.Stat(filepath.Join(cgrouptest.Unified(), "cgroup.procs")); err != nil {
		cgrouptest.Skip(t, "cgroup v2: %s", err)
	}
	cgrouptest.Group(t, cgrouptest.Unified(), n.name)
	cgrouptest.Group(t, cgrouptest.Unified(), n.name+"-batch")
	cgrouptest.Group(t, cgrouptest.Root+"/cpu", n.name+"-batch")
	n.cfg.Network = network.Config{Device: "up0", Rate: 100_000_000}
	return n
}

func (n *node) root() string {
	link, err := netlink.LinkByName("up0")
	require.NoError(n.t, err)
	all, err := netlink.QdiscList(link)
	require.NoError(n.t, err)
	for _, q := range all {
		if q.Attrs().Parent == netlink.HANDLE_ROOT {
			return q.Type()
		}
	}
	return ""
}

// From the plan to the classes of the interface: the next agent keeps them, one without the
// flag takes them back, and so does release.
func TestAgentShapes(t *testing.T) {
	n := newShapedNode(t)
	n.write(fmt.Sprintf(networkPlan, n.name, "30M"))
	report, err := Once(t.Context(), n.cfg, true)
	require.NoError(t, err)
	require.True(t, report.Differs())
	require.Equal(t, "noqueue", n.root())
	require.NoDirExists(t, n.cfg.StateDir)

	for range 2 { // the second as after a crash
		report, err = Once(t.Context(), n.cfg, false)
		require.NoError(t, err)
		require.True(t, report.Holds(), "%+v", report)
		require.Equal(t, "htb", n.root())
	}
	require.Len(t, report.Uplink.Classes, 3)
	for _, c := range report.Uplink.Classes {
		if c.Name == "db" {
			require.Equal(t, int64(30_000_000), c.Rate)
			require.Equal(t, []string{n.name}, c.Cgroups)
		}
	}
	for _, o := range report.Network {
		require.Equal(t, network.InForce, o.State, "%+v", o)
	}
	a, err := open(n.cfg, false)
	require.NoError(t, err)
	for range 3 {
		require.NoError(t, a.pass(t.Context(), false))
	}
	before := snapshot(t, n.cfg.StateDir)[networkFile]
	drift := count(t, a.metrics.drift)
	require.NoError(t, a.pass(t.Context(), false))
	require.Equal(t, before, snapshot(t, n.cfg.StateDir)[networkFile])
	require.Equal(t, drift, count(t, a.metrics.drift))
	a.close()

	without := n.cfg
	without.Network = network.Config{}
	report, err = Once(t.Context(), without, false)
	require.NoError(t, err)
	require.Equal(t, "noqueue", n.root(), "nobody asks for it any more")
	require.Nil(t, report.Uplink)

	_, err = Once(t.Context(), n.cfg, false)
	require.NoError(t, err)
	require.Equal(t, "htb", n.root())
	released, err := Release(without)
	require.NoError(t, err)
	require.NotEmpty(t, released.Network)
	require.Equal(t, "noqueue", n.root())
}

// What the host cannot do is said by name, and the reservation that it costs reaches the
// reconciler. Late-comers are refused, and so is what is more than the interface has.
func TestNetworkThatIsNotKeptIsSaid(t *testing.T) {
	n := newShapedNode(t)
	n.write(fmt.Sprintf(networkPlan, n.name, "90M"))
	report, err := Once(t.Context(), n.cfg, false)
	require.NoError(t, err)
	shortfalls := report.Shortfalls()
	require.Len(t, shortfalls, 1)
	require.Equal(t, "network", shortfalls[0].Resource)
	require.Equal(t, int64(90_000_000), shortfalls[0].Promised)
	require.Equal(t, "asks for 90M network, up0 has 85500k left to promise", shortfalls[0].Reason)

	cgrouptest.Group(t, cgrouptest.Root+"/cpu", n.name+"-old") // and nowhere else
	n.write(fmt.Sprintf(networkPlan, n.name, "90M") + "- {name: old, cgroup: " + n.name + "-old, profile: guaranteed, reserved: {network: 1M}}\n")
	report, err = Once(t.Context(), n.cfg, false)
	require.NoError(t, err)
	require.Regexp(t, "^its group is not in cgroup v2", report.Shortfalls()[1].Reason)
	require.Equal(t, "old", report.Shortfalls()[1].Workload)

	n.cfg.Network.Device = "none0"
	report, err = Once(t.Context(), n.cfg, false)
	require.NoError(t, err)
	require.Equal(t, "none0: there is no such network interface", report.Shortfalls()[0].Reason)
	require.Equal(t, "noqueue", n.root(), "the interface of before is given back")

	n.cfg.Network = network.Config{Rate: 1}
	_, err = Once(t.Context(), n.cfg, false)
	require.ErrorContains(t, err, "no interface is named to shape")
}

// Who takes the discipline away again and again gets his way, and the report says so.
func TestContestedNetworkIsLeftToOthers(t *testing.T) {
	n := newShapedNode(t)
	n.write(fmt.Sprintf(networkPlan, n.name, "30M"))
	a, err := open(n.cfg, false)
	require.NoError(t, err)
	defer a.close()
	link, err := netlink.LinkByName("up0")
	require.NoError(t, err)
	for range mostReverts + 1 {
		require.NoError(t, a.pass(t.Context(), false))
		require.Equal(t, "htb", n.root())
		at := netlink.QdiscAttrs{LinkIndex: link.Attrs().Index, Handle: network.Major << 16, Parent: netlink.HANDLE_ROOT}
		require.NoError(t, netlink.QdiscDel(netlink.NewHtb(at)))
	}
	for range 2 {
		require.NoError(t, a.pass(t.Context(), false))
		require.Equal(t, "noqueue", n.root(), "it is theirs now")
	}
	require.False(t, a.report.Holds())
	require.Len(t, a.report.Network, 1)
	require.Equal(t, network.Held, a.report.Network[0].State)
	require.Regexp(t, "^others made it noqueue 10 times in a minute; it is theirs until 20", a.report.Network[0].Reason)
	require.Contains(t, n.log.String(), "part of the network left to others")
}
