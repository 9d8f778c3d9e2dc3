package access_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/test/gittest"
	"github.com/d-aros/d-aros/test/inprocess"
)

// A history is a fleet repo with commits that the real git and ssh-keygen have made
// and signed, and how far it is accepted.
type history struct {
	*gittest.Repo
	t      testing.TB
	files  map[string]string // private keys by name, "": none
	public map[string]string

	good   string         // the last accepted commit …
	policy *access.Policy // … and what holds after it
}

// staff are the principals of the platform. Mallory has a key and is nobody.
var staff = []string{"root", "ann", "bob", "cyd"}

func newHistory(t testing.TB) *history {
	h := &history{Repo: gittest.New(t), t: t, files: map[string]string{}, public: map[string]string{}}
	for _, name := range append(slices.Clone(staff), "mallory") {
		h.files[name], h.public[name] = h.Key(name)
	}
	h.declare(nil, []string{"root"}, []string{"ann"}, []string{"bob"}, nil)
	h.Write("tenants/acme/apps/shop/app.cue", "1")
	h.good = h.CommitSigned(h.files["root"], "start")
	h.policy = h.layers()
	return h
}

// declare writes who may do what.
func (h *history) declare(revoked, admins, tenantAdmins, owners, newcomers []string) {
	list := func(names []string) string { return strings.ReplaceAll(fmt.Sprintf("%q", names), `" "`, `", "`) }
	var principals strings.Builder
	for _, name := range append(slices.Clone(staff), newcomers...) {
		fmt.Fprintf(&principals, "\t\t%s: {ssh: [%q], revoked: %v}\n", name, h.public[name], slices.Contains(revoked, name))
	}
	h.Write("fleet.cue", fmt.Sprintf(`package fleet

import "d-aros.dev/schema"

schema.#Fleet

platform: {
	name: "test"
	policy: images: registries: ["ghcr.io/acme"]
	pools: general: capacity: {cpu: "8", memory: "32Gi"}
	allotments: acme: {}
	access: enforce: "signed"
	access: admins: %s
	access: principals: {
%s	}
}
`, list(admins), principals.String()))
	h.Write("tenants/acme/tenant.cue", fmt.Sprintf("package fleet\n\ntenant: {\n\tname: \"acme\"\n\taccess: {admins: %s, owners: shop: %s}\n}\n", list(tenantAdmins), list(owners)))
}

// layers compiles what the files say that are checked out, nil if nobody could
// change the platform any more.
func (h *history) layers() *access.Policy {
	fleet := evaluate.Through(inprocess.By[evaluate.Worker]()).Layers(onDisk{os.DirFS(h.Dir)})
	if fleet.Platform == nil {
		require.Equal(h.t, "DA1807", fleet.Problems[0].Code, fleet.Problems)
		return nil
	}
	require.Empty(h.t, fleet.Problems)
	return access.New(fleet.Platform, fleet.Tenants)
}

// onDisk are files with digests.
type onDisk struct{ fs.FS }

func (d onDisk) Digest(name string) (string, error) {
	data, err := fs.ReadFile(d.FS, name)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), err
}

// read takes the commit apart that is checked out, as git prints it.
func (h *history) read() access.Commit {
	raw, err := h.Command("cat-file", "commit", "HEAD").Output()
	require.NoError(h.t, err)
	c := access.Commit{Hash: h.Git("rev-parse", "HEAD"), Time: time.Now()}
	head, message, _ := strings.Cut(string(raw), "\n\n")
	inSignature := false
	for line := range strings.Lines(head + "\n") {
		first, begins := strings.CutPrefix(line, "gpgsig ")
		inSignature = begins || inSignature && strings.HasPrefix(line, " ")
		switch {
		case begins:
			c.Signature = append(c.Signature, first...)
		case inSignature:
			c.Signature = append(c.Signature, line[1:]...)
		default:
			c.Payload = append(c.Payload, line...)
		}
	}
	c.Payload = append(c.Payload, "\n"+message...)
	for path := range strings.Lines(h.Git("diff", "--name-only", "--no-renames", "HEAD^", "HEAD")) {
		c.Paths = append(c.Paths, strings.TrimSpace(path))
	}
	return c
}

// judge commits everything with somebody's signature. What is accepted holds from
// then on; anything else is taken back.
func (h *history) judge(signer string) *access.Violation {
	h.t.Helper()
	h.CommitSigned(h.files[signer], "by "+signer)
	_, v := h.policy.Verify(h.read(), time.Now())
	after := h.policy
	if v == nil {
		if after = h.layers(); after == nil || !after.Governed(time.Now()) {
			v = &access.Violation{Code: access.CodeLockout}
		}
	}
	if v != nil {
		h.Git("reset", "-q", "--hard", h.good)
		h.Git("clean", "-q", "-fd")
		return v
	}
	h.good, h.policy = h.Git("rev-parse", "HEAD"), after
	return nil
}

