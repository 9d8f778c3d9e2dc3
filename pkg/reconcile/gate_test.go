package reconcile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/turn"
	"github.com/d-aros/d-aros/test/evaluators"
	"github.com/d-aros/d-aros/test/gittest"
	"github.com/d-aros/d-aros/test/tool"
)

// A keeper is a signed fleet repo, and a loop that keeps what it accepts.
type keeper struct {
	*gittest.Repo
	t      testing.TB
	key    map[string]string // private key files by name
	public map[string]string
	opts   source.Options
	loop   *Loop
	ledger model.Ledger
	log    bytes.Buffer
	now    time.Time

	restart func(*Options) // what every loop of it has; nil: nothing more
}

// principals are root of the platform, ann of tenant acme, bob of acme/shop, and
// two keys that nobody declares at first.
var principals = []string{"root", "ann", "bob", "new", "mallory"}

// newKeeper makes a repo of a platform with root as admin, who signs the first
// commit, and accepts that.
func newKeeper(t testing.TB) *keeper {
	k := &keeper{Repo: gittest.New(t), t: t, key: map[string]string{}, public: map[string]string{}, now: time.Now()}
	for _, name := range principals {
		k.key[name], k.public[name] = k.Key(name)
	}
	k.platform(`access: {enforce: "signed", principals: root: ssh: [%q], admins: ["root"]}`, k.public["root"])
	k.tenant(`access: {
		principals: {ann: ssh: [%q], bob: ssh: [%q]}
		admins: ["ann"]
		owners: shop: ["bob"]
	}`, k.public["ann"], k.public["bob"])
	k.app("1")
	k.CommitSigned(k.key["root"], "start")
	k.opts = source.Options{URL: k.Dir}
	k.start()
	return k
}

// start runs the loop anew. Of what was before, the ledger is left, and not even
// the object store.
func (k *keeper) start(options ...func(*Options)) {
	k.opts.Dir = k.t.TempDir()
	src, err := source.Open(k.t.Context(), k.opts)
	require.NoError(k.t, err)
	k.t.Cleanup(func() { _ = src.Close() })
	o := Options{Edges: Edges{Source: src, Evaluator: evaluators.New(k.t)}, Now: func() time.Time { return k.now }, Log: slog.New(slog.NewTextHandler(&k.log, nil)),
		Recognition: Recognition{Signed: true}} // as far as these tests go
	if k.restart != nil {
		k.restart(&o)
	}
	for _, set := range options {
		set(&o)
	}
	k.loop = New(o)
}

func (k *keeper) platform(more string, args ...any) {
	k.Write("fleet.cue", fmt.Sprintf(`package fleet

import "d-aros.dev/schema"

schema.#Fleet

platform: {
	name: "test"
	policy: images: registries: ["registry.example.com"]
	pools: general: capacity: {cpu: "8", memory: "32Gi"}
	allotments: acme: {}
	%s
}
`, fmt.Sprintf(more, args...)))
}

func (k *keeper) tenant(more string, args ...any) {
	k.Write("tenants/acme/tenant.cue", "package fleet\n\ntenant: {\n\tname: \"acme\"\n\t"+fmt.Sprintf(more, args...)+"\n}\n")
}

func (k *keeper) app(tag string) {
	k.Write("tenants/acme/apps/shop/app.cue", "package fleet\n\napplication: {name: \"shop\", components: web: {type: \"worker\", properties: image: \"registry.example.com/web:"+tag+"\"}}\n")
}

// by commits the work tree with somebody's signature; "" signs nothing.
func (k *keeper) by(name string) string { return k.CommitSigned(k.key[name], "by "+name) }

