package reconcile

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/evaluators"
	"github.com/d-aros/d-aros/test/gittest"
)

// teller is a loop over a fleet repo, with a status branch of its own eyes and what it
// has told.
type teller struct {
	loop     *Loop
	log      bytes.Buffer
	registry *prometheus.Registry
}

func newTeller(t *testing.T, repo, ledger string, now func() time.Time, options ...func(*Options)) *teller {
	tell := &teller{registry: prometheus.NewRegistry()}
	src, err := source.Open(t.Context(), source.Options{URL: repo, Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { _ = src.Close() })
	branch, err := status.Open(t.Context(), status.Options{URL: ledger, Dir: t.TempDir(), Now: now})
	require.NoError(t, err)
	t.Cleanup(func() { _ = branch.Close() })
	evaluator := evaluators.New(t)
	o := Options{
		Edges: Edges{Source: src, Status: branch, Runtime: enteredRuntime{&entries{}}, Evaluator: evaluator, Commands: NewApprovals(evaluator)},
		Fleet: "test", Interval: 15 * time.Second, Now: now, Metrics: NewMetrics(tell.registry, false), Log: slog.New(slog.NewTextHandler(&tell.log, nil)),
		Recognition: Recognition{Signed: true}, // as far as these tests go
	}
	for _, set := range options {
		set(&o)
	}
	tell.loop = New(o)
	return tell
}

// pass makes a pass, and a further one if another loop was first.
func (l *teller) pass(t *testing.T) {
	t.Helper()
	_, err := l.loop.Pass(t.Context())
	if errors.Is(err, status.ErrMoved) {
		_, err = l.loop.Pass(t.Context())
	}
	require.NoError(t, err)
}

// lines are the lines of the log about transitions.
func (l *teller) lines() (list []string) {
	for line := range strings.Lines(l.log.String()) {
		if strings.Contains(line, "msg=transition") {
			list = append(list, line)
		}
	}
	return list
}

// transitions is the sum of daros_transitions_total.
func (l *teller) metric(t *testing.T, name string) (sum float64) {
	families, err := l.registry.Gather()
	require.NoError(t, err)
	for _, f := range families {
		if f.GetName() == name {
			for _, m := range f.GetMetric() {
				sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	return sum
}

// recorded are the transitions that the branch holds.
func recorded(t *testing.T, ledger string) (n int) {
	branch, err := status.Open(t.Context(), status.Options{URL: ledger, Dir: t.TempDir()})
	require.NoError(t, err)
	defer branch.Close()
	l, err := branch.Load(t.Context())
	require.NoError(t, err)
	for i := range l.Instances {
		for j := range l.Instances[i].History {
			if !l.Instances[i].History[j].OfAdmission() {
				n++
			}
		}
	}
	return n
}

// TestARefusedPushIsToldNowhere: the server refuses the push for 45 seconds. Nothing of
// what was decided is told, and once it is saved, each transition is told once.
func TestARefusedPushIsToldNowhere(t *testing.T) {
	k, ledger := newKeeper(t), gittest.NewBare(t)
	now := time.Now()
	l := newTeller(t, k.Dir, ledger.Dir, func() time.Time { return now })
	hook := filepath.Join(ledger.Dir, "hooks", "pre-receive")
	require.NoError(t, os.MkdirAll(filepath.Dir(hook), 0o755))
	require.NoError(t, os.WriteFile(hook, []byte("#!/bin/sh\nexit 1\n"), 0o755))
	for range 9 {
		r, err := l.loop.Pass(t.Context())
		require.ErrorContains(t, err, "save")
		require.Empty(t, r.Changes)
		now = now.Add(5 * time.Second)
	}
	require.Empty(t, l.lines())
	require.Zero(t, l.metric(t, "daros_transitions_total"))
	require.Zero(t, l.metric(t, "daros_decisions_total"))
	require.Zero(t, l.metric(t, "daros_applications"))

	require.NoError(t, os.Remove(hook))
	for range 3 {
		l.pass(t)
	}
	n := recorded(t, ledger.Dir)
	require.Positive(t, n)
	require.Len(t, l.lines(), n)
	require.EqualValues(t, n, l.metric(t, "daros_transitions_total"))
	require.EqualValues(t, 1, l.metric(t, "daros_applications"))
}

// TestTwoReconcilersTellOnce: of two that work at once, the one whose push won tells.
func TestTwoReconcilersTellOnce(t *testing.T) {
	k, ledger := newKeeper(t), gittest.NewBare(t)
	now := time.Now()
	clock := func() time.Time { return now }
	a, b := newTeller(t, k.Dir, ledger.Dir, clock), newTeller(t, k.Dir, ledger.Dir, clock)
	for i := range 6 {
		k.app(strings.Repeat("v", i+1))
		k.by("bob")
		for range 2 {
			a.pass(t)
			b.pass(t)
			now = now.Add(10 * time.Second)
		}
		a, b = b, a
	}
	n := recorded(t, ledger.Dir)
	require.Greater(t, n, 5)
	require.Len(t, append(a.lines(), b.lines()...), n)
	require.EqualValues(t, n, a.metric(t, "daros_transitions_total")+b.metric(t, "daros_transitions_total"))
	require.NotEmpty(t, a.lines())
	require.NotEmpty(t, b.lines())
	keys := map[string]bool{}
	for _, line := range append(a.lines(), b.lines()...) {
		_, key, ok := strings.Cut(strings.TrimSpace(line), "key=")
		require.True(t, ok, line)
		require.False(t, keys[key], key)
		keys[key] = true
	}
}

// remembered is an anchor that counts its writes, and fails as often as it is told to.
type remembered struct {
	anchor model.Anchor
	writes int
	fails  int
}

func (a *remembered) Anchor(context.Context) (model.Anchor, bool, error) {
	return a.anchor, a.writes > 0, nil
}

func (a *remembered) SetAnchor(_ context.Context, anchor model.Anchor) error {
	if a.fails > 0 {
		a.fails--
		return errors.New("killed")
	}
	a.anchor, a.writes = anchor, a.writes+1
	return nil
}

func (a *remembered) Inventories(context.Context, int) ([]model.Inventory, int, error) {
	return nil, 0, nil
}

// TestWhatNobodyToldIsTakenOver: a process is gone after its push. Another one waits a
// minute and tells what was saved, under the same keys, and the cluster remembers that.
// Nobody writes the anchor more than once a save.
func TestWhatNobodyToldIsTakenOver(t *testing.T) {
	k, ledger := newKeeper(t), gittest.NewBare(t)
	now := time.Now()
	cluster := &remembered{}
	anchored := func(o *Options) { o.Recognition.Anchor, o.Recognition.Branch = cluster, "status" }
	start := func() *teller {
		return newTeller(t, k.Dir, ledger.Dir, func() time.Time { return now }, anchored)
	}
	a, b := start(), start()
	a.pass(t)
	b.pass(t)
	saves := func() int64 {
		branch, err := status.Open(t.Context(), status.Options{URL: ledger.Dir, Dir: t.TempDir()})
		require.NoError(t, err)
		defer branch.Close()
		l, err := branch.Load(t.Context())
		require.NoError(t, err)
		return l.Identity.Sequence
	}
	require.Equal(t, saves(), cluster.anchor.Announced)
	require.EqualValues(t, saves(), cluster.writes)

	cluster.fails = 1 // the process ends after it has told, before the cluster remembers
	k.app("2")
	k.by("bob")
	_, err := a.loop.Pass(t.Context())
	require.ErrorContains(t, err, "killed")
	lost := a.lines()
	require.Greater(t, len(lost), 1)
	before := len(b.lines())
	for range 3 {
		b.pass(t)
		now = now.Add(25 * time.Second)
	}
	require.Len(t, b.lines(), before, "its maker has a minute")
	b.pass(t)
	key := func(line string) string { _, key, _ := strings.Cut(strings.TrimSpace(line), "key="); return key }
	keys := map[string]bool{}
	for _, line := range b.lines()[before:] {
		keys[key(line)] = true
	}
	require.True(t, keys[key(lost[len(lost)-1])], "%v", keys)
	require.Equal(t, saves(), cluster.anchor.Announced)
	require.LessOrEqual(t, int64(cluster.writes), saves())
	n := len(b.lines())
	now = now.Add(2 * time.Minute)
	b.pass(t)
	require.Len(t, b.lines(), n)

	t.Log("a standby that starts later has nothing to tell")
	c := start()
	for range 3 {
		c.pass(t)
		now = now.Add(time.Minute)
	}
	require.Empty(t, c.lines())
}
