package main

import (
	"os"
	"strings"
	"testing"
)

// TestMain makes the test binary the devcluster binary: started with a verb, it does what that does.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		os.Args = os.Args[1:]
		os.Exit(run(os.Args[0], os.Args[1:]))
	}
	os.Exit(m.Run())
}
