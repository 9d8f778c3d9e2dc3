//go:build linux

package network

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/test/cgrouptest"
)

// uplink decides the classes of a plan for what the shaper says of the host.
func (h *host) uplink(s *Shaper, workloads ...qos.Workload) *qos.Uplink {
	h.t.Helper()
	link := s.Link()
	require.Empty(h.t, link.Lacks)
	e := qos.Resolve(qos.Plan{Workloads: workloads}, qos.Host{CPU: 4000, Memory: 1 << 30, Page: 4096, Link: link})
	require.NotNil(h.t, e.Uplink)
	return e.Uplink
}

func workload(name, cgroup string, network model.QoSNetwork, bits int64) qos.Workload {
	w := qos.Workload{Name: name, Cgroup: cgroup, Profile: model.QoSProfile{Name: "of-" + name, Network: network}}
	if bits > 0 {
		w.Reserved = w.Reserved.With(model.NetworkResource, bits)
	}
	return w
}

// A workload with a reservation of 57 Mbit/s and no more has that within 5 % beside eight
// streams of best effort, which have at least their own rate and all that is left; alone they
// have everything.
func TestReservationHoldsBesideBestEffort(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: sends for two seconds")
	}
	h := newHost(t)
	s := h.open(Config{})
	holder, holderID := h.cgroup("db")
	others, othersID := h.cgroup("batch")
	u := h.uplink(s,
		workload("db", "db", model.QoSNetwork{Ceiling: 60}, 57_000_000),
		workload("batch", "batch", model.QoSNetwork{Share: 20, Priority: 3}, 0))
	groups := map[string]uint64{"db": holderID, "batch": othersID}
	h.apply(s, u, groups)

	toDB, gotDB := h.receive("10.0.1.2:0")
	toBatch, gotBatch := h.receive("10.0.1.2:0")
	h.send(others, toBatch, 8)
	rates := func(window time.Duration) (db, batch float64) {
		a, b, from := gotDB.Load(), gotBatch.Load(), time.Now()
		require.Eventually(t, func() bool { return time.Since(from) >= window }, time.Minute, 10*time.Millisecond)
		wire := 8 * 1514.0 / 1448 / time.Since(from).Seconds() // what HTB counts, of what arrives
		return float64(gotDB.Load()-a) * wire, float64(gotBatch.Load()-b) * wire
	}
	// A busy machine may spoil a look, but not all.
	look := func(what string, ok func(db, batch float64) bool) {
		t.Helper()
		db, batch := 0.0, 0.0
		require.Eventually(t, func() bool {
			db, batch = rates(time.Second)
			return ok(db, batch)
		}, 2*time.Minute, time.Millisecond, "%s", what)
		t.Logf("%s: db %.1f Mbit/s, batch %.1f Mbit/s of %s", what, db/1e6, batch/1e6, model.FormatBitrate(u.Rate))
	}
	within := func(n, want float64) bool { return n > 0.95*want && n < 1.05*want }
	look("best effort alone", func(db, batch float64) bool { return db == 0 && within(batch, 95e6) })
	h.send(holder, toDB, 1)
	look("both", func(db, batch float64) bool { return within(db, 57e6) && within(batch, 38e6) })
	bytes := h.sent(u)
	require.NotZero(t, bytes["db"])
	require.NotZero(t, bytes["of-batch"])
	require.Less(t, bytes["system"], uint64(100_000), "only what is nobody's")

	// The agent sees the same with what it reads each turn, and that the holder would send more.
	plan := qos.Plan{Workloads: []qos.Workload{workload("db", "db", model.QoSNetwork{}, 57_000_000)}}
	h.apply(s, u, groups)
	require.Eventually(t, func() bool {
		before, from := s.Sent, time.Now()
		rates(time.Second) // a turn
		h.apply(s, u, groups)
		for _, seen := range u.Holdings(plan, before, s.Sent, time.Since(from).Microseconds()) {
			if seen.Workload == "db" && seen.Hungry && seen.Reserved == 57_000_000 && within(float64(seen.Got), 57e6) {
				return true
			}
		}
		return false
	}, time.Minute, time.Millisecond)
}

