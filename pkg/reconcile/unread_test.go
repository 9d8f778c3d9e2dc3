package reconcile

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/test/gittest"
)

// counting counts the sets that it is told to carry out.
type counting struct {
	enteredRuntime
	sets *int
}

func (c counting) Act(ctx context.Context, list []runtime.Assignment) runtime.Report {
	*c.sets += len(list)
	return c.enteredRuntime.Act(ctx, list)
}

// TestASourceThatCannotBeReadIsSeen: main is deleted. No pass counts as a good one, and
// after five minutes the probe for readiness, the first page and one announcement say
// since when and why. It is saved once. When main is back, all of it ends.
func TestASourceThatCannotBeReadIsSeen(t *testing.T) {
	k, ledger := newKeeper(t), gittest.NewBare(t)
	begin := time.Date(2026, 5, 4, 3, 0, 0, 0, time.UTC)
	now := begin
	sets := 0
	clock := func() time.Time { return now }
	runtime := func(o *Options) { o.Runtime = counting{enteredRuntime{&entries{}}, &sets} }
	l := newTeller(t, k.Dir, ledger.Dir, clock, runtime)
	for range 3 {
		l.pass(t)
	}
	require.NoError(t, l.loop.Ready())
	good := l.metric(t, "daros_last_good_pass_timestamp_seconds")
	require.EqualValues(t, begin.Unix(), l.metric(t, "daros_source_last_read_timestamp_seconds"))

	tip := k.Git("rev-parse", "main")
	k.Git("checkout", "-q", "--detach")
	k.Git("branch", "-D", "main")
	saves := ledger.Git("rev-list", "--count", "status")
	for range 10 {
		now = now.Add(30 * time.Second)
		r, err := l.loop.Pass(t.Context())
		require.NoError(t, err)
		require.Error(t, r.SourceErr)
		require.NoError(t, l.loop.Ready())
	}
	require.Equal(t, saves, ledger.Git("rev-list", "--count", "status"))
	for range 5 {
		now = now.Add(30 * time.Second)
		_, err := l.loop.Pass(t.Context())
		require.NoError(t, err)
		require.ErrorContains(t, l.loop.Ready(), "the fleet repo cannot be read since 2026-05-04T03:00:00Z: ")
		require.ErrorContains(t, l.loop.Ready(), "main")
	}
	require.Equal(t, good, l.metric(t, "daros_last_good_pass_timestamp_seconds"))
	require.EqualValues(t, begin.Unix(), l.metric(t, "daros_source_last_read_timestamp_seconds"))
	require.Contains(t, ledger.Git("show", "status:README.md"), "cannot be read since 2026-05-04")
	require.Equal(t, 1, strings.Count(l.log.String(), "msg=source kind=source to=lost"))

	t.Log("a start without Git carries out what the ledger says, and says the same")
	sets = 0
	again := newTeller(t, k.Dir, ledger.Dir, clock, runtime)
	for range 2 {
		_, err := again.loop.Pass(t.Context())
		require.ErrorContains(t, err, "main")
		require.Error(t, again.loop.Ready())
	}
	require.Equal(t, 2, sets, "the tenant and the application, once")
	require.Contains(t, ledger.Git("show", "status:README.md"), "cannot be read since 2026-05-04")
	before := ledger.Git("rev-list", "--count", "status")

	k.Git("branch", "main", tip)
	again.pass(t)
	require.NoError(t, again.loop.Ready())
	require.NotContains(t, ledger.Git("show", "status:README.md"), "cannot be read since")
	require.Equal(t, 1, strings.Count(again.log.String(), "msg=source kind=source from=lost to=back"))
	require.NotEqual(t, before, ledger.Git("rev-list", "--count", "status"))
	require.Greater(t, again.metric(t, "daros_last_good_pass_timestamp_seconds"), good)
}

// TestAMovedBranchIsTold: main is moved back where no signatures are needed.
func TestAMovedBranchIsTold(t *testing.T) {
	k, ledger := newKeeper(t), gittest.NewBare(t)
	k.platform("")
	k.by("root")
	k.app("2")
	first := k.by("bob")
	k.app("3")
	second := k.by("bob")
	l := newTeller(t, k.Dir, ledger.Dir, time.Now)
	l.pass(t)
	k.Git("reset", "-q", "--hard", first)
	l.pass(t)
	l.pass(t)
	require.Equal(t, 1, strings.Count(l.log.String(), "msg=source kind=moved-back from="+second+" to="+first))
	require.Contains(t, ledger.Git("show", "status:README.md"), "was moved back or rewritten")
	k.app("4")
	k.by("bob")
	l.pass(t)
	require.NotContains(t, ledger.Git("show", "status:README.md"), "was moved back or rewritten")
}
