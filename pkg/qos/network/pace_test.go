//go:build linux

package network

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/guest"
)

// Many kernels have fq as a module or not at all; that of the guest has it.
func TestInGuest(t *testing.T) {
	guest.Tests(t, "TestPacedClassesHold", "TestPacesComeAndGo")
}

// Without fq nothing is shaped by departure times, which is said by the name of what is missing, or the kernel has it.
func TestPacingNeedsFq(t *testing.T) {
	h := newHost(t)
	s := h.open(Config{Pace: true})
	if lacks := s.Link().Lacks; lacks != "" {
		require.Regexp(t, `^up0: this kernel has no fq, clsact or cls_bpf \(fq: .*\): modprobe sch_fq sch_ingress cls_bpf$`, lacks)
	}
	root, program := h.roots(s)
	require.Equal(t, "noqueue", root, "asking changes nothing")
	require.False(t, program)
}

// fq skips the test where the kernel has none, also with QOS_REAL=require, and says what it lacks. In the guest a skip is a failure.
func (h *host) fq() {
	h.t.Helper()
	if lacks := h.open(Config{Pace: true}).Link().Lacks; lacks != "" {
		h.t.Skip(lacks)
	}
}

// A workload with a reservation has what is reserved beside eight streams of best effort, and these have their part and no
// more, through one queue and through several.
func TestPacedClassesHold(t *testing.T) {
	for kind, queues := range map[string]int{"fq": 1, "mq": 2} {
		t.Run(kind, func(t *testing.T) {
			h := newQueuedHost(t, queues)
			h.fq()
			s := h.open(Config{Pace: true, Rate: 20_000_000})
			holder, holderID := h.cgroup("db")
			others, othersID := h.cgroup("batch")
			u := h.uplink(s, workload("db", "db", model.QoSNetwork{}, 8_000_000), workload("batch", "batch", model.QoSNetwork{Share: 20, Priority: 3}, 0))
			wants := map[string]float64{}
			for _, c := range u.Classes {
				wants[c.Name] = float64(c.Ceil)
			}
			groups := map[string]uint64{"db": holderID, "batch": othersID}
			h.apply(s, u, groups)
			again := h.apply(s, u, groups)
			require.Equal(t, len(again), states(again)[InForce], "%+v", again)
			root, _ := h.roots(s)
			require.Equal(t, kind, root)

			toDB, gotDB := h.receive("10.0.1.2:0")
			toBatch, gotBatch := h.receive("10.0.1.2:0")
			h.send(others, toBatch, 8)
			h.send(holder, toDB, 1)
			within := func(n, want float64) bool { return n > 0.9*want && n < 1.05*want }
			// A busy machine may spoil a look, but not all.
			require.Eventually(t, func() bool {
				a, b, from := gotDB.Load(), gotBatch.Load(), time.Now()
				require.Eventually(t, func() bool { return time.Since(from) >= 2*time.Second }, time.Minute, 10*time.Millisecond)
				wire := 8 * 1514.0 / 1448 / time.Since(from).Seconds()
				db, batch := float64(gotDB.Load()-a)*wire, float64(gotBatch.Load()-b)*wire
				t.Logf("db %.1f Mbit/s of %.1f, batch %.1f of %.1f", db/1e6, wants["db"]/1e6, batch/1e6, wants["of-batch"]/1e6)
				return within(db, wants["db"]) && within(batch, wants["of-batch"])
			}, 2*time.Minute, time.Millisecond)
			require.Greater(t, wants["db"], 8e6)
		})
	}
}

// What shapes by queues becomes what shapes by times, and back, and the interface is in the end as it was.
func TestPacesComeAndGo(t *testing.T) {
	h := newHost(t)
	h.fq()
	db := workload("db", "db", model.QoSNetwork{}, 40_000_000)
	for _, pace := range []bool{false, true, true, false, true} {
		s := h.open(Config{Pace: pace})
		u := h.uplink(s, db)
		require.Equal(t, pace, u.Paces)
		h.apply(s, u, map[string]uint64{"db": 77})
		again := h.apply(s, u, map[string]uint64{"db": 77})
		require.Equal(t, len(again), states(again)[InForce], "%+v", again)
		root, program := h.roots(s)
		require.Equal(t, map[bool]string{true: "fq", false: "htb"}[pace], root)
		require.True(t, program)
		s.Close()
	}
	s := h.open(Config{Pace: true})
	h.apply(s, nil, nil)
	root, program := h.roots(s)
	require.Equal(t, "noqueue", root)
	require.False(t, program)
	require.Empty(t, s.journal.Device)
}
