//go:build linux

package process

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/durable"
	"github.com/d-aros/d-aros/pkg/runtime/hostplan"
)

// TestPlansThatAreNotTaken: a plan that is broken, older, of another fleet, or gone changes nothing
// of what runs, also after the agent was started again.
func TestPlansThatAreNotTaken(t *testing.T) {
	s := newSite(t)
	s.start()
	s.plan(work("web", 1, forever))
	s.plan(work("web", 1, forever))
	pid := s.untilStates(hostplan.Running).Processes[0].PID
	file := filepath.Join(s.Host.Directory, s.Host.Pool, planFile)
	good, err := os.ReadFile(file)
	require.NoError(t, err)
	replace := func(data string) {
		require.NoError(t, durable.Write(filepath.Dir(file), planFile, []byte(data), 0o600))
	}
	for what, change := range map[string]func(){
		"unexpected EOF":         func() { replace(string(good[:len(good)/2])) },
		"it is of generation 1":  func() { replace(strings.Replace(string(good), `"generation": 2`, `"generation": 1`, 1)) },
		`it is of fleet "other"`: func() { replace(strings.Replace(string(good), `"fleet": "f"`, `"fleet": "other"`, 1)) },
		"it is of pool other":    func() { replace(strings.Replace(string(good), `"pool": "hosts"`, `"pool": "other"`, 1)) },
		"unknown field":          func() { replace(strings.Replace(string(good), `"fleet"`, `"flot"`, 1)) },
		"no such file":           func() { require.NoError(t, os.Remove(file)) },
		"too many levels":        func() { _ = os.Remove(file); require.NoError(t, os.Symlink("/etc/passwd", file)) },
		"is not a file":          func() { _ = os.Remove(file); require.NoError(t, os.Mkdir(file, 0o700)) },
	} {
		change()
		r := s.until(what, func(r hostplan.Report) bool { return strings.Contains(r.Problem, what) })
		require.Equal(t, pid, r.Processes[0].PID)
		require.EqualValues(t, 2, r.Generation)
		_ = os.Remove(file)
		replace(string(good))
		s.until("the good one again", func(r hostplan.Report) bool { return r.Problem == "" })
	}
	require.NoError(t, os.Remove(file))
	s.stop()
	s.start()
	r := s.until("the copy serves", func(r hostplan.Report) bool { return len(r.Processes) == 1 && r.Problem != "" })
	require.Equal(t, pid, r.Processes[0].PID)
	require.Equal(t, hostplan.Running, r.Processes[0].State)
}

// TestLogsAreBounded: a program that writes without end leaves as many files as it may.
func TestLogsAreBounded(t *testing.T) {
	s := newSite(t)
	s.start()
	w := work("loud", 1, "exec yes 0123456789")
	w.Program.Logs = hostplan.Logs{Size: 1 << 20, Files: 3}
	w.Program.Limits.CPU = 50
	s.plan(w)
	log := filepath.Join(s.Host.Logs, "acme/shop/loud-0.log")
	require.Eventually(t, func() bool {
		_, err := os.Stat(log + ".2")
		return err == nil
	}, patience, 10*time.Millisecond)
	s.plan()
	s.untilStates()
	files, err := filepath.Glob(log + "*")
	require.NoError(t, err)
	require.Len(t, files, 3)
}