// pass judges what the branch holds now and saves what is accepted, as the status
// branch would keep it.
func (k *keeper) pass() (source.Snapshot, model.Fleet) {
	k.t.Helper()
	k.loop.declared.polled = time.Time{}
	line, err := k.loop.declared.follow(k.t.Context(), k.ledger.Commit, &Report{})
	require.NoError(k.t, err)
	snap, fleet, refused, err := k.loop.declared.admitted(line, k.ledger)
	require.NoError(k.t, err)
	fleet = turn.Take(turn.Case{
		Fleet: fleet, Refused: refused, Ledger: k.ledger, Now: k.loop.o.Now(),
		Series: turn.Series{Decide: func(model.Fleet, model.Observation, model.Ledger, time.Time) (none model.Ruling) { return none }},
	}).Fleet
	k.ledger.Commit, k.ledger.Platform, k.ledger.Tenants, k.ledger.Problems = fleet.Commit, fleet.Platform, fleet.Tenants, fleet.Problems
	b, err := json.Marshal(k.ledger)
	require.NoError(k.t, err)
	k.ledger = model.Ledger{}
	require.NoError(k.t, json.Unmarshal(b, &k.ledger))
	return snap, fleet
}

// accepts demands that all of the branch is accepted without complaint.
func (k *keeper) accepts() {
	k.t.Helper()
	snap, fleet := k.pass()
	require.Empty(k.t, fleet.Problems)
	require.Equal(k.t, k.Git("rev-parse", "HEAD"), snap.Commit)
}

// refuses demands that the fleet stays at a commit, and why, again and again and
// after a restart.
func (k *keeper) refuses(code, stays string) model.Problem {
	k.t.Helper()
	var first model.Problem
	for i := range 3 {
		if i == 2 {
			k.start()
		}
		snap, fleet := k.pass()
		require.Equal(k.t, stays, snap.Commit)
		require.Equal(k.t, stays, fleet.Commit)
		require.NotEmpty(k.t, fleet.Problems)
		require.Equal(k.t, code, fleet.Problems[0].Code, fleet.Problems[0].Message)
		if i == 0 {
			first = fleet.Problems[0]
		}
		require.Equal(k.t, first, fleet.Problems[0])
	}
	require.Contains(k.t, k.log.String(), code)
	return first
}

func (k *keeper) head() string { return k.Git("rev-parse", "HEAD") }

// raw makes a commit object and points the branch at it.
func (k *keeper) raw(content string) string {
	commit := k.GitIn(content, "hash-object", "-w", "-t", "commit", "--stdin", "--literally")
	k.Git("update-ref", "refs/heads/main", commit)
	return commit
}

