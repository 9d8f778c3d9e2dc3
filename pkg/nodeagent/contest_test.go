//go:build linux

package nodeagent

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/qos"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
	"github.com/d-aros/d-aros/test/cgrouptest"
)

// Another manager changes a quota back each time: after ten times it is left to it, and the
// report says so, with what it makes of it. What the other leaves alone stays in force.
func TestContestedSettingIsLeftToOthers(t *testing.T) {
	n := newNode(t)
	a := n.enforcing()
	for range mostReverts {
		require.Equal(t, "20000", n.quota())
		cgrouptest.Write(t, n.dir, "cpu.cfs_quota_us", "90000")
		require.NoError(t, a.pass(t.Context(), false))
	}
	cgrouptest.Write(t, n.dir, "cpu.cfs_quota_us", "90000")
	cgrouptest.Write(t, n.dir, "cpu.shares", "77")
	require.NoError(t, a.pass(t.Context(), false))
	require.Equal(t, "90000", n.quota(), "it is theirs now")
	require.NotEqual(t, "77", cgrouptest.Read(t, n.dir, "cpu.shares"))
	require.Equal(t, 1, strings.Count(n.log.String(), "setting left to others"), "%s", n.log)
	require.False(t, a.report.Holds())
	shortfalls := a.report.Shortfalls()
	require.Len(t, shortfalls, 1)
	require.Regexp(t, "^others made it 90000 10 times in a minute; it is theirs until 20", shortfalls[0].Reason)
	require.Equal(t, "cpu.cfs_quota_us", shortfalls[0].Setting)

	// What others want there is the original value now.
	a.close()
	_, err := Release(n.cfg)
	require.NoError(t, err)
	require.Equal(t, "90000", n.quota())
}

// A workload with hold is compared and shown, and nothing of it is written.
func TestHoldLeavesAWorkloadAlone(t *testing.T) {
	n := newNode(t)
	n.write(strings.Replace(n.document("200m"), "profile:", "hold: true, profile:", 1))
	report, err := Once(t.Context(), n.cfg, false)
	require.NoError(t, err)
	require.Equal(t, "-1", n.quota())
	require.Equal(t, cgroup.Held, stateOf(report.Outcomes, "cpu.cfs_quota_us"))
	require.True(t, report.Holds(), "this is what the plan says")
	require.Empty(t, report.Shortfalls())
}

func stateOf(outcomes []cgroup.Outcome, file string) cgroup.State {
	for _, o := range outcomes {
		if o.File == file {
			return o.State
		}
	}
	return ""
}

// Who changes a setting now and then does not contest it. A hold ends, the next one is twice
// as long, and after an hour of peace all is forgotten.
func TestContests(t *testing.T) {
	c, now := contests{}, time.Unix(1_800_000_000, 0)
	drift := []cgroup.Outcome{{Setting: qos.Setting{Cgroup: "web", File: "cpu.shares", Value: "2"}, State: cgroup.Written, From: "9", Drift: true}}
	held := func() bool {
		s := []qos.Setting{{Cgroup: "web", File: "cpu.shares"}, {Cgroup: "db", File: "cpu.shares"}}
		s = c.hold(s, now)
		require.Empty(t, s[1].Hold)
		return s[0].Hold != ""
	}
	for range 50 { // a kubelet that writes its values each minute
		c.see(drift, now)
		now = now.Add(time.Minute)
	}
	require.False(t, held())
	fight := func() {
		for range mostReverts {
			require.False(t, held())
			c.see(drift, now)
			now = now.Add(time.Second)
		}
		require.True(t, held())
	}
	fight()
	now = now.Add(shortestHold)
	fight()
	now = now.Add(shortestHold)
	require.True(t, held())
	now = now.Add(shortestHold)
	require.False(t, held())
	now = now.Add(longestHold)
	c.see(nil, now)
	require.Empty(t, c)
}
