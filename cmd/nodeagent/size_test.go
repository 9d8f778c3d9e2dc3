//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/cgrouptest"
)

// The program is below 40 MB, and at no moment more than 30 MB of it and of its memory are resident while it keeps 110 workloads
// whose groups are there.
func TestSize(t *testing.T) {
	cgrouptest.V1(t, "cpu", "memory")
	dir := t.TempDir()
	program := filepath.Join(dir, "nodeagent")
	out, err := exec.Command("go", "build", "-ldflags=-s -w -linkmode=internal", "-o", program, ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	info, err := os.Stat(program)
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(40e6))

	var plan strings.Builder
	plan.WriteString("apiVersion: d-aros.dev/v1alpha1\nkind: NodePlan\nworkloads:\n")
	name := cgrouptest.Name(t)
	for i := range 110 {
		group := fmt.Sprintf("%s/t%d/w%d", name, i%10, i)
		for _, hierarchy := range []string{"cpu", "memory"} {
			cgrouptest.Group(t, filepath.Join(cgrouptest.Root, hierarchy), group)
		}
		fmt.Fprintf(&plan, "- {name: w%d, cgroup: %s, profile: burstable, cpu: {request: 100m, limit: 200m}, memory: {request: 16Mi, limit: 64Mi}}\n", i, group)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "plan.yaml"), []byte(plan.String()), 0o600))
	agent := exec.Command(program, "run", "--plan", "plan.yaml", "--state-dir", "state", "--interval", "100ms", "--listen", "127.0.0.1:0")
	agent.Dir = dir
	agent.Env = append(os.Environ(), "GOGC=") // as it is installed: tests collect less garbage
	require.NoError(t, agent.Start())
	t.Cleanup(func() {
		_ = agent.Process.Kill()
		_ = agent.Wait()
	})
	require.Eventually(t, func() bool {
		report, _ := os.ReadFile(filepath.Join(dir, "state", "status.json"))
		return bytes.Count(report, []byte(`"state": "in-force"`)) >= 5*110
	}, time.Minute, 20*time.Millisecond)
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", agent.Process.Pid))
	require.NoError(t, err)
	peak := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	require.NotNil(t, peak, "%s", status)
	kib, err := strconv.Atoi(string(peak[1]))
	require.NoError(t, err)
	t.Logf("the program has %.1f MB, resident are %.1f MB", float64(info.Size())/1e6, float64(kib)/1000)
	require.Less(t, kib, 30_000)
}