// TestAttack23SignatureBypass: ways around a signature, each on a real history
// with the real git and ssh-keygen. None leads to the cluster.
func TestAttack23SignatureBypass(t *testing.T) {
	attack := func(name string, run func(t *testing.T, k *keeper, good string)) {
		t.Run(name, func(t *testing.T) {
			k := newKeeper(t)
			k.accepts()
			run(t, k, k.head())
		})
	}
	attack("unsigned commit", func(t *testing.T, k *keeper, good string) {
		k.app("2")
		bad := k.by("")
		p := k.refuses(access.CodeUnsigned, good)
		require.Equal(t, "commit "+bad, p.Path)
		require.Contains(t, p.Message, "is not signed; the fleet stays at "+good[:12])
		require.Equal(t, 2, strings.Count(k.log.String(), access.CodeUnsigned), "one line in the log of each run")
	})
	attack("unsigned merge of signed commits", func(_ *testing.T, k *keeper, good string) {
		k.Git("checkout", "-q", "-b", "side")
		k.app("2")
		k.by("bob")
		k.Git("checkout", "-q", "main")
		k.Signed("", "merge", "-q", "--no-ff", "-m", "merge", "side")
		k.refuses(access.CodeUnsigned, good)
	})
	attack("unsigned commits below a merge by somebody without the right", func(_ *testing.T, k *keeper, good string) {
		k.Git("checkout", "-q", "-b", "side")
		k.tenant("weight: 2")
		k.by("")
		k.Git("checkout", "-q", "main")
		k.Signed(k.key["bob"], "merge", "-q", "--no-ff", "-m", "merge", "side")
		k.refuses(access.CodeForbidden, good)
	})
	attack("later good commits do not jump over a bad one", func(_ *testing.T, k *keeper, good string) {
		k.app("2")
		bad := k.by("mallory")
		k.Git("revert", "--no-edit", bad)
		k.app("3")
		k.by("root")
		k.refuses(access.CodeUnknownKey, good)
	})
	attack("a good commit before the bad one is accepted", func(_ *testing.T, k *keeper, _ string) {
		k.app("2")
		better := k.by("bob")
		k.app("3")
		k.by("")
		k.refuses(access.CodeUnsigned, better)
	})
	attack("somebody adds their own key", func(_ *testing.T, k *keeper, good string) {
		k.platform(`access: {enforce: "signed", principals: root: ssh: [%q], admins: ["root"]}`, k.public["mallory"])
		k.by("mallory")
		k.refuses(access.CodeUnknownKey, good)
	})
	attack("an owner makes himself admin", func(_ *testing.T, k *keeper, good string) {
		k.tenant(`access: {principals: bob: ssh: [%q], admins: ["bob"]}`, k.public["bob"])
		k.by("bob")
		k.refuses(access.CodeForbidden, good)
	})
	attack("a tenant admin makes himself platform admin", func(_ *testing.T, k *keeper, good string) {
		k.Write("more.cue", fmt.Sprintf("package fleet\n\nplatform: access: {principals: ann: ssh: [%q], admins: [\"root\", \"ann\"]}\n", k.public["ann"]))
		k.by("ann")
		k.refuses(access.CodeForbidden, good)
	})
	attack("enforcement is switched off by whoever may not", func(_ *testing.T, k *keeper, good string) {
		k.platform(`access: {enforce: "off", principals: root: ssh: [%q], admins: ["root"]}`, k.public["root"])
		k.by("ann")
		k.refuses(access.CodeForbidden, good)
	})
	attack("the signature of another commit", func(_ *testing.T, k *keeper, good string) {
		k.app("2")
		signed := k.Git("cat-file", "commit", k.by("root"))
		k.Git("reset", "-q", "--hard", good)
		k.app("3")
		unsigned := k.Git("cat-file", "commit", k.by(""))
		_, after, ok := strings.Cut(signed, "\ngpgsig ")
		require.True(k.t, ok)
		signature, _, ok := strings.Cut(after, "\n\n")
		require.True(k.t, ok)
		k.raw(strings.Replace(unsigned, "\n\n", "\ngpgsig "+signature+"\n\n", 1) + "\n")
		k.refuses(access.CodeBad, good)
	})
	attack("a second tree in a signed commit", func(_ *testing.T, k *keeper, good string) {
		k.app("2")
		evil := k.Git("rev-parse", k.by("")+"^{tree}")
		k.Git("reset", "-q", "--hard", good)
		k.app("3")
		signed := k.Git("cat-file", "commit", k.by("bob"))
		k.raw(strings.Replace(signed, "\ncommitter ", "\ntree "+evil+"\ncommitter ", 1) + "\n")
		k.refuses(access.CodeUnreadable, good)
	})
	attack("a signed tag on an unsigned commit", func(_ *testing.T, k *keeper, good string) {
		k.app("2")
		k.by("")
		k.Signed(k.key["root"], "tag", "-s", "-m", "release", "v1")
		k.refuses(access.CodeUnsigned, good)
		k.opts.Revision = "v1"
		k.refuses(access.CodeUnsigned, good)
	})
	attack("a revoked key", func(_ *testing.T, k *keeper, _ string) {
		k.tenant(`access: {principals: {ann: {ssh: [%q], revoked: true}, new: ssh: [%q]}, admins: ["ann", "new"]}`, k.public["ann"], k.public["new"])
		revoked := k.by("ann")
		k.tenant("weight: 3")
		k.by("ann")
		k.refuses(access.CodeRevoked, revoked)
	})
	attack("a key that was rotated away", func(_ *testing.T, k *keeper, _ string) {
		k.tenant(`access: {principals: ann: ssh: [%q], admins: ["ann"]}`, k.public["new"])
		rotated := k.by("ann")
		k.app("2")
		k.by("ann")
		k.refuses(access.CodeUnknownKey, rotated)
	})
	attack("a back-dated commit with an expired key", func(t *testing.T, k *keeper, _ string) {
		k.tenant(`access: {principals: ann: {ssh: [%q], validBefore: %q}, admins: ["ann"]}`, k.public["ann"], k.now.Add(time.Hour).UTC().Format("2006-01-02T15:04:05Z"))
		limited := k.by("ann")
		k.accepts()
		k.tenant(`access: {principals: ann: ssh: [%q], admins: ["ann"]}`, k.public["ann"])
		k.by("ann") // dated within the time, by the clock of whoever signs
		k.now = k.now.Add(2 * time.Hour)
		k.refuses(access.CodeExpired, limited)
	})
	attack("the branch is set back", func(t *testing.T, k *keeper, first string) {
		k.app("2")
		second := k.by("bob")
		k.accepts()
		k.Git("reset", "-q", "--hard", first)
		snap, fleet := k.pass()
		require.Equal(t, second, snap.Commit)
		require.Equal(t, access.CodeRewritten, fleet.Problems[0].Code)
		require.Contains(t, string(fleet.Applications[0].Components[0].Properties), "web:2", "what was accepted last goes on")
	})
	attack("the branch is rewritten, and the reconciler forgets", func(t *testing.T, k *keeper, first string) {
		k.app("2")
		second := k.by("bob")
		k.accepts()
		k.ledger.Instances = []model.Instance{{App: model.AppID{Tenant: "acme", Name: "shop"}, Number: 1, Phase: model.PhaseAdmitted}}
		k.Git("reset", "-q", "--hard", first)
		k.app("evil")
		k.by("mallory")
		k.Git("reflog", "expire", "--expire=now", "--all")
		k.Git("gc", "-q", "--prune=now")
		k.start()
		_, fleet := k.pass()
		require.Equal(t, access.CodeRewritten, fleet.Problems[0].Code)
		require.Equal(t, second, fleet.Commit)
		require.True(t, fleet.Incomplete)
		require.Empty(t, fleet.Applications)
		require.Equal(t, "acme/shop", fleet.Unusable[0].App.String(), "it stays as the ledger says")
		require.NotNil(t, fleet.Platform)
		t.Log("nor does an old trust root help")
		k.start(func(o *Options) { o.TrustRoot = first })
		_, fleet = k.pass()
		require.Equal(t, access.CodeRewritten, fleet.Problems[0].Code)
		require.Equal(t, second, fleet.Commit)
	})
	attack("an old trust root and a key of then", func(t *testing.T, k *keeper, first string) {
		k.tenant(`access: {principals: ann: ssh: [%q], admins: ["ann"]}`, k.public["new"])
		rotated := k.by("ann")
		k.start(func(o *Options) { o.TrustRoot = first })
		k.accepts()
		k.Git("reset", "-q", "--hard", first)
		k.tenant("weight: 7")
		k.by("ann")
		_, fleet := k.pass()
		require.Equal(t, access.CodeRewritten, fleet.Problems[0].Code)
		require.Equal(t, rotated, fleet.Commit)
	})
	attack("a merge the wrong way round", func(_ *testing.T, k *keeper, first string) {
		k.app("2")
		second := k.by("bob")
		k.accepts()
		k.Git("checkout", "-q", "-b", "side", first)
		k.Write("tenants/acme/apps/shop/x", "x")
		k.by("bob")
		k.Signed(k.key["bob"], "merge", "-q", "--no-ff", "-m", "the accepted commit becomes the second parent", "main")
		k.Git("branch", "-q", "-f", "main", "side")
		k.Git("checkout", "-q", "main")
		k.refuses(access.CodeRewritten, second)
	})
	attack("names that only look like a tenant's directory", func(_ *testing.T, k *keeper, good string) {
		blob := k.GitIn("package fleet\n", "hash-object", "-w", "--stdin")
		tree := k.GitIn("100644 blob "+blob+"\ttenants\\acme\\apps\\shop\\app.cue\n", "mktree")
		_ = k.Signed(k.key["bob"], "update-ref", "refs/heads/main", k.Signed(k.key["bob"], "commit-tree", "-S", tree, "-p", good, "-m", "names"))
		k.refuses(access.CodeForbidden, good)
	})
	attack("a commit that nobody could follow", func(_ *testing.T, k *keeper, good string) {
		k.platform(`access: {enforce: "signed", principals: root: ssh: ["ssh-ed25519 AAAA"], admins: ["root"]}`)
		k.by("root")
		k.refuses(access.CodeLockout, good)
	})
	attack("a pin to what was never accepted", func(t *testing.T, k *keeper, good string) {
		k.Git("checkout", "-q", "-b", "side")
		k.app("evil")
		evil := k.by("mallory")
		k.Git("checkout", "-q", "main")
		k.tenant("access: {principals: ann: ssh: [%q], admins: [\"ann\"]}\n\treleases: shop: commit: %q", k.public["ann"], evil)
		pinned := k.by("ann")
		k.Git("reset", "-q", "--hard", evil)
		k.Signed("", "merge", "-q", "--no-ff", "-m", "evil", pinned)
		t.Log("the branch leads to it, but on no accepted way")
		k.Git("checkout", "-q", "-B", "main", pinned)
		k.Signed("", "merge", "-q", "--no-ff", "-s", "ours", "-m", "evil", evil)
		snap, fleet := k.pass()
		require.Equal(t, pinned, snap.Commit)
		codes := map[string]bool{}
		for _, p := range fleet.Problems {
			codes[p.Code] = true
		}
		require.Equal(t, map[string]bool{access.CodeUnsigned: true, "DA1601": true}, codes)
		require.Equal(t, "acme/shop", fleet.Unusable[0].App.String())
	})
}

