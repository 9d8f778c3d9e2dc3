package status_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
	"github.com/d-aros/d-aros/test/tier"
)

// forgeries are what a writer with the token for the branch may do to it, and what is
// said of it.
func forgeries(t testing.TB, remote *gittest.Repo) []forgery {
	edited := func(edit func(clone *gittest.Repo)) func() {
		return func() { forge(t, remote, edit) }
	}
	shop := "tenants/acme/shop/"
	return []forgery{
		{"image", "is not signed", edited(func(c *gittest.Repo) { rewrite(c, shop+"spec.json", `"shop:1"`, `"evil:1"`) })},
		{"deletion", "is not signed", edited(func(c *gittest.Repo) { rewrite(c, shop+"spec.json", `"digest"`, `"deletion": "delete-data", "digest"`) })},
		{"grant", "is not signed", edited(func(c *gittest.Repo) { rewrite(c, shop+"instance.json", `"replicas": 3`, `"replicas": 300`) })},
		{"source", "is not signed", edited(func(c *gittest.Repo) {
			rewrite(c, "inputs/source.json", strings.Repeat("1", 40), strings.Repeat("6", 40))
		})},
		{"enforce", "is not signed", edited(func(c *gittest.Repo) { rewrite(c, "inputs/platform.json", `"name"`, `"access": {}, "name"`) })},
		{"approval", "is not signed", edited(func(c *gittest.Repo) { c.Write(shop+"workflow.json", `{"commands": [{"action": "approve"}]}`) })},
		{"digest", "is not signed", edited(func(c *gittest.Repo) { rewrite(c, shop+"spec.json", `"digest": "`, `"digest": "0`) })},
		{"emptied", "is not signed", edited(func(c *gittest.Repo) { c.Git("rm", "-q", "-r", "tenants", "inputs") })},
		{"what nobody can read", "is not signed", edited(func(c *gittest.Repo) { c.Write("inputs/ledger.json", "{{{") })},
		{"wrong key", "which is not trusted", func() {
			clone := gittest.New(t)
			clone.Git("fetch", "-q", remote.Dir, "status")
			clone.Git("checkout", "-q", "-B", "status", "FETCH_HEAD")
			rewrite(clone, shop+"spec.json", `"shop:1"`, `"evil:1"`)
			file, _ := clone.Key("mallory")
			clone.CommitSigned(file, "acme/shop: Running\n\nLedger: "+strings.Repeat("ab", 16)+"/status\nSequence: 99")
			clone.Git("push", "-q", remote.Dir, "HEAD:status")
		}},
		{"replayed tip", "came before it", func() { remote.Git("update-ref", "refs/heads/status", "status~1") }},
		{"replaced", "is not signed", func() {
			clone := gittest.New(t)
			clone.Write("README.md", "hello")
			clone.Commit("hello")
			clone.Git("push", "-q", "--force", remote.Dir, "HEAD:status")
		}},
	}
}

type forgery struct {
	name, why string
	make      func()
}