// moves reports that traffic flows through the class of a name, and through no other but that
// of the system.
func (h *host) moves(u *qos.Uplink, name string) {
	h.t.Helper()
	require.Eventually(h.t, func() bool { return h.sent(u)[name] > 1<<20 }, time.Minute, 5*time.Millisecond, "%v", h.sent(u))
	for other, n := range h.sent(u) {
		if other != name {
			require.Less(h.t, n, uint64(100_000), "%s: %v", other, h.sent(u))
		}
	}
}

// A pod has a network of its own: what its group sends has the class of that group when it
// leaves the host, also if it is sent from a group below. Others who are forwarded have none.
func TestPodsKeepTheirClass(t *testing.T) {
	for _, c := range []struct{ name, group, class string }{{"of the plan", "pod/main", "web"}, {"of nobody", "other", "system"}} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost(t)
			pod := namespace(t)
			h.in(h.home, func() {})
			h.veth("veth1", "eth0", pod, 2, 1)
			cgrouptest.Write(t, "/proc/sys/net/ipv4", "ip_forward", "1")
			route := func(via string) {
				dst, err := netlink.ParseIPNet("0.0.0.0/0")
				require.NoError(t, err)
				addr, err := netlink.ParseAddr(via + "/32")
				require.NoError(t, err)
				require.NoError(t, netlink.RouteAdd(&netlink.Route{Dst: dst, Gw: addr.IP}))
			}
			h.in(pod, func() { route("10.0.2.1") })
			h.in(h.peer, func() { route("10.0.1.1") })

			_, id := h.cgroup("pod")
			dir, _ := h.cgroup(c.group)
			s := h.open(Config{Pods: []string{"veth"}})
			u := h.uplink(s, workload("web", "pod", model.QoSNetwork{}, 40_000_000))
			h.apply(s, u, map[string]uint64{"pod": id})
			for i := range rounds + 2 { // a kernel without fq_codel says so first
				states := states(h.apply(s, u, map[string]uint64{"pod": id}))
				require.True(t, i == 0 || states[InForce] == 7 && len(states) == 1, "%v", states)
			}
			at, _ := h.receive("10.0.1.2:0")
			h.in(pod, func() { h.send(dir, at, 1) })
			h.moves(u, c.class)
			require.Equal(t, map[State]int{Restored: 5}, states(h.apply(s, nil, nil)), "the discipline, and two programs with their places")
		})
	}
}

// What a program says of the priority of its packets gets it into no class, not even into the
// one that is not shaped.
func TestPriorityIsNotForged(t *testing.T) {
	for _, minor := range []uint16{0, qos.WholeMinor, 0xffff} {
		t.Run(fmt.Sprintf("%x", minor), func(t *testing.T) {
			h := newHost(t)
			s := h.open(Config{})
			_, id := h.cgroup("db")
			forger, _ := h.cgroup("forger")
			u := h.uplink(s, workload("db", "db", model.QoSNetwork{}, 40_000_000))
			h.apply(s, u, map[string]uint64{"db": id})
			if minor == 0xffff {
				minor = u.Classes[1].Minor
			}
			at, _ := h.receive("10.0.1.2:0")
			h.send(forger, at, 1, fmt.Sprintf("%s=%d", priorityEnv, int32(uint32(Major<<16)|uint32(minor))))
			h.moves(u, "system")
		})
	}
}

// roots says what is at the root of the uplink and whether the agent has programs there.
func (h *host) roots(s *Shaper) (root string, program bool) {
	h.t.Helper()
	d, err := s.rootOf(h.link)
	require.NoError(h.t, err)
	id, _, err := s.programOn(h.link, netlink.HANDLE_MIN_EGRESS)
	require.NoError(h.t, err)
	return d.kind, id != 0
}

func states(outcomes []Outcome) map[State]int {
	n := map[State]int{}
	for _, o := range outcomes {
		n[o.State]++
	}
	return n
}

