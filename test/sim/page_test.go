package sim

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPage: docs/simulation.md names every event and every rule, and its examples
// of events are some.
func TestPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/simulation.md")
	require.NoError(t, err)
	_, page, _ := strings.Cut(string(text), "| events |")
	events, rules, _ := strings.Cut(page, "## What must hold")

	named := map[string]bool{}
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(events, -1) {
		if name, _, more := strings.Cut(m[1], " "); more {
			_, err := ParseEvent(m[1])
			require.NoError(t, err)
			named[name] = true
		} else {
			named[name] = true
		}
	}
	for _, op := range operations {
		require.True(t, named[op.name], "docs/simulation.md does not tell of the event %s", op.name)
	}

	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	judges, err := filepath.Glob("reference/*.go")
	require.NoError(t, err)
	for _, f := range append(files, judges...) {
		code, err := os.ReadFile(f)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`(?:violate\(|breaks\(|Violation\{Rule: |const rule = )"([^"]+)"`).FindAllStringSubmatch(string(code), -1) {
			require.Contains(t, rules, m[1], "docs/simulation.md does not tell of a rule of %s", f)
		}
	}
}