// TestForeignTip: no forgery is read. The ledger goes on from the last save that verified,
// in memory, in the kept copy or behind the tip, and is saved on top of the foreign
// commit.
func TestForeignTip(t *testing.T) {
	for i := range forgeries(t, nil) {
		remote, k, dir := gittest.NewBare(t), newKey(t), t.TempDir()
		f := forgeries(t, remote)[i]
		t.Run(f.name, func(t *testing.T) {
			b := openSigned(t, remote, k.trusting(t), in(dir))
			saved := b.begin()
			saved = b.commit(saved, move(saved, model.PhaseDegraded, noon))
			saved = b.commit(saved, move(saved, model.PhaseRunning, noon))
			same := func(l model.Ledger) {
				t.Helper()
				require.Equal(t, saved.Identity, l.Identity)
				require.Equal(t, saved.Instances, l.Instances)
				require.Equal(t, saved.Commit, l.Commit)
				require.Equal(t, saved.Platform, l.Platform)
			}
			f.make()
			tip := remote.Git("rev-parse", "status")
			l := b.load()
			same(l)
			latest, count := b.Foreign()
			require.Equal(t, 1, count)
			require.Equal(t, tip, latest[0].Commit)
			require.Contains(t, latest[0].Why, f.why)
			t.Log("nothing new is found while the tip is the same")
			same(b.load())
			_, count = b.Foreign()
			require.Equal(t, 1, count)
			require.NoError(t, b.Close())

			t.Log("a start goes on from the kept copy")
			again := openSigned(t, remote, k.trusting(t), in(dir))
			same(again.load())
			again.Accept()
			require.Equal(t, saved.Identity, again.KeptIdentity())
			next, changed, err := again.Commit(t.Context(), l, l)
			require.NoError(t, err)
			require.True(t, changed, "the branch is right again")
			require.Equal(t, saved.Identity.Sequence+1, next.Identity.Sequence)
			require.Equal(t, tip, remote.Git("rev-parse", "status~1"), "the evidence stays")
			require.Contains(t, remote.Git("show", "status:README.md"), "**Commit `"+tip+"` of this branch, found 2026-", "the first page names it")
			cold := openSigned(t, remote, k.trusting(t)).load()
			require.Equal(t, next.Revision, cold.Revision)
			require.Equal(t, saved.Instances[0].Spec, cold.Instances[0].Spec)
			require.NoError(t, again.Close())
			require.Equal(t, next.Revision, openSigned(t, remote, k.trusting(t), in(dir)).load().Revision)
		})
	}
}

// TestSaveBehindAForeignTip: a process that holds and keeps nothing takes the newest save
// behind the foreign tips that verifies.
func TestSaveBehindAForeignTip(t *testing.T) {
	remote, k := gittest.NewBare(t), newKey(t)
	b := openSigned(t, remote, k.trusting(t))
	saved := b.begin()
	saved = b.commit(saved, move(saved, model.PhaseDegraded, noon))
	for range 3 {
		forge(t, remote, func(c *gittest.Repo) {
			rewrite(c, "tenants/acme/shop/spec.json", `"image": "`, `"image": "evil-`)
		})
	}
	l := openSigned(t, remote, k.trusting(t)).load()
	require.Equal(t, saved.Identity, l.Identity)
	require.Equal(t, saved.Instances[0].Spec, l.Instances[0].Spec)
}

// TestSaveOfAnotherBehindAForeignTip: a process that holds a save goes on from a later one
// of another reconciler behind the foreign tip.
func TestSaveOfAnotherBehindAForeignTip(t *testing.T) {
	remote, k := gittest.NewBare(t), newKey(t)
	b := openSigned(t, remote, k.trusting(t))
	b.begin()
	other := openSigned(t, remote, k.trusting(t))
	l := other.load()
	saved := other.commit(l, move(l, model.PhaseDegraded, noon))
	forge(t, remote, func(c *gittest.Repo) { c.Write("hello", "hello") })
	l = b.load()
	require.True(t, b.FromMemory())
	require.Equal(t, saved.Identity, l.Identity)
	require.Equal(t, saved.Instances, l.Instances)
	b.commit(l, move(l, model.PhaseRunning, noon))
	require.False(t, b.FromMemory())
}

// TestOtherLedgerAtAStart: what a start read and nobody accepted is not what a process goes
// on from when the ledger is back.
func TestOtherLedgerAtAStart(t *testing.T) {
	remote, k := gittest.NewBare(t), newKey(t)
	ours := openSigned(t, remote, k.trusting(t)).begin()
	remote.Git("branch", "ours", "status")
	theirs := gittest.NewBare(t)
	other := openSigned(t, theirs, k.trusting(t))
	l := example(model.PhaseRunning)
	l.Identity = model.LedgerIdentity{ID: strings.Repeat("cd", 16), Fleet: "other"}
	other.commit(other.load(), l)
	remote.Git("fetch", "-q", "--force", theirs.Dir, "status:status")
	b := openSigned(t, remote, k.trusting(t))
	require.Equal(t, "other", b.load().Identity.Fleet)
	remote.Git("branch", "-f", "status", "ours")
	require.Equal(t, ours.Identity, b.load().Identity)
}