// Nothing is written while nothing changes; the next process replaces its program alone, and
// what others change is repaired as drift. Taken back, the interface is as it was.
func TestApplyIsIdempotent(t *testing.T) {
	h := newHost(t)
	s := h.open(Config{})
	groups := map[string]uint64{"db": 77, "batch": 78}
	db, batch := workload("db", "db", model.QoSNetwork{}, 40_000_000), workload("batch", "batch", model.QoSNetwork{Share: 20, Priority: 3}, 0)
	u := h.uplink(s, db, batch)
	planned, err := s.Apply(u, groups, noHold, true)
	require.NoError(t, err)
	require.Equal(t, map[State]int{Planned: len(planned)}, states(planned))
	root, program := h.roots(s)
	require.Equal(t, "noqueue", root)
	require.False(t, program)
	require.Empty(t, h.saved, "a dry run leaves no trace")

	first := h.apply(s, u, groups)
	require.Equal(t, map[State]int{Written: len(planned)}, states(first))
	h.apply(s, u, groups) // a kernel without fq_codel has said so
	saved := string(h.saved)
	for range 3 {
		again := h.apply(s, h.uplink(s, db, batch), groups)
		require.Equal(t, map[State]int{InForce: len(planned)}, states(again), "%+v", again)
	}
	require.Equal(t, saved, string(h.saved))

	s.Close()
	root, program = h.roots(h.open(Config{}))
	require.Equal(t, "htb", root)
	require.True(t, program, "it outlives the process")
	s = h.open(Config{})
	var parts []string
	for _, o := range h.apply(s, h.uplink(s, db, batch), groups) {
		if o.State == Written && !s.plain {
			parts = append(parts, o.Part)
		}
	}
	if !s.plain {
		require.Equal(t, []string{"groups", "program"}, parts)
	}
	h.apply(s, u, groups)

	require.NoError(t, s.net.QdiscDel(netlink.NewHtb(netlink.QdiscAttrs{LinkIndex: h.link.Attrs().Index, Handle: rootHandle, Parent: netlink.HANDLE_ROOT})))
	for _, o := range h.apply(s, u, groups) {
		require.Equal(t, o.State == Written, o.Drift, "%+v", o)
	}

	// Who goes takes his class along, and the others keep theirs.
	less := h.uplink(s, batch)
	require.Equal(t, u.Classes[2].Minor, less.Classes[1].Minor)
	require.Equal(t, 1, states(h.apply(s, less, groups))[Restored])
	classes, err := s.classesOf(h.link)
	require.NoError(t, err)
	require.Len(t, classes, 3)
	for _, o := range h.apply(s, u, groups) {
		require.False(t, o.Drift, "who comes again is no drift: %+v", o)
	}

	h.apply(s, nil, nil)
	require.Empty(t, s.journal.Device)
	root, program = h.roots(s)
	require.Equal(t, "noqueue", root)
	require.False(t, program)
	place, err := s.hasPlace(h.link)
	require.NoError(t, err)
	require.False(t, place)
	require.Empty(t, h.apply(s, nil, nil))
}

// Whatever the change before which the agent is killed: the next one completes all, or takes
// all back.
func TestKilledBetweenAnyTwoChanges(t *testing.T) {
	groups := map[string]uint64{"db": 77, "batch": 78}
	for n := 0; ; n++ {
		total := 0
		for _, release := range []bool{false, true} {
			h := newHost(t)
			s := h.open(Config{})
			u := h.uplink(s, workload("db", "db", model.QoSNetwork{}, 40_000_000), workload("batch", "batch", model.QoSNetwork{Share: 20}, 0))
			w := &work{Shaper: s, hold: noHold, wanted: map[string]bool{}}
			require.NoError(t, w.shape(u, groups, false))
			total = len(w.changes)
			w.changes = w.changes[:min(n, total)]
			w.make(false)
			s.Close()

			s = h.open(Config{})
			if release {
				h.apply(s, nil, nil)
				root, program := h.roots(s)
				require.Equal(t, "noqueue", root, "after %d changes", n)
				require.False(t, program, "after %d changes", n)
				require.Empty(t, s.journal.Device)
				continue
			}
			h.apply(s, u, groups)
			h.apply(s, u, groups)
			again := h.apply(s, u, groups)
			require.Equal(t, map[State]int{InForce: len(again)}, states(again), "after %d changes", n)
		}
		if n > total {
			return
		}
	}
}

