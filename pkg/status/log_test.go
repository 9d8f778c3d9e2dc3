package status_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
)

// TestLogPages: the commits of the branch come by pages, latest first, each with what it
// was the first to record, however they are divided.
func TestLogPages(t *testing.T) {
	remote, _ := story(t, 6)
	b := open(t, remote.Dir)
	whole, next, err := b.Log(t.Context(), "", 100)
	require.NoError(t, err)
	require.Empty(t, next)
	require.Len(t, whole, 6)
	for i, e := range whole {
		require.Equal(t, remote.Git("rev-parse", "status~"+string(rune('0'+i))), e.Commit)
		require.NotEmpty(t, e.Changes)
	}
	require.Equal(t, "acme/shop: Degraded", whole[0].Subject)
	require.Equal(t, example("").Commit, whole[0].SourceCommit)

	// Together the pages have the events, as often as these.
	events, err := b.Events(t.Context(), status.EventFilter{})
	require.NoError(t, err)
	told := 0
	for _, e := range whole {
		told += len(e.Changes)
	}
	require.Len(t, events, told)

	for size := 1; size <= 7; size++ {
		var paged []status.Entry
		for next := ""; ; {
			var page []status.Entry
			page, next, err = b.Log(t.Context(), next, size)
			require.NoError(t, err)
			require.LessOrEqual(t, len(page), size)
			if paged = append(paged, page...); next == "" {
				break
			}
			require.Equal(t, page[len(page)-1].Commit, next)
		}
		require.Equal(t, whole, paged)
	}
}

// TestAt: any moment of the branch is what a branch that ends there says, also after
// compaction, and only commits of the branch are moments of it.
func TestAt(t *testing.T) {
	remote, _ := story(t, 12)
	b := open(t, remote.Dir)
	commits, _, err := b.Log(t.Context(), "", 100)
	require.NoError(t, err)
	check := func(b *status.Branch, commits []status.Entry) {
		for _, i := range []int{0, 5, 11, 3, 4, 5, 10, 9, 8, 7, 6, 2, 1, 0, 11} {
			if i >= len(commits) {
				continue
			}
			remote.Git("update-ref", "refs/heads/then", commits[i].Commit)
			then, err := status.Open(t.Context(), status.Options{URL: remote.Dir, Branch: "then", Dir: t.TempDir()})
			require.NoError(t, err)
			want, err := then.Load(t.Context())
			require.NoError(t, err)
			got, err := b.At(t.Context(), commits[i].Commit)
			require.NoError(t, err)
			require.Equal(t, want, got, i)
		}
	}
	check(b, commits)

	unknown := (*status.CommitError)(nil)
	stray := remote.Git("commit-tree", "-m", "stray", commits[3].Commit+"^{tree}")
	for _, commit := range []string{"", "status", commits[0].Commit[:12], stray, "1111111111111111111111111111111111111111"} {
		_, err := b.At(t.Context(), commit)
		require.ErrorAs(t, err, &unknown, commit)
		if commit != "" {
			_, _, err = b.Log(t.Context(), commit, 10)
			require.ErrorAs(t, err, &unknown, commit)
		}
	}

	other := open(t, remote.Dir)
	_, err = other.Compact(t.Context(), status.CompactOptions{Since: noon.Add(5 * time.Hour)})
	require.NoError(t, err)
	after, _, err := b.Log(t.Context(), "", 100)
	require.NoError(t, err)
	require.Less(t, len(after), len(commits))
	check(b, after)
	_, err = b.At(t.Context(), commits[11].Commit)
	require.ErrorAs(t, err, &unknown, "it was folded")
}

