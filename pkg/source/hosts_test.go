package source_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/signkey"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/test/gittest"
	"github.com/d-aros/d-aros/test/inprocess"
)

// hosted is a fleet repo whose commits need signatures, with the keys of people and of a
// Git host that merges. Root and ada are admins of the platform, ann of tenant acme, and
// bob owns its application shop. Eve has a key and is nobody.
type hosted struct {
	*gittest.Repo
	t        testing.TB
	keys     map[string]string // private keys
	public   map[string]string
	recorded access.Recorded
	source   *source.Repository
}

func newHosted(t testing.TB, settings string) *hosted {
	private, public := keyring()
	h := &hosted{Repo: gittest.New(t), t: t, keys: map[string]string{}, public: public}
	for name, key := range private {
		h.keys[name] = filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(h.keys[name], []byte(key), 0o600))
	}
	h.declare(settings)
	h.Write("tenants/acme/tenant.cue", fmt.Sprintf("package fleet\n\ntenant: {\n\tname: \"acme\"\n\taccess: {principals: {ann: ssh: [%q], bob: ssh: [%q]}, admins: [\"ann\"], owners: shop: [\"bob\"]}\n}\n",
		h.public["ann"], h.public["bob"]))
	h.Write("tenants/acme/apps/shop/app.txt", "1")
	h.Write("README.md", "1")
	first := h.CommitSigned(h.keys["root"], "start")
	h.source = open(t, source.Options{URL: h.Dir})
	fleet := evaluate.Through(inprocess.By[evaluate.Worker]()).Layers(snapshot(t, h.source).Files)
	require.Empty(t, fleet.Problems)
	h.recorded = access.Recorded{Commit: first, Platform: fleet.Platform, Tenants: fleet.Tenants}
	return h
}

// keyring makes the keys that all repos have, so that what they declare alike is evaluated once.
var keyring = sync.OnceValues(func() (private, public map[string]string) {
	private, public = map[string]string{}, map[string]string{}
	dir, err := os.MkdirTemp("", "keys-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"root", "ada", "ann", "bob", "eve", "host"} {
		text, err := signkey.WriteEd25519(filepath.Join(dir, name), name)
		if err != nil {
			panic(err)
		}
		key, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			panic(err)
		}
		private[name], public[name] = string(key), strings.TrimSpace(text)
	}
	return private, public
})

// declare writes who may do what.
func (h *hosted) declare(settings string) {
	h.Write("fleet.cue", fmt.Sprintf(`package fleet

import "d-aros.dev/schema"

schema.#Fleet

platform: {
	name: "test"
	policy: images: registries: ["ghcr.io/acme"]
	pools: general: capacity: {cpu: "8", memory: "32Gi"}
	allotments: acme: {}
	access: {
		enforce: "signed"
		admins: ["root", "ada"]
		principals: {root: ssh: [%q], ada: ssh: [%q]}
		%s
	}
}
`, h.public["root"], h.public["ada"], settings))
	if settings != "" {
		h.Write("host.cue", fmt.Sprintf("package fleet\n\nplatform: access: principals: host: ssh: [%q]\n", h.public["host"]))
	}
}

// on begins a branch at main, and back ends it.
func (h *hosted) on(branch string) { h.Git("checkout", "-q", "-b", branch, "main") }
func (h *hosted) back()            { h.Git("checkout", "-q", "main") }

// commits changes a file and commits it with somebody's signature, "" for none. The
// lines are the rest of the message.
func (h *hosted) commits(by, file string, lines ...string) string {
	h.Write(file, fmt.Sprint(by, time.Now().UnixNano()))
	return h.CommitSigned(h.keys[by], strings.Join(append([]string{"change " + file}, lines...), "\n"))
}

// merges merges a branch into the one that is checked out, as the merge button does.
func (h *hosted) merges(by, branch string, lines ...string) string {
	h.Signed(h.keys[by], "merge", "-q", "--no-ff", "-m", strings.Join(append([]string{"Merge " + branch}, lines...), "\n"), branch)
	return h.Git("rev-parse", "HEAD")
}

