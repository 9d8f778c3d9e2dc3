// Package tool lets tests depend on programs that are not part of a Go installation.
package tool

import (
	"os"
	"os/exec"
	"testing"
)

// Need skips the test if a program is not installed. In CI, where .ci/run installs what
// the tests need, the test fails instead: nobody would notice that it is skipped.
func Need(t testing.TB, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("this test needs %s, which CI has to install: %v", program, err)
		}
		t.Skipf("this test needs %s: %v", program, err)
	}
}