// TestAccessRoles: what people may do is accepted, and what follows from it.
func TestAccessRoles(t *testing.T) {
	k := newKeeper(t)
	k.accepts()
	require.Contains(t, k.log.String(), "trusted")
	for _, who := range []string{"bob", "ann", "root"} {
		k.app(who)
		k.by(who)
	}
	k.accepts()
	k.Write("approvals/acme/shop/1-migrate.cue", "package fleet\n")
	k.by("bob")
	k.accepts()

	t.Log("in one go: an admin appoints an owner, who commits; and is dismissed")
	k.tenant(`access: {principals: {ann: ssh: [%q], new: ssh: [%q]}, admins: ["ann"], owners: shop: ["new"]}`, k.public["ann"], k.public["new"])
	k.by("ann")
	k.app("by-the-new-one")
	k.by("new")
	k.tenant(`access: {principals: ann: ssh: [%q], admins: ["ann"]}`, k.public["ann"])
	k.by("ann")
	k.accepts()

	t.Log("a layer that is not valid leaves keys and roles as they were")
	k.tenant("nonsense: true")
	k.by("ann")
	_, fleet := k.pass()
	require.Equal(t, k.head(), fleet.Commit)
	require.NotEmpty(t, fleet.Problems)
	k.tenant(`access: {principals: ann: ssh: [%q], admins: ["ann"]}`, k.public["ann"])
	k.by("ann")
	k.accepts()
	k.tenant("nonsense: true")
	k.by("ann")
	k.tenant(`access: {principals: ann: ssh: [%q], admins: ["ann"]}`, k.public["ann"])
	k.by("ann")
	k.accepts()

	t.Log("also of a tenant without applications, and from one poll to the next")
	k.Git("mv", "tenants/acme/apps/shop/app.cue", "app.txt")
	k.by("root")
	k.accepts()
	k.tenant("nonsense: true")
	k.by("ann")
	k.pass()
	k.tenant(`access: {principals: ann: ssh: [%q], admins: ["ann"]}`, k.public["ann"])
	k.by("ann")
	k.accepts()

	t.Log("switched off by who may, everything is accepted, and rewriting, too")
	k.platform(`access: {enforce: "off", principals: root: ssh: [%q], admins: ["root"]}`, k.public["root"])
	off := k.by("root")
	k.app("unsigned")
	k.by("")
	k.accepts()
	k.Git("reset", "-q", "--hard", off)
	k.accepts()
	k.Git("commit", "-q", "--amend", "-m", "rewritten")
	k.accepts()
	require.NotContains(t, k.log.String(), "refused")

	t.Log("switched on in the middle of what is new, it holds from there")
	k.app("unsigned")
	k.by("")
	k.platform(`access: {enforce: "signed", principals: root: ssh: [%q], admins: ["root"]}`, k.public["root"])
	on := k.by("")
	k.app("unsigned again")
	k.by("")
	k.refuses(access.CodeUnsigned, on)
}

