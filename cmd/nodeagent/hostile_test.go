//go:build linux

package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/nodeagent"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/test/texttest"
)

// TestTerminalIsSafe: a plan and a kernel file may hold any text, and the report repeats it.
func TestTerminalIsSafe(t *testing.T) {
	report := nodeagent.Report{Outcomes: make([]cgroup.Outcome, 40)}
	require.Greater(t, texttest.Plant(&report), len(texttest.Corpus()), "every text of the corpus is in some field")
	var out bytes.Buffer
	printReport(text.Writer{Out: &out}, report)
	texttest.Lines(t, out.String(), 64<<10)
}

// TestLogIsSafe: one record stays one line.
func TestLogIsSafe(t *testing.T) {
	for _, format := range []string{"text", "json"} {
		for _, s := range texttest.Corpus() {
			var out bytes.Buffer
			log, err := newLog(&out, format)
			require.NoError(t, err)
			log.Warn(s, "text", s, "error", errors.New(s))
			require.Equal(t, 1, strings.Count(out.String(), "\n"))
			texttest.Lines(t, out.String(), 64*len(s)+1000)
		}
	}
}