// TestForeignTipsAreBounded: who pushes again and again makes the branch no longer grow.
func TestForeignTipsAreBounded(t *testing.T) {
	remote, k := gittest.NewBare(t), newKey(t)
	b := openSigned(t, remote, k.trusting(t))
	saved := b.begin()
	forged := func(i int) { forge(t, remote, func(c *gittest.Repo) { c.Write("hello", fmt.Sprint(i)) }) }
	for i := range 6 {
		b.now = noon.Add(time.Duration(i) * time.Minute)
		forged(i)
		l := b.load()
		saved = b.commit(l, move(l, []model.Phase{model.PhaseDegraded, model.PhaseRunning}[i%2], b.now))
	}
	forged(7)
	for range 2 {
		_, err := b.Load(t.Context())
		foreign := (*status.ForeignError)(nil)
		require.ErrorAs(t, err, &foreign)
		require.True(t, foreign.Many)
		require.Equal(t, remote.Git("rev-parse", "status"), foreign.Commit)
	}
	t.Log("an hour after the first it goes on")
	b.now = noon.Add(time.Hour)
	require.Equal(t, saved.Identity, b.load().Identity)
}

// TestNothingVerified: without a save that verifies, nothing is read before somebody
// accepts the commit by name, once.
func TestNothingVerified(t *testing.T) {
	remote, k := gittest.NewBare(t), newKey(t)
	plain := open(t, remote.Dir)
	empty, err := plain.Load(t.Context())
	require.NoError(t, err)
	first := example(model.PhaseRunning)
	first.Identity = model.LedgerIdentity{ID: strings.Repeat("ab", 16), Fleet: "fleet"}
	_, _, err = plain.Commit(t.Context(), empty, first)
	require.NoError(t, err)
	tip := remote.Git("rev-parse", "status")

	b := openSigned(t, remote, k.trusting(t))
	for range 2 {
		_, err = b.Load(t.Context())
		foreign := (*status.ForeignError)(nil)
		require.ErrorAs(t, err, &foreign)
		require.False(t, foreign.Many)
		require.ErrorContains(t, err, "commit "+tip+" of the status branch is not signed")
		require.ErrorContains(t, err, `"--status-accept `+tip+`"`)
	}
	_, _, err = b.Commit(t.Context(), model.Ledger{}, first)
	require.ErrorIs(t, err, status.ErrMoved, "nothing can be saved either")

	accepting := k.trusting(t)
	accepting.Accept = tip
	taken := openSigned(t, remote, accepting)
	l := taken.load()
	require.Equal(t, first.Instances[0].Spec.Digest, l.Instances[0].Spec.Digest)
	next := taken.commit(l, move(l, model.PhaseDegraded, noon))
	require.Equal(t, next.Revision, openSigned(t, remote, k.trusting(t)).load().Revision)
	t.Log("it is accepted once: a later save came after it")
	remote.Git("update-ref", "refs/heads/status", tip)
	require.Equal(t, next.Identity, taken.load().Identity)
}

// TestOtherFleetsBranch: a save counts on its own branch and for its own ledger only,
// although one key signs for both.
func TestOtherFleetsBranch(t *testing.T) {
	k := newKey(t)
	theirs := gittest.NewBare(t)
	other := openSigned(t, theirs, k.trusting(t))
	l := example(model.PhaseRunning)
	l.Identity = model.LedgerIdentity{ID: strings.Repeat("cd", 16), Fleet: "other", Sequence: 0}
	saved := other.commit(other.load(), l)
	for range 4 {
		saved = other.commit(saved, move(saved, model.PhaseDegraded, noon))
		saved = other.commit(saved, move(saved, model.PhaseRunning, noon))
	}
	remote := gittest.NewBare(t)
	b := openSigned(t, remote, k.trusting(t))
	ours := b.begin()
	remote.Git("fetch", "-q", "--force", theirs.Dir, "status:status")
	require.Equal(t, ours.Identity, b.load().Identity)
	latest, _ := b.Foreign()
	require.Contains(t, latest[0].Why, "is of ledger cdcd")

	renamed := gittest.NewBare(t)
	c := openSigned(t, renamed, k.trusting(t), func(o *status.Options) { o.Branch = "ledger" })
	renamed.Git("fetch", "-q", theirs.Dir, "status:ledger")
	_, err := c.Load(t.Context())
	require.ErrorContains(t, err, "is a save of branch status")
}

