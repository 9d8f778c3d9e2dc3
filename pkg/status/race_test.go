package status_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
)

// declare returns l with one application more.
func declare(l model.Ledger, id model.AppID) model.Ledger {
	in := model.Instance{App: id, Number: 1, Phase: model.PhaseCreated, Reason: model.ReasonDeclared, Since: noon,
		History: []model.Transition{{At: noon, Instance: 1, To: model.PhaseCreated, Reason: model.ReasonDeclared}}}
	at := 0
	for at < len(l.Instances) && l.Instances[at].App.Compare(id) < 0 {
		at++
	}
	l.Instances = append(append(append([]model.Instance{}, l.Instances[:at]...), in), l.Instances[at:]...)
	return l
}

// save is what a reconciler does: load, compute, save, and again after a lost race.
func save(b *status.Branch, t testing.TB, next func(model.Ledger) model.Ledger) error {
	for {
		l, err := b.Load(t.Context())
		if err != nil {
			return err
		}
		_, _, err = b.Commit(t.Context(), l, next(l))
		if !errors.Is(err, status.ErrMoved) {
			return err
		}
	}
}

func TestAttack21StatusPushRace(t *testing.T) {
	app := func(writer, n int) model.AppID {
		return model.AppID{Tenant: fmt.Sprintf("t%d", writer), Name: fmt.Sprintf("a%d", n)}
	}
	t.Run("staggered", func(t *testing.T) {
		remote := gittest.NewBare(t)
		one, two := open(t, remote.Dir), open(t, remote.Dir)
		l1, err := one.Load(t.Context())
		require.NoError(t, err)
		l2, err := two.Load(t.Context())
		require.NoError(t, err)
		_, _, err = one.Commit(t.Context(), l1, declare(l1, app(1, 1)))
		require.NoError(t, err)
		_, _, err = two.Commit(t.Context(), l2, declare(l2, app(2, 1)))
		require.ErrorIs(t, err, status.ErrMoved)
		_, _, err = two.Commit(t.Context(), l2, declare(l2, app(2, 1)))
		require.ErrorIs(t, err, status.ErrMoved, "still, until it loads")
		require.NoError(t, save(two, t, func(l model.Ledger) model.Ledger { return declare(l, app(2, 1)) }))
		l, err := open(t, remote.Dir).Load(t.Context())
		require.NoError(t, err)
		require.Len(t, l.Instances, 2)
		_, _, err = one.Commit(t.Context(), l1, declare(l1, app(1, 2)))
		require.ErrorIs(t, err, status.ErrMoved, "computed from an old ledger")
	})
	t.Run("simultaneous", func(t *testing.T) {
		remote := gittest.NewBare(t)
		const writers, each = 3, 5
		var all sync.WaitGroup
		errs := make([]error, writers)
		for w := range writers {
			b := open(t, remote.Dir)
			all.Go(func() {
				for n := range each {
					if errs[w] = save(b, t, func(l model.Ledger) model.Ledger { return declare(l, app(w, n)) }); errs[w] != nil {
						return
					}
				}
			})
		}
		all.Wait()
		require.NoError(t, errors.Join(errs...))
		l, err := open(t, remote.Dir).Load(t.Context())
		require.NoError(t, err)
		require.Len(t, l.Instances, writers*each, "no decision is lost")
		require.Equal(t, fmt.Sprint(writers*each), remote.Git("rev-list", "--count", "status"), "one commit each, no force, no merge")
		remote.Git("fsck", "--strict", "--no-dangling")
	})
	t.Run("a user pushes onto the branch", func(t *testing.T) {
		remote := gittest.NewBare(t)
		b := open(t, remote.Dir)
		require.NoError(t, save(b, t, func(l model.Ledger) model.Ledger { return declare(l, app(1, 1)) }))
		clean := remote.Git("rev-parse", "status^{tree}")

		user := gittest.New(t)
		user.Git("fetch", "-q", remote.Dir, "status")
		user.Git("checkout", "-q", "FETCH_HEAD")
		user.Write("README.md", "mine\n")
		user.Write("NOTES.txt", "mine\n")
		user.Commit("mine")
		user.Git("push", "-q", remote.Dir, "HEAD:status")

		l, err := b.Load(t.Context())
		require.NoError(t, err)
		_, changed, err := b.Commit(t.Context(), l, l)
		require.NoError(t, err)
		require.True(t, changed, "the page is ours again")
		require.NotEqual(t, "mine", remote.Git("show", "status:README.md"))
		require.Equal(t, "mine", remote.Git("show", "status:NOTES.txt"), "what is not ours stays")
		require.Equal(t, remote.Git("rev-parse", clean+":tenants"), remote.Git("rev-parse", "status:tenants"))
		require.Equal(t, "3", remote.Git("rev-list", "--count", "status"))
	})
	t.Run("the branch is deleted while we run", func(t *testing.T) {
		remote := gittest.NewBare(t)
		b := open(t, remote.Dir)
		require.NoError(t, save(b, t, func(l model.Ledger) model.Ledger { return declare(l, app(1, 1)) }))
		before := remote.Git("rev-parse", "status^{tree}")
		l, err := b.Load(t.Context())
		require.NoError(t, err)
		remote.Git("update-ref", "-d", "refs/heads/status")

		_, _, err = b.Commit(t.Context(), l, declare(l, app(1, 2)))
		require.ErrorIs(t, err, status.ErrMoved)
		again, err := b.Load(t.Context())
		require.NoError(t, err)
		require.Equal(t, l, again, "nothing is forgotten")
		_, changed, err := b.Commit(t.Context(), again, again)
		require.NoError(t, err)
		require.True(t, changed)
		require.Equal(t, before, remote.Git("rev-parse", "status^{tree}"))
	})
	t.Run("protected branch", func(t *testing.T) {
		remote := gittest.NewBare(t)
		hook(t, remote, "pre-receive", "echo 'GL-HOOK-ERR: protected branch' >&2; exit 1")
		b := open(t, remote.Dir)
		l, err := b.Load(t.Context())
		require.NoError(t, err)
		_, _, err = b.Commit(t.Context(), l, declare(l, app(1, 1)))
		require.ErrorContains(t, err, "hook declined")
		require.NotErrorIs(t, err, status.ErrMoved)
	})
	t.Run("the answer is lost", func(t *testing.T) {
		remote := gittest.NewBare(t)
		// After the ref has moved and before git reports it.
		hook(t, remote, "reference-transaction", `if [ "$1" = committed ]; then kill -9 $PPID; fi`)
		b := open(t, remote.Dir)
		require.NoError(t, save(b, t, func(l model.Ledger) model.Ledger { return declare(l, app(1, 1)) }))
		l, err := b.Load(t.Context())
		require.NoError(t, err)
		require.Len(t, l.Instances, 1)
		require.Equal(t, "1", remote.Git("rev-list", "--count", "status"))
	})
	t.Run("the remote is gone for a while, and took the push with it", func(t *testing.T) {
		remote := gittest.NewBare(t)
		// The repository disappears in the moment in which the push is done.
		hook(t, remote, "reference-transaction", `if [ "$1" = committed ]; then mv "$PWD" "$PWD.away"; kill -9 $PPID; fi`)
		b := open(t, remote.Dir)
		l, err := b.Load(t.Context())
		require.NoError(t, err)
		next := declare(l, app(1, 1))
		_, _, err = b.Commit(t.Context(), l, next)
		require.Error(t, err)
		require.NotErrorIs(t, err, status.ErrMoved)
		_, _, err = b.Commit(t.Context(), l, next)
		require.Error(t, err, "still away")
		_, err = b.Load(t.Context())
		require.Error(t, err)

		require.NoError(t, os.Rename(remote.Dir+".away", remote.Dir))
		require.NoError(t, os.Remove(filepath.Join(remote.Dir, "hooks", "reference-transaction")))
		saved, err := b.Load(t.Context())
		require.NoError(t, err)
		require.Len(t, saved.Instances, 1, "the push that nobody answered is recognised")
		_, changed, err := b.Commit(t.Context(), saved, next)
		require.NoError(t, err)
		require.False(t, changed)
	})
}

