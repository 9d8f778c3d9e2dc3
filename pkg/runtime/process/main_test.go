//go:build linux

package process_test

import (
	"fmt"
	"os"
	"testing"

	host "github.com/d-aros/d-aros/pkg/nodeagent/process"
)

// TestMain lets the program of the tests be a launcher of the agent, too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "launch" {
		fmt.Fprintln(os.Stderr, host.Launch())
		os.Exit(127)
	}
	os.Exit(m.Run())
}