// Nothing is changed whose way back cannot be recorded.
func TestNothingWithoutJournal(t *testing.T) {
	h := newHost(t)
	s := h.open(Config{})
	s.journal.save = func([]byte) error { return errors.New("no space left on device") }
	_, err := s.Apply(h.uplink(s, workload("db", "db", model.QoSNetwork{}, 40_000_000)), nil, noHold, false)
	require.ErrorContains(t, err, "no space left on device")
	root, program := h.roots(s)
	require.Equal(t, "noqueue", root)
	require.False(t, program)
}

// A discipline that somebody chose stays, unless the operator says otherwise; then one of its
// kind is there again when the agent gives back.
func TestForeignDisciplineIsLeftAlone(t *testing.T) {
	h := newHost(t)
	at := netlink.QdiscAttrs{LinkIndex: h.link.Attrs().Index, Handle: netlink.MakeHandle(7, 0), Parent: netlink.HANDLE_ROOT}
	require.NoError(t, netlink.QdiscAdd(&netlink.GenericQdisc{QdiscAttrs: at, QdiscType: "pfifo"}))
	s := h.open(Config{})
	require.Equal(t, "up0: pfifo 7:0 is in place there, which the agent did not make: --network-replace takes its place", s.Link().Lacks)

	s = h.open(Config{Replace: true})
	u := h.uplink(s, workload("db", "db", model.QoSNetwork{}, 40_000_000))
	h.apply(s, u, nil)
	root, _ := h.roots(s)
	require.Equal(t, "htb", root)

	// Another one comes meanwhile: it is in force, and what is left of the agent's goes.
	require.NoError(t, netlink.QdiscReplace(&netlink.GenericQdisc{QdiscAttrs: at, QdiscType: "pfifo"}))
	s = h.open(Config{})
	require.Contains(t, s.Link().Lacks, "pfifo 7:0 is in place")
	h.apply(s, nil, nil)
	root, program := h.roots(s)
	require.Equal(t, "pfifo", root)
	require.False(t, program)

	s = h.open(Config{Replace: true})
	h.apply(s, u, nil)
	h.apply(s, nil, nil)
	root, _ = h.roots(s)
	require.Equal(t, "pfifo", root)
}

// A place for programs that others made stays, with theirs in it.
func TestProgramsOfOthersStay(t *testing.T) {
	h := newHost(t)
	s := h.open(Config{})
	require.NoError(t, netlink.QdiscAdd(placeOn(h.link)))
	m, err := newMarker(Config{})
	require.NoError(t, err)
	defer m.close()
	theirs := programAt(h.link, netlink.HANDLE_MIN_EGRESS, m.out.FD())
	theirs.Handle, theirs.Name = 1, "theirs"
	require.NoError(t, netlink.FilterAdd(theirs))
	h.apply(s, h.uplink(s, workload("db", "db", model.QoSNetwork{}, 40_000_000)), nil)
	h.apply(s, nil, nil)
	id, others, err := s.programOn(h.link, netlink.HANDLE_MIN_EGRESS)
	require.NoError(t, err)
	require.Zero(t, id)
	require.True(t, others)
}

// Two rights are enough, as the manifests give them.
func TestRights(t *testing.T) {
	h := newHost(t)
	s := h.open(Config{Pods: []string{"veth"}})
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	for _, right := range []int{unix.CAP_NET_ADMIN, unix.CAP_BPF} {
		data[right/32].Effective |= 1 << (right % 32)
		data[right/32].Permitted |= 1 << (right % 32)
	}
	require.NoError(t, unix.Capset(&head, &data[0])) // of this thread, which ends with the test
	h.apply(s, h.uplink(s, workload("db", "db", model.QoSNetwork{}, 40_000_000)), map[string]uint64{"db": 77})
	h.apply(s, nil, nil)
}