// judge reads the branch from its Git server and judges it.
func (h *hosted) judge() access.Verdict {
	h.t.Helper()
	line := lineTo(h.t, h.source, h.recorded.Commit, "")
	verdict, err := line.Judge(h.recorded, time.Now(), func(f *source.Files) model.Fleet { return evaluate.Through(inprocess.By[evaluate.Worker]()).Layers(f) })
	require.NoError(h.t, err)
	return verdict
}

// accepted requires that the tip is accepted.
func (h *hosted) accepted() {
	h.t.Helper()
	v := h.judge()
	require.Nil(h.t, v.Refused)
	require.Equal(h.t, h.Git("rev-parse", "main"), v.Commit)
}

// refused requires that a commit is refused for a reason.
func (h *hosted) refused(commit, code, why string) {
	h.t.Helper()
	v := h.judge()
	require.NotNil(h.t, v.Refused)
	require.Equal(h.t, code, v.Refused.Code, v.Refused.Error())
	require.Contains(h.t, v.Refused.Error(), why)
	require.Equal(h.t, commit, v.Refused.Commit)
	require.NotEqual(h.t, commit, v.Commit)
}

const (
	shop      = "tenants/acme/apps/shop/app.txt"
	withHosts = `mergers: ["host"]`
)

// TestHostsOfThePage: each row of the table in docs/access.md is a history that the host
// leaves, with and without the setting of the row.
func TestHostsOfThePage(t *testing.T) {
	change := func(h *hosted) {
		h.on("change")
		h.commits("bob", shop)
		h.back()
		h.commits("ada", "README.md") // so that nothing is a fast-forward
	}
	mergeCommit := func(h *hosted) string { change(h); return h.merges("host", "change") }
	unsignedMerge := func(h *hosted) string { change(h); return h.merges("", "change") }
	squash := func(by string) func(h *hosted) string {
		return func(h *hosted) string {
			change(h)
			h.Git("merge", "-q", "--squash", "change")
			return h.CommitSigned(h.keys[by], "change (#1)")
		}
	}
	rebase := func(by string) func(h *hosted) string {
		return func(h *hosted) string {
			change(h)
			h.Signed(h.keys[by], "cherry-pick", "change")
			return h.Git("rev-parse", "HEAD")
		}
	}
	rebaseMerge := func(h *hosted) string {
		change(h)
		h.Git("checkout", "-q", "change")
		h.Git("rebase", "-q", "main")
		h.back()
		return h.merges("host", "change")
	}
	forward := func(h *hosted) string {
		h.on("change")
		h.commits("bob", shop)
		h.back()
		h.Git("merge", "-q", "--ff-only", "change")
		return h.Git("rev-parse", "HEAD")
	}
	byAda := func(h *hosted) string { change(h); return h.merges("ada", "change") }
	histories := map[string]struct {
		history func(h *hosted) string
		without string // code without mergers, "" if it is accepted
	}{
		"GitHub: create a merge commit":              {mergeCommit, access.CodeUnknownKey},
		"GitHub: squash and merge":                   {squash("host"), access.CodeUnknownKey},
		"GitHub: rebase and merge":                   {rebase(""), access.CodeUnsigned},
		"GitLab: merge commit":                       {mergeCommit, access.CodeUnknownKey},
		"GitLab: merge commit, no signing key":       {unsignedMerge, access.CodeUnsigned},
		"GitLab: semi-linear history, rebased there": {rebaseMerge, access.CodeUnknownKey},
		"GitLab: fast-forward merge":                 {forward, ""},
		"GitLab: squash commits":                     {squash("host"), access.CodeUnknownKey},
		"Gitea, Forgejo: create merge commit":        {mergeCommit, access.CodeUnknownKey},
		"Gitea, Forgejo: rebase, then fast-forward":  {rebase(""), access.CodeUnsigned},
		"Gitea, Forgejo: rebase, then merge commit":  {rebaseMerge, access.CodeUnknownKey},
		"Gitea, Forgejo: create squash commit":       {squash("host"), access.CodeUnknownKey},
		"Gitea, Forgejo: fast-forward only":          {forward, ""},
		"any: `reconciler merge`, or `git merge -S`": {byAda, ""},
	}
	page, err := os.ReadFile("../../docs/access.md")
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\| ([^|]+) \| ([^|]+) \| ([^|]+) \| (counts|refused: (DA20\d\d)) \|$`).FindAllSubmatch(page, -1) {
		row := string(m[1]) + ": " + string(m[2])
		t.Run(row, func(t *testing.T) {
			c, ok := histories[row]
			require.True(t, ok, "no history for this row")
			seen[row] = true
			t.Parallel()
			for settings, code := range map[string]string{withHosts: string(m[5]), "": c.without} {
				h := newHosted(t, settings)
				if commit := c.history(h); code == "" {
					h.accepted()
				} else {
					h.refused(commit, code, "docs/access.md")
				}
			}
		})
	}
	require.Len(t, seen, len(histories))
}

// TestMergesOfAHost: the key of a host adds nothing to the signatures of people. Each
// case is what the host merges; what the merge itself does may come on top.
func TestMergesOfAHost(t *testing.T) {
	merge := func(h *hosted) string { h.back(); return h.merges("host", "change") }
	amended := func(h *hosted, file, content string) string {
		merge(h)
		h.Write(file, content)
		h.Git("add", "-A")
		h.Signed(h.keys["host"], "commit", "-q", "--amend", "--no-edit")
		return h.Git("rev-parse", "HEAD")
	}
	for _, c := range []struct {
		name    string
		history func(h *hosted) string
		code    string
		why     string
	}{
		{"several people", func(h *hosted) string {
			h.on("change")
			h.commits("bob", shop)
			h.commits("ann", "tenants/acme/notes.txt")
			h.commits("root", "README.md")
			return merge(h)
		}, "", ""},
		{"nothing", func(h *hosted) string { h.on("change"); h.CommitSigned(h.keys["bob"], "empty"); return merge(h) }, "", ""},
		{"an unsigned commit", func(h *hosted) string { h.on("change"); h.commits("", shop); h.commits("bob", shop); return merge(h) },
			access.CodeUnsigned, "is a merge by the Git host host of commit"},
		{"a commit of nobody", func(h *hosted) string { h.on("change"); h.commits("eve", shop); return merge(h) }, access.CodeUnknownKey, "which is nobody's"},
		{"a commit without the role", func(h *hosted) string { h.on("change"); h.commits("bob", "README.md"); return merge(h) },
			access.CodeForbidden, "which is signed by acme/bob and changes README.md, which only platform admins may"},
		{"what was taken back on the branch", func(h *hosted) string {
			h.on("change")
			h.commits("bob", "README.md")
			h.Write("README.md", "1")
			h.CommitSigned(h.keys["bob"], "back")
			return merge(h)
		}, access.CodeForbidden, "README.md"},
		{"more than the branch", func(h *hosted) string { h.on("change"); h.commits("bob", shop); return amended(h, "README.md", "evil") },
			access.CodeMerge, "is not the clean merge of its parents at README.md"},
		{"another content", func(h *hosted) string { h.on("change"); h.commits("bob", shop); return amended(h, shop, "evil") },
			access.CodeMerge, "is not the clean merge of its parents at " + shop},
		{"both sides changed one file", func(h *hosted) string {
			h.Write("README.md", strings.Repeat("line\n", 30))
			h.CommitSigned(h.keys["root"], "long")
			h.on("change")
			h.Write("README.md", "top\n"+strings.Repeat("line\n", 30))
			h.CommitSigned(h.keys["root"], "top")
			h.back()
			h.Write("README.md", strings.Repeat("line\n", 30)+"bottom\n")
			h.CommitSigned(h.keys["ada"], "bottom")
			return merge(h)
		}, access.CodeMerge, "which both sides changed, or the host"},
		{"both sides made one file equal", func(h *hosted) string {
			h.on("change")
			h.commits("bob", shop)
			h.Write("README.md", "equal")
			h.CommitSigned(h.keys["root"], "equal")
			h.back()
			h.Write("README.md", "equal")
			h.CommitSigned(h.keys["ada"], "equal")
			return merge(h)
		}, "", ""},
		{"a branch that the host brought up to date", func(h *hosted) string {
			h.on("change")
			h.commits("bob", shop)
			h.back()
			h.commits("root", "README.md")
			h.Git("checkout", "-q", "change")
			h.merges("host", "main")
			h.commits("bob", shop)
			return merge(h)
		}, "", ""},
		{"a branch that its author brought up to date", func(h *hosted) string {
			h.on("change")
			h.commits("bob", shop)
			h.back()
			h.commits("root", "README.md")
			h.Git("checkout", "-q", "change")
			h.merges("bob", "main")
			return merge(h)
		}, "", ""},
		{"a branch that took something back while it was brought up to date", func(h *hosted) string {
			h.on("change")
			h.commits("bob", shop)
			h.back()
			h.commits("root", "README.md")
			h.Git("checkout", "-q", "change")
			h.merges("bob", "main")
			h.Write("README.md", "1")
			h.Git("add", "-A")
			h.Signed(h.keys["bob"], "commit", "-q", "--amend", "--no-edit")
			return merge(h)
		}, access.CodeForbidden, "signed by acme/bob and changes README.md"},
		{"a branch into which the host merged another one", func(h *hosted) string {
			h.on("other")
			h.commits("ann", "tenants/acme/notes.txt")
			h.on("change")
			h.commits("bob", shop)
			h.merges("host", "other")
			return merge(h)
		}, "", ""},
		{"a branch into which the host merged what nobody signed", func(h *hosted) string {
			h.on("other")
			h.commits("", "tenants/acme/notes.txt")
			h.on("change")
			h.commits("bob", shop)
			h.merges("host", "other")
			return merge(h)
		}, access.CodeUnsigned, ""},
		{"a branch that the host edited", func(h *hosted) string { h.on("change"); h.commits("host", shop); return merge(h) }, access.CodeMerge, "which the Git host made and nobody signed"},
		{"a merge of three", func(h *hosted) string {
			h.on("other")
			h.commits("ann", "tenants/acme/notes.txt")
			h.on("change")
			h.commits("bob", shop)
			h.back()
			h.Signed(h.keys["host"], "merge", "-q", "--no-ff", "-m", "octopus", "change", "other")
			return h.Git("rev-parse", "HEAD")
		}, access.CodeMerge, "is no merge of two commits"},
		{"a branch without a common commit", func(h *hosted) string {
			h.Git("checkout", "-q", "--orphan", "change")
			h.Git("rm", "-q", "-rf", ".")
			h.commits("bob", "tenants/acme/apps/shop/other.txt")
			h.back()
			h.Signed(h.keys["host"], "merge", "-q", "--no-ff", "--allow-unrelated-histories", "-m", "unrelated", "change")
			return h.Git("rev-parse", "HEAD")
		}, access.CodeMerge, "has not exactly one latest commit in common"},
		{"what was dropped before", func(h *hosted) string {
			start := h.Git("rev-parse", "main")
			h.on("dropped")
			h.commits("", "README.md")
			h.back()
			h.commits("root", "tenants/acme/apps/shop/root.txt")
			middle := h.Git("rev-parse", "main")
			h.Signed(h.keys["root"], "merge", "-q", "-s", "ours", "-m", "drop it", "dropped")
			require.NotEqual(h.t, start, middle)
			h.Git("checkout", "-q", "-b", "change", "dropped")
			h.merges("bob", middle)
			h.commits("bob", shop)
			h.back()
			h.Signed(h.keys["host"], "merge", "-q", "--no-ff", "-m", "again", "change")
			return h.Git("rev-parse", "HEAD")
		}, access.CodeMerge, "has not exactly one latest commit in common"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHosted(t, withHosts)
			if commit := c.history(h); c.code == "" {
				h.accepted()
			} else {
				h.refused(commit, c.code, c.why)
			}
		})
	}
}

// TestTheKeyOfAHostIsNobodyElses: a tenant that lists it appoints nobody.
func TestTheKeyOfAHostIsNobodyElses(t *testing.T) {
	h := newHosted(t, withHosts)
	h.Write("tenants/acme/tenant.cue", fmt.Sprintf("package fleet\n\ntenant: {\n\tname: \"acme\"\n\taccess: {principals: eve: ssh: [%q], admins: [\"eve\", \"host\"]}\n}\n", h.public["host"]))
	h.commits("root", "README.md")
	h.accepted()
	h.refused(h.commits("host", shop), access.CodeMerge, "is no merge of two commits")
}