// TestForeignZeros: of a foreign tip nothing but the commit is unpacked, whatever it says.
// With -soak these are 15 files of 60 MiB of zeros, 44 KiB on the way.
func TestForeignZeros(t *testing.T) {
	remote, k := gittest.NewBare(t), newKey(t)
	small := func(o *status.Options) { o.Memory = 1 << 20 }
	b := openSigned(t, remote, k.trusting(t), small)
	saved := b.begin()
	forge(t, remote, func(c *gittest.Repo) {
		zeros := make([]byte, tier.Count(1, 4, 60)<<20)
		for i := range 15 {
			zeros[0] = byte(i)
			require.NoError(t, os.WriteFile(filepath.Join(c.Dir, fmt.Sprint("zeros", i)), zeros, 0o600))
		}
	})
	require.Equal(t, saved.Identity, b.load().Identity)
	require.Equal(t, saved.Identity, openSigned(t, remote, k.trusting(t), small).load().Identity, "from behind the tip")
}

// TestLargeBranchIsRefused: what the branch unpacks to is bounded, whoever signed it, and
// the error names the flag.
func TestLargeBranchIsRefused(t *testing.T) {
	remote := gittest.NewBare(t)
	b := open(t, remote.Dir)
	empty, err := b.Load(t.Context())
	require.NoError(t, err)
	_, _, err = b.Commit(t.Context(), empty, example(model.PhaseRunning))
	require.NoError(t, err)
	forge(t, remote, func(c *gittest.Repo) { c.Write("zeros", string(make([]byte, 2<<20))) })
	bounded := openSigned(t, remote, nil, func(o *status.Options) { o.Memory = 1 << 20 })
	_, err = bounded.Load(t.Context())
	require.ErrorContains(t, err, "the pack unpacks to more than 1048576 bytes; if the branch is right, raise --status-memory")
	enough := openSigned(t, remote, nil, func(o *status.Options) { o.Memory = 4 << 20 })
	enough.load()
}

// TestDeletedSignedBranch: a branch that is deleted comes back, signed.
func TestDeletedSignedBranch(t *testing.T) {
	remote, k := gittest.NewBare(t), newKey(t)
	b := openSigned(t, remote, k.trusting(t))
	saved := b.begin()
	remote.Git("update-ref", "-d", "refs/heads/status")
	for range 2 {
		l := b.load()
		require.Equal(t, saved.Identity, l.Identity)
		latest, count := b.Foreign()
		require.Equal(t, 1, count, "it is found once")
		require.True(t, latest[0].Deleted)
		require.True(t, b.FromMemory())
	}
	next := b.commit(b.load(), saved)
	require.Equal(t, next.Revision, openSigned(t, remote, k.trusting(t)).load().Revision)
}

// FuzzSignedCommit: no commit that the branch may show makes its check fail in another
// way than by not believing it.
func FuzzSignedCommit(f *testing.F) {
	k := newKey(f)
	s := k.trusting(f)
	payload := "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\nhello\n\nLedger: " +
		strings.Repeat("ab", 16) + "/status\nSequence: 3\n"
	signature, err := k.signer.Sign(strings.NewReader(payload))
	require.NoError(f, err)
	whole := strings.Replace(payload, "\n\n", "\ngpgsig "+strings.ReplaceAll(strings.TrimSpace(string(signature)), "\n", "\n ")+"\n\n", 1)
	f.Add([]byte(whole))
	f.Add([]byte(payload))
	f.Add([]byte("tree\n\n"))
	f.Fuzz(func(t *testing.T, commit []byte) {
		of, err := status.VerifyCommit(commit, s)
		if err != nil {
			return
		}
		if !bytes.Contains(commit, []byte(strings.TrimSpace(payload[strings.Index(payload, "\n\n"):]))) || of.Sequence != 3 {
			t.Fatalf("believed as save %d:\n%s", of.Sequence, commit)
		}
	})
}