// TestRecovery: the ways on from a commit that is refused.
func TestRecovery(t *testing.T) {
	broken := func(t *testing.T) (*keeper, string, string) {
		k := newKeeper(t)
		k.accepts()
		good := k.head()
		k.app("2")
		k.by("")
		k.app("3")
		bad := k.by("bob")
		k.refuses(access.CodeUnsigned, good)
		return k, good, bad
	}
	image := func(k *keeper) string {
		_, fleet := k.pass()
		require.Empty(k.t, fleet.Problems)
		require.Equal(k.t, k.head(), fleet.Commit)
		return string(fleet.Applications[0].Components[0].Properties)
	}
	t.Run("take it over with a merge onto the last accepted commit", func(t *testing.T) {
		k, good, bad := broken(t)
		k.Git("checkout", "-q", "--detach", good)
		k.Signed(k.key["bob"], "merge", "-q", "--no-ff", "-m", "I looked at it", bad)
		k.Git("push", "-q", ".", "HEAD:main") // a fast-forward
		require.Contains(t, image(k), "web:3")
	})
	t.Run("drop it with a merge that keeps the last accepted content", func(t *testing.T) {
		k, good, bad := broken(t)
		k.Git("checkout", "-q", "--detach", good)
		k.Signed(k.key["root"], "merge", "-q", "--no-ff", "-s", "ours", "-m", "drop it", bad)
		k.Git("push", "-q", ".", "HEAD:main")
		require.Contains(t, image(k), "web:1")
	})
	t.Run("rewrite the branch back to the last accepted commit", func(t *testing.T) {
		k, good, _ := broken(t)
		k.Git("reset", "-q", "--hard", good)
		require.Contains(t, image(k), "web:1")
		k.app("4")
		k.by("bob")
		require.Contains(t, image(k), "web:4")
	})
	t.Run("a trust root, by whoever runs the reconciler", func(t *testing.T) {
		k, _, bad := broken(t)
		k.app("5")
		k.by("bob")
		k.start(func(o *Options) { o.TrustRoot = bad })
		require.Contains(t, image(k), "web:5")
	})
	t.Run("a trust root in rewritten history", func(t *testing.T) {
		k, good, _ := broken(t)
		k.Git("checkout", "-q", "--orphan", "fresh")
		k.app("6")
		root := k.by("root")
		k.Git("branch", "-q", "-f", "main", root)
		k.Git("checkout", "-q", "main")
		_, fleet := k.pass()
		require.Equal(t, access.CodeRewritten, fleet.Problems[0].Code)
		require.Equal(t, good, fleet.Commit)
		k.loop.o.TrustRoot = root
		require.Contains(t, image(k), "web:6")
	})
}

