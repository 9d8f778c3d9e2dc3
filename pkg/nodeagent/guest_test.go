//go:build linux

package nodeagent

import (
	"testing"

	"github.com/d-aros/d-aros/test/guest"
)

// What needs memory in cgroup v2, on a small machine.
func TestInGuest(t *testing.T) {
	guest.Tests(t, "TestMemoryIsTakenBack", "TestMemoryStaysShort", "TestMemoryIsTakenByOthers")
}
