package status_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/signkey"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
	"github.com/d-aros/d-aros/test/tool"
)

// key is the key of a reconciler.
type key struct {
	file, public string
	signer       *signkey.Key
}

func newKey(t testing.TB) key {
	t.Helper()
	file := filepath.Join(t.TempDir(), "status-key")
	public, err := signkey.WriteEd25519(file, "reconciler")
	require.NoError(t, err)
	signer, err := signkey.Read(file, signkey.Git)
	require.NoError(t, err)
	return key{file, public, signer}
}

// trusting returns what signs with k and believes the others, too.
func (k key) trusting(t testing.TB, others ...key) *status.Signing {
	t.Helper()
	lines := k.public + "\n"
	for _, o := range others {
		lines += o.public + "\n"
	}
	trust, err := access.ParseKeys(lines)
	require.NoError(t, err)
	return &status.Signing{Key: k.signer, Trust: trust}
}

// signed is a branch with a key, and the clock of its commits.
type signed struct {
	*status.Branch
	t      testing.TB
	now    time.Time
	remote *gittest.Repo
	dir    string
}

func openSigned(t testing.TB, remote *gittest.Repo, s *status.Signing, change ...func(*status.Options)) *signed {
	t.Helper()
	b := &signed{t: t, now: noon, remote: remote}
	o := status.Options{URL: remote.Dir, Dir: t.TempDir(), Signing: s, Now: func() time.Time { return b.now }}
	for _, c := range change {
		c(&o)
	}
	b.dir = o.Dir
	var err error
	b.Branch, err = status.Open(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// in keeps the copy of the branch in a directory.
func in(dir string) func(*status.Options) {
	return func(o *status.Options) { o.Dir, o.Keep = dir, true }
}

func (b *signed) load() model.Ledger {
	b.t.Helper()
	l, err := b.Load(b.t.Context())
	require.NoError(b.t, err)
	return l
}

func (b *signed) commit(before, next model.Ledger) model.Ledger {
	b.t.Helper()
	if next.Identity.ID == "" {
		next.Identity = model.LedgerIdentity{ID: strings.Repeat("ab", 16), Fleet: "fleet"}
	}
	saved, changed, err := b.Commit(b.t.Context(), before, next)
	require.NoError(b.t, err)
	require.True(b.t, changed)
	return saved
}

// begin saves the example as the first save of a signed ledger.
func (b *signed) begin() model.Ledger { return b.commit(b.load(), example(model.PhaseRunning)) }

// TestSignedSave: each save is a commit that git verifies, and that says which save of
// which ledger on which branch it is.
func TestSignedSave(t *testing.T) {
	tool.Need(t, "ssh-keygen")
	remote, k := gittest.NewBare(t), newKey(t)
	b := openSigned(t, remote, k.trusting(t))
	saved := b.begin()
	saved = b.commit(saved, move(saved, model.PhaseDegraded, noon))
	require.EqualValues(t, 2, saved.Identity.Sequence)

	allowed := filepath.Join(t.TempDir(), "allowed")
	require.NoError(t, os.WriteFile(allowed, []byte("reconciler@d-aros.dev "+k.public+"\n"), 0o600))
	for _, commit := range []string{"status", "status~1"} {
		remote.Git("-c", "gpg.ssh.allowedSignersFile="+allowed, "verify-commit", commit)
	}
	message := remote.Git("log", "-1", "--format=%B", "status")
	require.Contains(t, message, "\nLedger: "+saved.Identity.ID+"/status\nSequence: 2")

	again := openSigned(t, remote, k.trusting(t)).load()
	require.Equal(t, saved.Revision, again.Revision)
	latest, count := b.Foreign()
	require.Empty(t, latest)
	require.Zero(t, count)
}

// TestUnsignedWriterOfASignedBranch: a program without the key writes nothing to a branch
// that is signed.
func TestUnsignedWriterOfASignedBranch(t *testing.T) {
	remote, k := gittest.NewBare(t), newKey(t)
	openSigned(t, remote, k.trusting(t)).begin()
	b := open(t, remote.Dir)
	l, err := b.Load(t.Context())
	require.NoError(t, err)
	tip := remote.Git("rev-parse", "status")
	_, _, err = b.Commit(t.Context(), l, move(l, model.PhaseDegraded, noon))
	require.ErrorContains(t, err, "the branch is signed; name the key of the reconciler with --status-key")
	_, err = open(t, remote.Dir).Migrate(t.Context(), 1)
	require.ErrorContains(t, err, "--status-key")
	_, err = b.Compact(t.Context(), status.CompactOptions{Since: noon.Add(time.Hour)})
	require.ErrorContains(t, err, "--status-key")
	require.Equal(t, tip, remote.Git("rev-parse", "status"))
}

// TestTwoReconcilers: one key, or two that trust each other, and the compare-and-swap
// decides. A key is rotated by trusting both.
func TestTwoReconcilers(t *testing.T) {
	remote, first, second := gittest.NewBare(t), newKey(t), newKey(t)
	a := openSigned(t, remote, first.trusting(t, second))
	saved := a.begin()
	b := openSigned(t, remote, second.trusting(t, first))
	other := b.load()
	other = b.commit(other, move(other, model.PhaseDegraded, noon))
	_, _, err := a.Commit(t.Context(), saved, move(saved, model.PhaseScheduled, noon))
	require.ErrorIs(t, err, status.ErrMoved)
	require.Equal(t, other.Revision, a.load().Revision)
	_, found := a.Foreign()
	require.Zero(t, found)
	t.Log("the old key is dropped after the next save")
	require.Equal(t, other.Revision, openSigned(t, remote, second.trusting(t)).load().Revision)
	_, err = openSigned(t, remote, first.trusting(t)).Load(t.Context())
	require.NoError(t, err, "its own save is behind the tip")
}

// TestSignedCompaction: what compact rewrites is signed again, with the same numbers and
// content; a commit that did not verify does not verify afterwards.
func TestSignedCompaction(t *testing.T) {
	remote, k := gittest.NewBare(t), newKey(t)
	b := openSigned(t, remote, k.trusting(t))
	saved := b.begin()
	phases := []model.Phase{model.PhaseDegraded, model.PhaseRunning}
	for i := range 6 {
		b.now = noon.Add(time.Duration(i) * time.Hour)
		if i == 4 {
			forge(t, remote, func(clone *gittest.Repo) { clone.Write("tenants/acme/README.md", "hello\n") })
			saved = b.load()
		}
		saved = b.commit(saved, move(saved, phases[i%2], b.now))
	}
	tree := remote.Git("rev-parse", "status^{tree}")
	c, err := openSigned(t, remote, k.trusting(t)).Compact(t.Context(), status.CompactOptions{Since: noon.Add(3 * time.Hour)})
	require.NoError(t, err)
	require.Equal(t, 4, c.Folded)
	require.Equal(t, tree, remote.Git("rev-parse", "status^{tree}"))
	again := b.load()
	require.Equal(t, saved.Revision, again.Revision)
	require.Equal(t, saved.Identity, again.Identity)
	_, found := b.Foreign()
	require.Equal(t, 1, found, "the one before")
	var numbers []string
	for _, commit := range strings.Fields(remote.Git("rev-list", "--reverse", "status")) {
		message := remote.Git("log", "-1", "--format=%B", commit)
		_, number, _ := strings.Cut(message, "\nSequence: ")
		numbers = append(numbers, strings.TrimSpace(number))
		require.Equal(t, number != "", strings.Contains(remote.Git("cat-file", "commit", commit), "\ngpgsig "), commit)
	}
	require.Equal(t, []string{"4", "5", "", "6", "7"}, numbers)
}

// TestRestoreOfASignedLedger: a copy is restored with the key, and a copy that somebody
// changed is not.
func TestRestoreOfASignedLedger(t *testing.T) {
	remote, k, dir := gittest.NewBare(t), newKey(t), t.TempDir()
	b := openSigned(t, remote, k.trusting(t), in(dir))
	saved := b.begin()
	require.NoError(t, b.Close())
	remote.Git("update-ref", "-d", "refs/heads/status")
	_, err := openSigned(t, remote, newKey(t).trusting(t)).Restore(t.Context(), dir, true)
	require.ErrorContains(t, err, "is not signed by a trusted key")
	_, err = open(t, remote.Dir).Restore(t.Context(), dir, true)
	require.ErrorContains(t, err, "--status-key")
	r, err := openSigned(t, remote, k.trusting(t)).Restore(t.Context(), dir, true)
	require.NoError(t, err)
	require.Equal(t, r.Commit, remote.Git("rev-parse", "status"))
	again := openSigned(t, remote, k.trusting(t)).load()
	require.Equal(t, saved.Identity.Sequence+1, again.Identity.Sequence)
	require.Equal(t, saved.Instances[0].Phase, again.Instances[0].Phase)
}

// TestAtBelievesNoForeignCommit: a moment is what a trusted key has signed. Others who follow
// the branch go on from the save before, too.
func TestAtBelievesNoForeignCommit(t *testing.T) {
	remote, k := gittest.NewBare(t), newKey(t)
	b := openSigned(t, remote, k.trusting(t))
	saved := b.begin()
	reader := openSigned(t, remote, k.trusting(t))
	reader.load()
	forge(t, remote, func(clone *gittest.Repo) {
		rewrite(clone, "tenants/acme/shop/instance.json", `"phase": "Running"`, `"phase": "Degraded"`)
	})
	require.Equal(t, saved.Instances[0].Phase, reader.load().Instances[0].Phase)
	next := b.load()
	b.commit(next, move(next, model.PhaseScheduled, noon))
	require.Equal(t, model.PhaseScheduled, reader.load().Instances[0].Phase)

	commits, _, err := reader.Log(t.Context(), "", 10)
	require.NoError(t, err)
	require.Len(t, commits, 3)
	for i, want := range []model.Phase{model.PhaseScheduled, "", model.PhaseRunning} {
		l, err := reader.At(t.Context(), commits[i].Commit)
		if want == "" {
			require.ErrorAs(t, err, new(*status.CommitError))
			require.ErrorContains(t, err, "is not signed")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, want, l.Instances[0].Phase)
	}
}

// TestSavesPassOverForeignCommits: what a foreign commit said is told nobody.
func TestSavesPassOverForeignCommits(t *testing.T) {
	remote, k := gittest.NewBare(t), newKey(t)
	b := openSigned(t, remote, k.trusting(t))
	saved := b.begin()
	forge(t, remote, func(clone *gittest.Repo) {
		rewrite(clone, "tenants/acme/shop/instance.json", `"phase": "Running"`, `"phase": "Degraded"`)
	})
	next := b.load()
	b.commit(next, move(next, model.PhaseScheduled, noon))
	saves, err := openSigned(t, remote, k.trusting(t)).Saves(t.Context(), saved.Identity.Sequence)
	require.NoError(t, err)
	require.Len(t, saves, 1)
	require.Equal(t, model.PhaseRunning, saves[0].Before.Instances[0].Phase)
	require.Equal(t, model.PhaseScheduled, saves[0].After.Instances[0].Phase)
}