// Keys and roles are those of the last accepted commit: not of the commit itself,
// and not of one that was refused.
func TestKeysOfTheLastAcceptedCommit(t *testing.T) {
	h := newHistory(t)
	appoint := func() {
		h.declare(nil, []string{"root"}, []string{"ann", "mallory"}, []string{"bob"}, []string{"mallory"})
	}
	change := func() { h.Write("tenants/acme/apps/shop/app.cue", fmt.Sprint(time.Now().UnixNano())) }
	code := func(v *access.Violation) string {
		if v == nil {
			return ""
		}
		return v.Code
	}
	appoint()
	require.Equal(t, access.CodeUnknownKey, code(h.judge("mallory")), "nobody appoints themselves")
	appoint()
	require.Equal(t, access.CodeForbidden, code(h.judge("ann")), "nor by somebody who may not")
	change()
	require.Equal(t, access.CodeUnknownKey, code(h.judge("mallory")), "what was refused has no meaning")
	appoint()
	require.Empty(t, code(h.judge("root")))
	change()
	require.Empty(t, code(h.judge("mallory")), "the commit after counts")
	h.declare([]string{"mallory"}, []string{"root"}, []string{"ann", "mallory"}, []string{"bob"}, []string{"mallory"})
	require.Empty(t, code(h.judge("root")))
	change()
	require.Equal(t, access.CodeRevoked, code(h.judge("mallory")))
	h.declare(nil, []string{"root"}, []string{"ann"}, []string{"bob"}, nil)
	require.Empty(t, code(h.judge("root")))
	change()
	require.Equal(t, access.CodeUnknownKey, code(h.judge("mallory")))
	change()
	require.Equal(t, access.CodeUnsigned, code(h.judge("")))
	h.declare([]string{"root"}, []string{"root"}, nil, nil, nil)
	require.Equal(t, access.CodeLockout, code(h.judge("root")))
}

// On histories of any commits by anybody, CODEOWNERS as of the last accepted commit
// names the signer for every path if and only if the commit is accepted.
func TestCodeownersAgreesOnRealHistories(t *testing.T) {
	const histories = 4 // of up to 12 commits; git and ssh-keygen take their time
	done := 0
	rapid.Check(t, func(rt *rapid.T) {
		if done == histories {
			return
		}
		h := newHistory(t)
		some := func(least int, what string) []string {
			return rapid.SliceOfNDistinct(rapid.SampledFrom(staff), least, 3, rapid.ID[string]).Draw(rt, what)
		}
		for range rapid.IntRange(4, 12).Draw(rt, "commits") {
			revoked := h.revokedNow()
			codeowners := string(access.Codeowners(h.policy))
			for _, change := range rapid.SliceOfN(rapid.IntRange(0, 5), 1, 2).Draw(rt, "changes") {
				switch change {
				case 0:
					h.declare(some(0, "revoked"), some(1, "admins"), some(0, "tenant admins"), some(0, "owners"), nil)
				default:
					file := []string{"", "README.md", "tenants/acme/notes.txt", "tenants/acme/apps/shop/x", "tenants/acme/apps/new/x", "approvals/acme/shop/1"}[change]
					h.Write(file, rapid.StringMatching("[a-z]{8}").Draw(rt, "content"))
				}
			}
			signer := rapid.SampledFrom(append([]string{"", "mallory"}, append(staff, staff...)...)).Draw(rt, "signer")
			h.Git("add", "-A")
			want := slices.Contains(staff, signer) && !slices.Contains(revoked, signer)
			for path := range strings.Lines(h.Git("diff", "--cached", "--name-only", "--no-renames")) {
				want = want && slices.Contains(ownersOf(rt, codeowners, strings.TrimSpace(path)), "@"+signer)
			}
			v := h.judge(signer)
			if v != nil && v.Code == access.CodeLockout {
				continue // CODEOWNERS does not look ahead
			}
			if want != (v == nil) {
				rt.Fatalf("%q signs: CODEOWNERS says %v, the verifier %v\n%s", signer, want, v, codeowners)
			}
		}
		done++
	})
}

// revokedNow reads from the last accepted files who is revoked.
func (h *history) revokedNow() (names []string) {
	data, err := os.ReadFile(filepath.Join(h.Dir, "fleet.cue"))
	require.NoError(h.t, err)
	for line := range strings.Lines(string(data)) {
		if name, rest, ok := strings.Cut(strings.TrimSpace(line), ": {ssh: "); ok && strings.HasSuffix(rest, "revoked: true}") {
			names = append(names, name)
		}
	}
	return names
}
