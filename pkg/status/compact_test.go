package status_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
)

// story writes a branch with one commit per hour from noon on: the application
// fails and recovers in turn.
func story(t testing.TB, hours int) (*gittest.Repo, *status.Branch) {
	remote := gittest.NewBare(t)
	b := open(t, remote.Dir)
	_, err := b.Load(t.Context())
	require.NoError(t, err)
	next := example(model.PhaseRunning)
	var steps []status.Step
	for hour := range hours {
		at := noon.Add(time.Duration(hour) * time.Hour)
		if hour > 0 {
			next = move(next, []model.Phase{model.PhaseRunning, model.PhaseDegraded}[hour%2], at)
		}
		steps = append(steps, status.Step{At: at, Next: next})
	}
	require.NoError(t, b.Write(t.Context(), steps))
	return remote, b
}

func TestCompact(t *testing.T) {
	remote, running := story(t, 10)
	before, err := running.Load(t.Context())
	require.NoError(t, err)
	tree, messages := remote.Git("rev-parse", "status^{tree}"), remote.Git("log", "-3", "--format=%B %cI", "status")
	base := remote.Git("rev-parse", "status~3")

	keep := status.CompactOptions{Since: noon.Add(7 * time.Hour), DryRun: true}
	would, err := open(t, remote.Dir).Compact(t.Context(), keep)
	require.NoError(t, err)
	require.Equal(t, "10", remote.Git("rev-list", "--count", "status"), "a dry run changes nothing")
	keep.DryRun = false
	c, err := open(t, remote.Dir).Compact(t.Context(), keep)
	require.NoError(t, err)
	require.Equal(t, would, c)
	require.Equal(t, []int{7, 3}, []int{c.Folded, c.Kept})
	require.Equal(t, noon.Add(6*time.Hour), c.Time)

	remote.Git("fsck", "--strict")
	require.Equal(t, c.After, remote.Git("rev-parse", "status"))
	require.Equal(t, c.Checkpoint, remote.Git("rev-list", "--max-parents=0", "status"))
	require.Equal(t, "checkpoint: 7 commits\n\nWhat the branch said at commit "+base+".\n\n"+
		"Source-Commit: 1111111111111111111111111111111111111111\nCheckpoint-Of: "+base, remote.Git("log", "-1", "--format=%B", c.Checkpoint))
	require.Equal(t, tree, remote.Git("rev-parse", "status^{tree}"), "the branch says the same")
	require.Equal(t, messages, remote.Git("log", "-3", "--format=%B %cI", "status"))
	require.Equal(t, "4", remote.Git("rev-list", "--count", "status"))

	// Whoever runs on finds out at the next save, reads again and goes on.
	next := move(before, model.PhaseDegraded, noon.Add(20*time.Hour))
	_, _, err = running.Commit(t.Context(), before, next)
	require.ErrorIs(t, err, status.ErrMoved)
	again, err := running.Load(t.Context())
	require.NoError(t, err)
	require.Equal(t, before, again)
	_, changed, err := running.Commit(t.Context(), again, next)
	require.NoError(t, err)
	require.True(t, changed)

	// The checkpoint tells what the records still knew then.
	entries, err := running.History(t.Context(), "", shop(), 100)
	require.NoError(t, err)
	require.Len(t, entries, 5)
	require.Equal(t, c.Checkpoint, entries[4].Commit)
	require.Len(t, entries[4].Changes, 7)

	same, err := running.Compact(t.Context(), keep)
	require.NoError(t, err)
	require.Zero(t, same.Folded, "there is nothing left to fold")
	require.Equal(t, same.Before, same.After)
}

// TestCompactNothing: a branch that is young, or not there, stays as it is.
func TestCompactNothing(t *testing.T) {
	remote, b := story(t, 3)
	tip := remote.Git("rev-parse", "status")
	c, err := b.Compact(t.Context(), status.CompactOptions{Since: noon})
	require.NoError(t, err)
	require.Equal(t, status.Compaction{Kept: 3, Before: tip, After: tip}, c)
	require.Equal(t, tip, remote.Git("rev-parse", "status"))

	c, err = open(t, gittest.NewBare(t).Dir).Compact(t.Context(), status.CompactOptions{Since: noon})
	require.NoError(t, err)
	require.Zero(t, c.Kept+c.Folded)
}