func TestAttack22FeedbackLoop(t *testing.T) {
	remote := gittest.NewBare(t)
	b := open(t, remote.Dir)
	next := example(model.PhaseRunning)
	require.NoError(t, save(b, t, func(model.Ledger) model.Ledger { return next }))
	for i := range 5 {
		// A new look at the same state: newer inputs of the same decision,
		// another time zone, other memory.
		same := example(model.PhaseRunning)
		same.Decisions[0].Inputs.Capacity = model.Digest(fmt.Sprint(i))
		same.Instances[0].Since = noon.In(time.FixedZone("east", 3600*i))
		require.NoError(t, save(b, t, func(model.Ledger) model.Ledger { return same }))
	}
	require.Equal(t, "1", remote.Git("rev-list", "--count", "status"))
}

// TestAttack26StaleWorkDirs: a pass keeps nothing on disk that a killed process
// could leave behind.
func TestAttack26StaleWorkDirs(t *testing.T) {
	remote := gittest.NewBare(t)
	dir := t.TempDir()
	b, err := status.Open(t.Context(), status.Options{URL: remote.Dir, Dir: dir})
	require.NoError(t, err)
	require.NoError(t, save(b, t, func(model.Ledger) model.Ledger { return example(model.PhaseRunning) }))
	b2, err := status.Open(t.Context(), status.Options{URL: remote.Dir, Dir: dir})
	require.NoError(t, err)
	_, err = b2.Load(t.Context())
	require.NoError(t, err)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

// hook installs a hook in a repository.
func hook(t *testing.T, repo *gittest.Repo, name, script string) {
	t.Helper()
	path := filepath.Join(repo.Dir, "hooks", name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+strings.TrimSpace(script)+"\n"), 0o755))
}