// TestTrustRoot: where checking begins when nothing was accepted before.
func TestTrustRoot(t *testing.T) {
	k := newKeeper(t)
	root := k.head()
	k.app("2")
	bad := k.by("")
	t.Run("not given, the first commit seen is trusted", func(t *testing.T) {
		snap, fleet := k.pass()
		require.Equal(t, bad, snap.Commit)
		require.Empty(t, fleet.Problems)
	})
	k.ledger = model.Ledger{}
	t.Run("given, the rest is checked", func(t *testing.T) {
		k.start(func(o *Options) { o.TrustRoot = root })
		snap, fleet := k.pass()
		require.Equal(t, root, snap.Commit)
		require.Equal(t, access.CodeUnsigned, fleet.Problems[0].Code)
	})
	k.ledger = model.Ledger{}
	t.Run("of another history, nothing is accepted", func(t *testing.T) {
		k.start(func(o *Options) { o.TrustRoot = strings.Repeat("1", 40) })
		_, fleet := k.pass()
		require.Nil(t, fleet.Platform)
		require.Empty(t, fleet.Commit)
		require.Equal(t, access.CodeNoTrustRoot, fleet.Problems[0].Code)
		require.Contains(t, fleet.Problems[0].Message, "nothing was accepted before it")
	})
	k.ledger = model.Ledger{}
	t.Run("without a valid platform, nothing is accepted", func(t *testing.T) {
		k.Write("fleet.cue", "package fleet\n\nnonsense\n")
		broken := k.by("root")
		k.Git("revert", "--no-edit", broken)
		k.start(func(o *Options) { o.TrustRoot = broken })
		_, fleet := k.pass()
		require.Nil(t, fleet.Platform)
		require.Equal(t, access.CodeNoTrustRoot, fleet.Problems[0].Code)
	})
}

