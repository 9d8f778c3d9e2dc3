package reconcile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/signkey"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/test/gittest"
)

// seen is a runtime that keeps what it was told to carry, and the events.
type seen struct {
	enteredRuntime
	images *string
	events *[]announce.Event
}

func (r seen) Act(ctx context.Context, list []runtime.Assignment) runtime.Report {
	return renderer.Act(ctx, list, r.apply)
}

func (r seen) apply(ctx context.Context, sets []render.Set) apply.Report {
	for i := range sets {
		for _, o := range sets[i].Objects {
			*r.images += string(o.JSON)
		}
	}
	return r.enteredRuntime.apply(ctx, sets)
}

func (r seen) Event(_ context.Context, _ *model.Instance, e announce.Event) {
	*r.events = append(*r.events, e)
}

// guarded is a loop whose status branch is signed.
type guarded struct {
	*teller
	t      *testing.T
	repo   *keeper
	ledger *gittest.Repo
	images string
	events []announce.Event
	now    time.Time
	trust  *status.Signing
	dir    string
	stop   func()
}

func newGuarded(t *testing.T) *guarded {
	g := &guarded{t: t, repo: newKeeper(t), ledger: gittest.NewBare(t), now: time.Now(), dir: t.TempDir()}
	file := filepath.Join(t.TempDir(), "key")
	public, err := signkey.WriteEd25519(file, "reconciler")
	require.NoError(t, err)
	key, err := signkey.Read(file, signkey.Git)
	require.NoError(t, err)
	trust, err := access.ParseKeys(public)
	require.NoError(t, err)
	g.trust = &status.Signing{Key: key, Trust: trust}
	g.start()
	return g
}

// start runs another process on the same machine.
func (g *guarded) start(options ...func(*Options)) {
	branch, err := status.Open(g.t.Context(), status.Options{URL: g.ledger.Dir, Dir: g.dir, Keep: true, Signing: g.trust, Now: func() time.Time { return g.now }})
	require.NoError(g.t, err)
	g.t.Cleanup(func() { _ = branch.Close() })
	g.teller = newTeller(g.t, g.repo.Dir, g.ledger.Dir, func() time.Time { return g.now }, append([]func(*Options){func(o *Options) {
		carrier := seen{enteredRuntime{&entries{}}, &g.images, &g.events}
		o.Status, o.Runtime, o.Events = branch, carrier, carrier
		o.Recognition = Recognition{Signed: g.trust != nil, Foreign: branch.Foreign, FromMemory: branch.FromMemory, Copy: branch, Branch: "status"}
	}}, options...)...)
	g.stop = func() { require.NoError(g.t, branch.Close()) }
}

// forge pushes what somebody with the token for the branch makes of its files.
func (g *guarded) forge(file, old, new string) string {
	clone := gittest.New(g.t)
	clone.Git("fetch", "-q", g.ledger.Dir, "status")
	clone.Git("checkout", "-q", "-B", "status", "FETCH_HEAD")
	b, err := os.ReadFile(filepath.Join(clone.Dir, file))
	require.NoError(g.t, err)
	require.Contains(g.t, string(b), old)
	clone.Write(file, strings.Replace(string(b), old, new, 1))
	commit := clone.Commit("acme/shop: updated")
	clone.Git("push", "-q", g.ledger.Dir, "HEAD:status")
	return commit
}

