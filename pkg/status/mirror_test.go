package status_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
)

// mirrored is a branch, its mirror and a clock.
type mirrored struct {
	t         *testing.T
	near, far *gittest.Repo
	branch    *status.Branch
	mirror    *status.Mirror
	told      []string
	ledger    model.Ledger
	now       time.Time
}

func newMirrored(t *testing.T) *mirrored {
	m := &mirrored{t: t, near: gittest.NewBare(t), far: gittest.NewBare(t), now: noon}
	m.far.Git("config", "core.logAllRefUpdates", "true")
	m.branch = open(t, m.near.Dir)
	m.mirrorTo(m.far.Dir)
	m.load()
	return m
}

func (m *mirrored) mirrorTo(url string) {
	m.t.Helper()
	var err error
	m.mirror, err = status.OpenMirror(m.branch, status.MirrorOptions{URL: url, Dir: m.t.TempDir(), Notice: func(s string) { m.told = append(m.told, s) }})
	require.NoError(m.t, err)
	m.t.Cleanup(func() { _ = m.mirror.Close() })
}

func (m *mirrored) load() {
	var err error
	m.ledger, err = m.branch.Load(m.t.Context())
	require.NoError(m.t, err)
	if m.ledger.Identity.ID == "" {
		m.ledger.Identity = model.LedgerIdentity{ID: strings.Repeat("0a", 16), Fleet: "example"}
	}
}

// save makes a save that differs from all others.
func (m *mirrored) save() {
	m.t.Helper()
	next := move(example(model.PhaseRunning), model.PhaseDegraded, m.now)
	next.Identity = m.ledger.Identity
	var changed bool
	var err error
	m.ledger, changed, err = m.branch.Commit(m.t.Context(), m.ledger, next)
	require.NoError(m.t, err)
	require.True(m.t, changed)
}

// wait lets seconds pass, with a turn in each.
func (m *mirrored) wait(seconds int) {
	for range seconds {
		m.now = m.now.Add(time.Second)
		m.mirror.Turn(m.t.Context(), m.now)
	}
}

func (m *mirrored) pushes() int {
	b, err := os.ReadFile(filepath.Join(m.far.Dir, "logs/refs/heads/status"))
	if os.IsNotExist(err) {
		return 0
	}
	require.NoError(m.t, err)
	return strings.Count(string(b), "\n")
}

func (m *mirrored) tip(r *gittest.Repo) string { return r.Git("rev-parse", "refs/heads/status") }

// TestMirrorFollowsSlowly: 100 saves in a minute are at most six pushes to the mirror,
// which then has them all.
func TestMirrorFollowsSlowly(t *testing.T) {
	m := newMirrored(t)
	m.wait(5)
	require.Zero(t, m.pushes(), "a branch without a commit has no mirror")
	const saves = 100
	for i := range saves {
		m.now = noon.Add(time.Duration(i) * time.Minute / saves)
		m.save()
		m.mirror.Turn(t.Context(), m.now)
	}
	require.LessOrEqual(t, m.pushes(), 6)
	require.GreaterOrEqual(t, m.pushes(), 5)
	require.LessOrEqual(t, m.mirror.Behind(m.now), 11*time.Second)
	m.wait(11)
	require.Equal(t, m.tip(m.near), m.tip(m.far))
	require.Zero(t, m.mirror.Behind(m.now))
	require.Equal(t, "100", m.far.Git("rev-list", "--count", "refs/heads/status"))
	m.far.Git("fsck", "--strict")
	n := m.pushes()
	m.wait(60)
	require.Equal(t, n, m.pushes(), "nothing new, no push")
	require.Empty(t, m.told)
}