// TestMomentsAreBounded: eight moments are held, those that were asked for last, and a
// moment may not have more bytes than a load.
func TestMomentsAreBounded(t *testing.T) {
	remote, _ := story(t, 12)
	b := open(t, remote.Dir)
	commits, _, err := b.Log(t.Context(), "", 100)
	require.NoError(t, err)
	at := func(i int) *model.Instance {
		l, err := b.At(t.Context(), commits[i].Commit)
		require.NoError(t, err)
		return &l.Instances[0]
	}
	first, second := at(0), at(1)
	for i := 2; i < 8; i++ {
		at(i)
	}
	require.Same(t, first, at(0))
	at(8)
	require.Same(t, first, at(0), "it was used after the second one")
	require.NotSame(t, second, at(1), "it made place")

	writer := open(t, remote.Dir)
	for _, l := range []model.Ledger{large(100), example(model.PhaseRunning)} {
		require.NoError(t, save(writer, t, func(model.Ledger) model.Ledger { return l }))
	}
	small, err := status.Open(t.Context(), status.Options{URL: remote.Dir, Dir: t.TempDir(), Memory: 100_000})
	require.NoError(t, err)
	t.Cleanup(func() { _ = small.Close() })
	_, err = small.Load(t.Context())
	require.NoError(t, err)
	commits, _, err = small.Log(t.Context(), "", 100)
	require.NoError(t, err)
	_, err = small.At(t.Context(), commits[1].Commit)
	require.ErrorAs(t, err, new(*git.TooMuchError))
	_, err = small.At(t.Context(), commits[2].Commit)
	require.NoError(t, err)
}

// gate is a server of a repository that does not answer while it is shut.
type gate struct {
	*httptest.Server
	mu      sync.Mutex
	open    chan struct{} // nil: it is open
	waiting atomic.Int64
}

func newGate(t *testing.T, repo *gittest.Repo) *gate {
	g, serve := &gate{}, repo.Handler("")
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		open := g.open
		g.mu.Unlock()
		if open != nil {
			g.waiting.Add(1)
			<-open
		}
		serve.ServeHTTP(w, r)
	}))
	t.Cleanup(g.Close)
	return g
}

// shut lets all who come from now on wait until the gate is opened.
func (g *gate) shut() (reopen func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open = make(chan struct{})
	return sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		close(g.open)
		g.open = nil
	})
}

// TestNobodyWaitsForAnothersFetch: while the history is fetched from a remote that hangs,
// everything that was read can be read again.
func TestNobodyWaitsForAnothersFetch(t *testing.T) {
	remote, writer := story(t, 6)
	g := newGate(t, remote)
	b, err := status.Open(t.Context(), status.Options{URL: g.URL + "/repo", Dir: t.TempDir(), Recheck: time.Hour, Limits: git.Limits{Timeout: time.Minute}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = b.Close() })
	before, err := b.Load(t.Context())
	require.NoError(t, err)
	commits, _, err := b.Log(t.Context(), "", 100)
	require.NoError(t, err)
	past, err := b.At(t.Context(), commits[3].Commit)
	require.NoError(t, err)
	require.NoError(t, save(writer, t, func(l model.Ledger) model.Ledger { return move(l, model.PhaseRunning, noon.Add(20*time.Hour)) }))

	reopen := g.shut()
	t.Cleanup(reopen)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 2)
	for range 2 { // the second one waits for the first, which asks
		go func() {
			_, err := b.Saves(ctx, 0)
			ended <- err
		}()
	}
	require.Eventually(t, func() bool { return g.waiting.Load() > 0 }, time.Minute, time.Millisecond)

	require.Equal(t, commits[0].Commit, b.Tip())
	l, err := b.Load(t.Context())
	require.NoError(t, err)
	require.Equal(t, before, l)
	again, err := b.At(t.Context(), commits[3].Commit)
	require.NoError(t, err)
	require.Equal(t, past, again)
	_, err = b.At(t.Context(), commits[4].Commit)
	require.NoError(t, err, "it was not read before")
	page, _, err := b.Log(t.Context(), commits[1].Commit, 2)
	require.NoError(t, err)
	require.Equal(t, commits[2:4], page)
	entries, err := b.History(t.Context(), "", shop(), 10)
	require.NoError(t, err)
	require.Len(t, entries, 6)
	_, err = b.Events(t.Context(), status.EventFilter{})
	require.NoError(t, err)
	require.NotEmpty(t, b.Doubt(access.Keys{}, commits[2].Commit))
	require.False(t, b.FromMemory())
	b.FilesUsed()
	require.Empty(t, ended, "the fetch hangs")

	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	require.ErrorIs(t, <-ended, context.Canceled)
}
