//go:build linux

package process

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/runtime/hostplan"
	"github.com/d-aros/d-aros/test/cgrouptest"
)

// With the rights that the unit of systemd gives it, and no others, the agent starts programs
// as users, ends them, and finds them again after it was killed.
func TestRightsOfTheUnitAreEnough(t *testing.T) {
	if _, err := exec.LookPath("setpriv"); err != nil {
		cgrouptest.Skip(t, "%v", err)
	}
	unit, err := os.ReadFile("../../../deploy/systemd/d-aros-nodeagent.service")
	require.NoError(t, err)
	rights := regexp.MustCompile(`(?m)^CapabilityBoundingSet=(.*)$`).FindSubmatch(unit)
	require.NotNil(t, rights)
	require.Contains(t, string(unit), "\nNoNewPrivileges=yes\n")
	s := newSite(t)
	set := "-all"
	for right := range strings.FieldsSeq(string(rights[1])) {
		set += ",+" + strings.ToLower(strings.TrimPrefix(right, "CAP_"))
	}
	if info, err := os.Stat(cgrouptest.Root + "/cpu"); err == nil && info.Mode().Perm()&0o200 == 0 {
		set += ",+dac_override" // here not even root may make groups without it
	}
	s.under = []string{"setpriv", "--no-new-privs", "--inh-caps=-all", "--bounding-set=" + set}
	s.start()
	s.plan(work("web", 1, "id -un; "+forever))
	r := s.untilStates(hostplan.Running)
	var st syscall.Stat_t
	require.NoError(t, syscall.Stat("/proc/"+strconv.Itoa(r.Processes[0].PID), &st))
	require.NotZero(t, st.Uid, "it runs as the user of the tenant")

	s.stop()
	s.start()
	again := s.untilStates(hostplan.Running)
	require.Equal(t, r.Processes[0].PID, again.Processes[0].PID, "programs outlive the agent")
	s.plan()
	s.untilStates()
}