// TestMirrorIsRefused: saves go on, one sentence says why, and later it follows.
func TestMirrorIsRefused(t *testing.T) {
	m := newMirrored(t)
	hook := filepath.Join(m.far.Dir, "hooks", "update")
	require.NoError(t, os.MkdirAll(filepath.Dir(hook), 0o755))
	require.NoError(t, os.WriteFile(hook, []byte("#!/bin/sh\nexit 1\n"), 0o755))
	for range 4 {
		m.save()
		m.wait(15)
	}
	require.Len(t, m.told, 1)
	require.Regexp(t, "^the mirror of the status branch does not follow: push to .*; nothing waits for it$", m.told[0])
	require.GreaterOrEqual(t, m.mirror.Behind(m.now), 55*time.Second)
	require.NoError(t, os.Remove(hook))
	m.wait(90)
	require.Equal(t, m.tip(m.near), m.tip(m.far))
	require.Equal(t, "the mirror of the status branch follows again", m.told[1])
	require.Zero(t, m.mirror.Behind(m.now))
}

// TestMirrorIsNeverSetBack: a mirror that is ahead, because the branch was set back, or
// that holds something else stays as it is. It may be the last copy.
func TestMirrorIsNeverSetBack(t *testing.T) {
	m := newMirrored(t)
	for range 3 {
		m.now = m.now.Add(time.Second)
		m.save()
	}
	m.wait(11)
	ahead := m.tip(m.far)
	require.Equal(t, m.tip(m.near), ahead)
	m.near.Git("update-ref", "refs/heads/status", "refs/heads/status~2")
	m.load()
	m.wait(30)
	require.Equal(t, ahead, m.tip(m.far))
	require.Len(t, m.told, 1)
	require.Contains(t, m.told[0], "it is ahead: "+m.far.Dir)
	require.Contains(t, m.told[0], "holds save 3 of the ledger, and the branch save 1")

	for _, other := range []string{"another ledger", "a branch of people"} {
		t.Run(other, func(t *testing.T) {
			m := newMirrored(t)
			if other == "another ledger" {
				theirs := newMirrored(t)
				theirs.ledger.Identity.ID = strings.Repeat("0b", 16)
				theirs.save()
				m.far.Git("fetch", "-q", theirs.near.Dir, "refs/heads/status:refs/heads/status")
			} else {
				tree := m.far.GitIn("", "mktree")
				m.far.Git("update-ref", "refs/heads/status", m.far.Git("commit-tree", "-m", "mine", tree))
			}
			before := m.tip(m.far)
			m.save()
			m.wait(30)
			require.Equal(t, before, m.tip(m.far))
			require.Len(t, m.told, 1)
			require.Contains(t, m.told[0], "holds something else; delete it there, or name another repository")
			require.Positive(t, m.mirror.Behind(m.now))
		})
	}
	_, err := status.OpenMirror(m.branch, status.MirrorOptions{URL: m.near.Dir, Dir: t.TempDir()})
	require.ErrorContains(t, err, "is where the branch is; name another repository")
}

// TestMirrorOfACompactedBranch takes its history, although the commits are others. So
// does one whose process starts again without its cache.
func TestMirrorOfACompactedBranch(t *testing.T) {
	m := newMirrored(t)
	for range 4 {
		m.now = m.now.Add(time.Second)
		m.save()
	}
	m.wait(11)
	_, err := m.branch.Compact(t.Context(), status.CompactOptions{Since: time.Now().Add(time.Hour)})
	require.NoError(t, err)
	m.mirrorTo(m.far.Dir)
	m.load()
	m.save()
	m.wait(11)
	require.Empty(t, m.told)
	require.Equal(t, m.tip(m.near), m.tip(m.far))
	require.Equal(t, m.near.Git("rev-list", "--count", "refs/heads/status"), m.far.Git("rev-list", "--count", "refs/heads/status"))
}

// TestNothingWaitsForAMirror that never answers.
func TestNothingWaitsForAMirror(t *testing.T) {
	asked, ctx := make(chan struct{}, 10), t.Context()
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer silent.Close()
	m := newMirrored(t)
	m.mirrorTo(silent.URL + "/fleet.git")
	m.save()
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		m.mirror.Turn(ctx, m.now)
	}()
	<-asked
	m.now = m.now.Add(time.Minute)
	m.save() // returns although the mirror is asked
	require.Equal(t, time.Minute, m.mirror.Behind(m.now))
	cancel()
	<-ended
}
