package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/test/gittest"
	"github.com/d-aros/d-aros/test/texttest"
)

// TestTerminalIsSafe: whatever text stands on the status branch, in whichever field, the reading commands print lines that
// a terminal can have.
func TestTerminalIsSafe(t *testing.T) {
	now := time.Now()
	ledger := fixture(now)[2] // in the middle of a release
	ledger.Problems = fixture(now)[1].Problems
	planted := texttest.Plant(&ledger, reflect.TypeFor[model.AppID](), reflect.TypeFor[model.Digest](), reflect.TypeFor[model.Phase]())
	require.Greater(t, planted, len(texttest.Corpus()), "every text of the corpus is in some field")
	ledger.Tenants, ledger.Commit, ledger.Identity = fixture(now)[2].Tenants, firstCommit, model.LedgerIdentity{} // the branch takes no others
	ledger.Source = model.SourceState{}
	for i := range ledger.Instances {
		for _, spec := range []*model.Application{ledger.Instances[i].Spec, ledger.Instances[i].Previous} {
			for c := 0; spec != nil && c < len(spec.Components); c++ {
				spec.Components[c].Name = fmt.Sprint("c", c) // the branch takes no other names
			}
		}
	}

	remote := gittest.NewBare(t)
	branch, err := status.Open(t.Context(), status.Options{URL: remote.Dir, Dir: filepath.Join(t.TempDir(), "writer")})
	require.NoError(t, err)
	defer branch.Close()
	empty, err := branch.Load(t.Context())
	require.NoError(t, err)
	_, _, err = branch.Commit(t.Context(), empty, ledger)
	require.NoError(t, err)

	for _, args := range [][]string{{"status", "--all"}, {"status", "acme/shop"}, {"explain", "acme/shop"}, {"explain", "acme/analytics"}, {"events"}, {"history", "acme/shop"}} {
		var out, errOut bytes.Buffer
		code := run(t.Context(), append([]string{args[0], "--repo", remote.Dir}, args[1:]...), &out, &errOut)
		require.Zero(t, code, "%v: %s", args, errOut.String())
		require.Contains(t, out.String(), "head", "%v", args)
		texttest.Lines(t, out.String(), 64<<10)
	}
}

// TestTableIsSafe: every text of the corpus, in a cell, a sentence and a list of names.
func TestTableIsSafe(t *testing.T) {
	for _, s := range texttest.Corpus() {
		for _, width := range []int{0, 40} {
			p := &printer{width: width}
			p.table("", []string{"A", "B"}, [][]cell{{plain("x"), plain(s)}})
			texttest.Lines(t, p.buf.String(), 16<<10)
			require.NotContains(t, p.buf.String(), "\t")
			texttest.Line(t, text.Enumerate([]string{s, s}, 3), 8<<10)
		}
	}
}

// TestErrorsAreSafe: an error may repeat what Git, the cluster or the network says, on several lines.
func TestErrorsAreSafe(t *testing.T) {
	for _, s := range texttest.Corpus() {
		var out bytes.Buffer
		printError(&out, fmt.Errorf("do this: %w", errors.New(s)).Error())
		texttest.Lines(t, out.String(), maxErrorText+100)
	}
}

// TestLogIsSafe: every text of the corpus, in each place that a log has, in both formats. One record stays one line.
func TestLogIsSafe(t *testing.T) {
	for _, format := range []string{"text", "json"} {
		for _, s := range texttest.Corpus() {
			var out bytes.Buffer
			log, err := newLogger(&out, format, "debug")
			require.NoError(t, err)
			log.With("tenant", s).WithGroup("g").Warn(s, "text", s, "error", errors.New(s), "phase", model.Phase(s), "app", model.AppID{Tenant: s, Name: s}, "list", []string{s})
			require.Equal(t, 1, strings.Count(out.String(), "\n"))
			texttest.Lines(t, out.String(), 16*len(s)*8+1000)
		}
	}
}