// TestCompactRefused: a server that does not allow it is told to, and the
// branch stays where it is.
func TestCompactRefused(t *testing.T) {
	remote, b := story(t, 5)
	remote.Git("config", "receive.denyNonFastForwards", "true")
	tip := remote.Git("rev-parse", "status")
	_, err := b.Compact(t.Context(), status.CompactOptions{Since: noon.Add(3 * time.Hour)})
	require.ErrorContains(t, err, "must allow this credential to rewrite the branch status")
	require.Equal(t, tip, remote.Git("rev-parse", "status"))
}

// TestCompactWhileOthersWrite: whoever comes second starts again, and nothing
// that was saved is lost.
func TestCompactWhileOthersWrite(t *testing.T) {
	remote, b := story(t, 5)
	const saves = 8
	done := make(chan error, 1)
	go func() {
		done <- func() error {
			for i := 0; i < saves; {
				l, err := b.Load(t.Context())
				if err != nil {
					return err
				}
				switch _, _, err = b.Commit(t.Context(), l, move(l, model.PhaseDegraded, noon.Add(time.Duration(100+i)*time.Hour))); {
				case err == nil:
					i++
				case !errors.Is(err, status.ErrMoved):
					return err
				}
			}
			return nil
		}()
	}()
	compactor := open(t, remote.Dir)
	folded := 0
	for since := noon.Add(2 * time.Hour); since.Before(noon.Add(5 * time.Hour)); since = since.Add(time.Hour) {
		c, err := compactor.Compact(t.Context(), status.CompactOptions{Since: since})
		if err != nil {
			require.ErrorContains(t, err, "others write to it all the time")
			continue
		}
		folded += c.Folded
	}
	require.NoError(t, <-done)
	remote.Git("fsck", "--strict")
	l, err := open(t, remote.Dir).Load(t.Context())
	require.NoError(t, err)
	require.Len(t, l.Instances[0].History, 5+saves)
}

// BenchmarkGrowth writes many transitions of a fleet of a hundred applications
// and reports what they cost in the repository.
func BenchmarkGrowth(b *testing.B) {
	const transitions = 10_000
	for b.Loop() {
		remote := gittest.NewBare(b)
		branch, err := status.Open(b.Context(), status.Options{URL: remote.Dir, Dir: b.TempDir(), Limits: git.Limits{Timeout: time.Hour}})
		require.NoError(b, err)
		_, err = branch.Load(b.Context())
		require.NoError(b, err)
		next := large(100)
		steps := []status.Step{{At: noon, Next: next}}
		for i := range transitions {
			at := noon.Add(time.Duration(i+1) * time.Minute)
			instances := append([]model.Instance{}, next.Instances...)
			k := i * 37 % 100
			instances[k] = move(model.Ledger{Instances: instances[k : k+1]}, []model.Phase{model.PhaseDegraded, model.PhaseRunning}[i/100%2], at).Instances[0]
			if h := instances[k].History; len(h) > model.HistoryLimit {
				instances[k].History = h[len(h)-model.HistoryLimit:]
			}
			next.Instances = instances
			if steps = append(steps, status.Step{At: at, Next: next}); len(steps) >= 500 || i+1 == transitions {
				require.NoError(b, branch.Write(b.Context(), steps))
				steps = nil
			}
		}
		report := func(what string) {
			remote.Git("gc", "-q", "--prune=now")
			for line := range strings.Lines(remote.Git("count-objects", "-v")) {
				var kilobytes float64
				if n, _ := fmt.Sscanf(line, "size-pack: %f", &kilobytes); n == 1 {
					b.ReportMetric(kilobytes/1024, what)
				}
			}
		}
		report("MB")
		_, err = branch.Compact(b.Context(), status.CompactOptions{Since: noon.Add(9 * transitions / 10 * time.Minute)})
		require.NoError(b, err)
		report("MB-compacted")
	}
}
