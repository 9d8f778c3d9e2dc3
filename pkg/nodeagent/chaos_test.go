//go:build linux

package nodeagent

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/qos/cgroup"
)

// Without a state directory, or with one that nobody can write, promises stay as they are: a value whose original cannot be
// recorded is not written. When the directory is there again, what was to be is made, and the copy of the plan, too.
func TestStateDirectoryGoesAway(t *testing.T) {
	for name, away := range map[string]func(t *testing.T, dir string) (back func()){
		"gone": func(t *testing.T, dir string) func() {
			require.NoError(t, os.Rename(dir, dir+".away"))
			return func() { require.NoError(t, os.Rename(dir+".away", dir)) }
		},
		"read-only": func(t *testing.T, dir string) func() {
			runtime.LockOSThread() // never unlocked: its mounts go with the thread
			require.NoError(t, unix.Unshare(unix.CLONE_FS|unix.CLONE_NEWNS))
			require.NoError(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
			require.NoError(t, unix.Mount(dir, dir, "", unix.MS_BIND, ""))
			require.NoError(t, unix.Mount("", dir, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""))
			return func() { require.NoError(t, unix.Unmount(dir, 0)) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNode(t)
			a := n.enforcing()
			require.Equal(t, "20000", n.quota())

			back := away(t, n.cfg.StateDir)
			n.write(n.document("300m"))
			require.Error(t, a.pass(t.Context(), false))
			require.Error(t, a.pass(t.Context(), false))
			require.Equal(t, "20000", n.quota())

			back()
			require.NoError(t, a.pass(t.Context(), false))
			require.NoError(t, a.pass(t.Context(), false))
			require.Equal(t, "30000", n.quota())
			require.Empty(t, a.report.Problem)
			copied, _, err := a.state.lastGood()
			require.NoError(t, err)
			require.Equal(t, n.document("300m"), string(copied))
		})
	}
}

// An agent that cannot have its state directory does not begin.
func TestStateDirectoryThatIsNone(t *testing.T) {
	n := newNode(t)
	n.write(n.document("200m"))
	require.NoError(t, os.WriteFile(n.cfg.StateDir, nil, 0o600))
	require.ErrorContains(t, Run(t.Context(), n.cfg), "open state directory: ")
	require.Equal(t, "-1", n.quota())
}

// The report says how old the plan is, also after a restart, and while the file is away.
func TestReportSaysHowOldThePlanIs(t *testing.T) {
	n := newNode(t)
	n.write(n.document("200m"))
	r, err := Once(t.Context(), n.cfg, false)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), r.Since, time.Minute)
	hour := time.Now().Add(-time.Hour).Truncate(time.Second).UTC()
	require.NoError(t, os.Chtimes(filepath.Join(n.cfg.StateDir, planFile), hour, hour))
	for range 2 {
		r, err = Once(t.Context(), n.cfg, false)
		require.NoError(t, err)
		require.Equal(t, hour, r.Since, "the same plan is not a newer one")
	}
	require.NoError(t, os.Remove(n.cfg.Plan))
	r, err = Once(t.Context(), n.cfg, false)
	require.NoError(t, err)
	require.True(t, r.Stale)
	require.Equal(t, hour, r.Since)
	n.write(n.document("300m"))
	r, err = Once(t.Context(), n.cfg, false)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), r.Since, time.Minute)
}

// Two agents on one host: with one state directory the second does not begin, and with two they are others to each other, so they
// leave to each other what both want, and say so, instead of writing without end.
func TestTwoAgentsOnOneHost(t *testing.T) {
	n := newNode(t)
	n.write(n.document("200m"))
	a, err := open(n.cfg, false)
	require.NoError(t, err)
	defer a.close()
	require.ErrorIs(t, Run(t.Context(), n.cfg), ErrRunning)

	cfg := n.cfg
	cfg.StateDir, cfg.Plan = filepath.Join(t.TempDir(), "other"), filepath.Join(t.TempDir(), "plan.yaml")
	require.NoError(t, os.WriteFile(cfg.Plan, []byte(n.document("300m")), 0o600))
	b, err := open(cfg, false)
	require.NoError(t, err)
	defer b.close()
	both := func() {
		require.NoError(t, a.pass(t.Context(), false))
		require.NoError(t, b.pass(t.Context(), false))
	}
	for range mostReverts + 1 {
		both()
	}
	require.Contains(t, n.log.String(), "setting left to others")
	quota, writes := n.quota(), count(t, a.metrics.writes)+count(t, b.metrics.writes)
	for range 3 {
		both()
	}
	require.Equal(t, quota, n.quota())
	require.Equal(t, writes, count(t, a.metrics.writes)+count(t, b.metrics.writes))
	require.Equal(t, cgroup.Held, stateOf(a.report.Outcomes, "cpu.cfs_quota_us"))
	require.NotEmpty(t, a.report.Shortfalls())
}