// TestForgedLedger: what somebody with the token for the status branch writes there has no
// effect: not an image, and not the commit that signatures refused. It is named in the
// log, an event, the metrics and the probe of readiness in the next pass.
func TestForgedLedger(t *testing.T) {
	g := newGuarded(t)
	g.pass(t)
	g.pass(t)
	good := g.repo.Git("rev-parse", "HEAD")
	g.repo.app("666")
	bad := g.repo.by("mallory")
	r, err := g.loop.Pass(t.Context())
	require.NoError(t, err)
	require.Equal(t, good, r.Commit)
	for i, forged := range []struct{ file, old, new string }{
		{"inputs/source.json", good, bad},
		{"tenants/acme/shop/spec.json", "web:1", "web:666"},
		{"inputs/platform.json", `"enforce": "signed"`, `"enforce": ""`},
	} {
		commit := g.forge(forged.file, forged.old, forged.new)
		for range 2 {
			r, err := g.loop.Pass(t.Context())
			require.NoError(t, err)
			require.Equal(t, good, r.Commit, forged.file)
			require.Equal(t, access.CodeUnknownKey, r.Problems[0].Code, "and it is still refused")
		}
		require.NotContains(t, g.images, "web:666")
		require.Contains(t, g.log.String(), "foreign commit on the status branch\" commit="+commit)
		require.EqualValues(t, i+1, g.metric(t, "daros_status_foreign_commits_total"))
		require.NoError(t, g.loop.Ready())
		last := g.events[len(g.events)-1]
		require.Equal(t, "ForeignCommit", last.Reason)
		require.Contains(t, last.Text, commit)
		require.Contains(t, g.ledger.Git("show", "status:inputs/source.json"), good)
		require.Contains(t, g.ledger.Git("show", "status:"+forged.file), forged.old)
		require.Equal(t, commit, g.ledger.Git("rev-parse", "status~1"), "the evidence stays")
	}
}

// TestDeletedBranchIsTold: the log and an event name a branch that somebody deleted, and the
// next save writes it again.
func TestDeletedBranchIsTold(t *testing.T) {
	g := newGuarded(t)
	g.pass(t)
	tip := g.ledger.Git("rev-parse", "status")
	g.ledger.Git("update-ref", "-d", "refs/heads/status")
	g.pass(t)
	require.Contains(t, g.log.String(), "status branch deleted\" commit="+tip)
	last := g.events[len(g.events)-1]
	require.Equal(t, "StatusBranchDeleted", last.Reason)
	require.Contains(t, last.Text, tip)
	require.Zero(t, g.metric(t, "daros_status_foreign_commits_total"))
	require.NotEmpty(t, g.ledger.Git("rev-parse", "status"))
}

// TestForgedWhileItWasStopped: a start goes on from the copy on the machine; without one
// and with nothing that verifies, it decides nothing and prunes nothing.
func TestForgedWhileItWasStopped(t *testing.T) {
	g := newGuarded(t)
	g.pass(t)
	g.pass(t)
	g.stop()
	commit := g.forge("tenants/acme/shop/spec.json", "web:1", "web:666")
	g.start()
	g.pass(t)
	require.Equal(t, commit, g.ledger.Git("rev-parse", "status~1"))
	require.Contains(t, g.ledger.Git("show", "status:tenants/acme/shop/spec.json"), "web:1\"")

	t.Log("nothing that verifies is left")
	g.stop()
	clone := gittest.New(t)
	clone.Write("README.md", "hello")
	commit = clone.Commit("hello")
	clone.Git("push", "-q", "--force", g.ledger.Dir, "HEAD:status")
	g.dir, g.images = t.TempDir(), ""
	g.start()
	_, err := g.loop.Pass(t.Context())
	refused := (*LedgerRefusedError)(nil)
	require.ErrorAs(t, err, &refused)
	require.Equal(t, RefusedUnverified, refused.Reason)
	require.ErrorContains(t, g.loop.Ready(), "--status-accept "+commit)
	require.Empty(t, g.images)
	require.Equal(t, commit, g.ledger.Git("rev-parse", "status"))
}

// TestUnsignedLedgerOfASignedFleet: a fleet that enforces signatures decides nothing on a
// ledger that nobody signs, and says what to do. What it acted on goes on.
func TestUnsignedLedgerOfASignedFleet(t *testing.T) {
	g := newGuarded(t)
	g.stop()
	g.trust = nil
	g.start()
	_, err := g.loop.Pass(t.Context())
	refused := (*LedgerRefusedError)(nil)
	require.True(t, errors.As(err, &refused), "%v", err)
	require.Equal(t, RefusedUnsigned, refused.Reason)
	require.ErrorContains(t, err, "--status-key")
	require.Empty(t, g.images)
	require.Empty(t, g.ledger.Git("for-each-ref"))
}