// TestWholeFleetPinnedBack: whoever runs the reconciler may go back to a commit
// that was accepted, and to no other.
func TestWholeFleetPinnedBack(t *testing.T) {
	k := newKeeper(t)
	first := k.head()
	k.app("2")
	second := k.by("bob")
	k.Git("checkout", "-q", "-b", "side", first)
	k.app("evil")
	side := k.by("mallory")
	k.Git("checkout", "-q", "main")
	k.Signed(k.key["bob"], "merge", "-q", "--no-ff", "-s", "ours", "-m", "merge", "side")
	k.accepts()
	third := k.head()
	accepted := k.ledger
	for _, revision := range []string{first, second} {
		k.ledger = accepted
		k.opts.Revision = revision
		k.start()
		snap, fleet := k.pass()
		require.Equal(t, revision, snap.Commit)
		require.Empty(t, fleet.Problems)
	}
	k.ledger = accepted
	k.opts.Revision = side
	k.start()
	snap, fleet := k.pass()
	require.Equal(t, third, snap.Commit)
	require.Equal(t, access.CodeRewritten, fleet.Problems[0].Code)
}

// TestOpenPGPHistory: the same with the real gpg.
func TestOpenPGPHistory(t *testing.T) {
	tool.Need(t, "gpg")
	home, err := os.MkdirTemp("", "gpg") // short: it holds sockets
	require.NoError(t, err)
	gpg := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Env = append(cmd.Environ(), "GNUPGHOME="+home)
		out, err := cmd.Output()
		require.NoError(t, err)
		return string(out)
	}
	t.Cleanup(func() {
		gpg("gpgconf", "--kill", "all")
		_ = os.RemoveAll(home)
	})
	gpg("gpg", "--batch", "--quiet", "--pinentry-mode", "loopback", "--passphrase", "", "--quick-gen-key", "ada@example.com", "ed25519", "sign", "never")
	public := strings.TrimSpace(gpg("gpg", "--armor", "--export", "ada@example.com"))
	k := newKeeper(t)
	wrapper := k.t.TempDir() + "/gpg"
	require.NoError(t, os.WriteFile(wrapper, []byte("#!/bin/sh\nGNUPGHOME="+home+" exec gpg \"$@\"\n"), 0o755))
	k.accepts()
	k.platform(`access: {enforce: "signed", principals: {root: ssh: [%q], ada: openpgp: ["""
		%s
		"""]}, admins: ["root", "ada"]}`, k.public["root"], strings.ReplaceAll(public, "\n", "\n\t\t"))
	k.by("root")
	k.accepts()
	k.platform(`access: {enforce: "signed", principals: ada: openpgp: ["""
		%s
		"""], admins: ["ada"]}`, strings.ReplaceAll(public, "\n", "\n\t\t"))
	k.Git("add", "-A")
	k.Git("-c", "gpg.program="+wrapper, "-c", "user.signingkey=ada@example.com", "commit", "-q", "-S", "-m", "by ada")
	k.accepts()
	k.app("2")
	k.by("root")
	_, fleet := k.pass()
	require.Equal(t, access.CodeUnknownKey, fleet.Problems[0].Code)
}

// BenchmarkJudge judges a signed history from the first commit to the last, as it
// lies in the object store.
func BenchmarkJudge(b *testing.B) {
	const commits = 200
	k := newKeeper(b)
	k.pass()
	for i := range commits {
		k.app(fmt.Sprint("v", i))
		k.by("bob")
	}
	recorded := access.Recorded{Commit: k.ledger.Commit, Platform: k.ledger.Platform, Tenants: k.ledger.Tenants}
	for b.Loop() {
		_, err := k.loop.o.Source.Line(b.Context(), "", "") // so that the other is read anew
		require.NoError(b, err)
		line, err := k.loop.o.Source.Line(b.Context(), recorded.Commit, "")
		require.NoError(b, err)
		verdict, err := access.Judge(line.Line, recorded, "", k.now, nil)
		if err != nil || verdict.Refused != nil || verdict.Commit != line.Tip {
			b.Fatal(verdict, err)
		}
	}
	b.ReportMetric(float64(b.N*commits)/b.Elapsed().Seconds(), "commits/s")
}
