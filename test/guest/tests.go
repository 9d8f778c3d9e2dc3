//go:build linux

package guest

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/cgrouptest"
	"github.com/d-aros/d-aros/test/tier"
	"github.com/d-aros/d-aros/test/unraced"
)

// Tests runs tests of the package of a test in one guest, and has the result of each as a subtest. Without -soak it skips, because
// a guest takes minutes of processor time. Where the host cannot run one it skips with the reason, or fails with QOS_REAL=require.
func Tests(t *testing.T, names ...string) {
	t.Helper()
	Machine{}.Tests(t, names...)
}

// Tests is [Tests] in a machine with more.
func (m Machine) Tests(t *testing.T, names ...string) {
	t.Helper()
	if !tier.Soak() {
		t.Skip("without -soak: a virtual machine takes minutes")
	}
	program, err := unraced.Program(t.TempDir())
	require.NoError(t, err)
	r, err := m.Run(t.Context(), program, "-test.v", "-test.timeout=25m", "-test.run=^("+strings.Join(names, "|")+")$")
	if missing := (Missing{}); errors.As(err, &missing) {
		cgrouptest.Skip(t, "%v", err)
	}
	require.NoError(t, err)
	t.Logf("Linux %s s", r.Up)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			verdict, log := verdictOf(r.Output, name)
			t.Log(log)
			require.Equal(t, "PASS", verdict)
		})
	}
}

// verdictOf returns how a test ended, "" if it did not, and what it printed.
func verdictOf(output, name string) (verdict, log string) {
	_, log, _ = strings.Cut(output, fmt.Sprintf("=== RUN   %s\n", name))
	end := regexp.MustCompile(`(?m)^--- (PASS|FAIL|SKIP): ` + regexp.QuoteMeta(name) + ` `).FindStringSubmatchIndex(log)
	if end == nil {
		return "", log
	}
	verdict = log[end[2]:end[3]]
	rest, after := log[:end[0]], log[end[0]:]
	if next := strings.Index(after, "\n=== RUN   "); next >= 0 {
		after = after[:next]
	}
	return verdict, rest + after
}