// TestWitnessOfOthers: who goes on from memory asks the cluster whether others have saved
// since. Who goes by the branch does not ask.
func TestWitnessOfOthers(t *testing.T) {
	l := model.Ledger{Revision: model.Revision{1}, Commit: "c", Identity: save(ours, 9)}
	anchor := &remembered{anchor: model.Anchor{LedgerIdentity: save(ours, 10)}, writes: 1}
	for fromMemory, reason := range map[bool]string{true: RefusedOlder, false: ""} {
		r := Recognition{Anchor: anchor, FromMemory: func() bool { return fromMemory }}
		m := memory{fleet: "fleet", branch: "status", last: l.Identity}
		require.NoError(t, r.witness(t.Context(), &m))
		if refused := m.judge(&l); reason == "" {
			require.Nil(t, refused)
		} else {
			require.Equal(t, reason, refused.Reason)
		}
	}
}

// TestWitness: the cluster remembers the content of the last save, so another one of the
// same number is refused.
func TestWitness(t *testing.T) {
	at := save(ours, 10)
	m := memory{fleet: "fleet", branch: "status", signed: true, anchored: true, anchor: model.Anchor{LedgerIdentity: at}}
	l := model.Ledger{Revision: model.Revision{1}, Commit: "c", Identity: at}
	require.Nil(t, m.judge(&l), "it remembers no content")
	m.anchor.Tree = treeOf(&l)
	require.Nil(t, m.judge(&l))
	l.Revision = model.Revision{2}
	require.Equal(t, RefusedForeign, m.judge(&l).Reason)
	l.Identity.Sequence++
	require.Nil(t, m.judge(&l), "a later save")
	m.signed, l.Identity = false, at
	require.Nil(t, m.judge(&l), "people may repair a branch that is not signed")
}

// TestAdoptKeepsToSignatures: --adopt takes an older save that a trusted key signed, against
// the copy on the machine, and goes on under another id with signed saves. What nobody
// signed it does not take.
func TestAdoptKeepsToSignatures(t *testing.T) {
	g := newGuarded(t)
	g.pass(t)
	g.pass(t)
	older := g.ledger.Git("rev-parse", "status")
	id := func() string { return g.ledger.Git("show", "status:inputs/ledger.json") }
	before := id()
	g.repo.app("2")
	g.repo.by("root")
	g.pass(t)
	require.NotEqual(t, older, g.ledger.Git("rev-parse", "status"))
	g.stop()

	adopting := *g.trust
	adopting.Adopt = true
	g.trust = &adopting
	adopt := func(o *Options) { o.Recognition.Adopt = true }
	t.Log("a commit that nobody signed")
	g.ledger.Git("update-ref", "refs/heads/status", older)
	forged := g.forge("tenants/acme/shop/spec.json", "web:1", "web:666")
	g.start(adopt)
	g.pass(t)
	require.NotContains(t, g.images, "web:666")
	require.Contains(t, g.log.String(), "foreign commit on the status branch\" commit="+forged)
	g.stop()

	t.Log("an older save")
	g.ledger.Git("update-ref", "refs/heads/status", older)
	g.start(adopt)
	g.pass(t)
	require.Equal(t, older, g.ledger.Git("rev-parse", "status~1"))
	require.NotEqual(t, before, id(), "two histories of one id could not be told apart")
	require.Contains(t, g.log.String(), "adopting the status branch as it is")
	require.Zero(t, g.metric(t, "daros_status_foreign_commits_total"))
	g.stop()

	t.Log("what it saved is signed: the next start believes it without the flag")
	adopting.Adopt = false
	g.start()
	g.pass(t)
	require.Zero(t, g.metric(t, "daros_status_foreign_commits_total"))
}
