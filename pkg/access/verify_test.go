package access_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"math/big"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp/packet"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/tool"
)

// fleet is a platform of root, with two tenants: acme of ann, whose shop is owned
// by bob, and globex of gus, who is a principal of the platform.
func fleet(t testing.TB) *access.Policy {
	return access.New(
		platform([]string{"root"}, principal("gus", ed(t, "gus")), principal("root", ed(t, "root"))),
		[]model.Tenant{
			tenant("acme", []string{"ann"}, []model.Owners{{App: "shop", Principals: []string{"bob"}}},
				principal("ann", ed(t, "ann")), principal("bob", ed(t, "bob"))),
			tenant("globex", []string{"gus"}, nil),
		})
}

// TestRolesByPath: who may change what, path by path.
func TestRolesByPath(t *testing.T) {
	p := fleet(t)
	for path, may := range map[string]string{
		"fleet.cue":                        "root",
		"README.md":                        "root",
		".github/CODEOWNERS":               "root",
		"cue.mod/module.cue":               "root",
		".":                                "root",
		"tenants":                          "root",
		"tenants/acme":                     "root",
		"tenants/new/tenant.cue":           "root",
		"tenants/Acme/tenant.cue":          "root",
		"tenants/acme%2Fx/y":               "root",
		"tenants/acme/tenant.cue":          "root ann",
		"tenants/acme/apps/shop":           "root ann", // a file in the place of the directory
		"tenants/acme/apps/new/app.cue":    "root ann",
		"tenants/acme/apps/Shop/app.cue":   "root ann",
		"tenants/acme/apps/shop.cue":       "root ann",
		"tenants/acme/shop/app.cue":        "root ann",
		"tenants/acme/apps/shop/app.cue":   "root ann bob",
		"tenants/acme/apps/shop/a/b/c.yml": "root ann bob",
		"approvals/acme/x.cue":             "root ann",
		"approvals/acme/shop":              "root ann",
		"approvals/acme/shop/1-x.cue":      "root ann bob",
		"approvals/acme/docs/1-x.cue":      "root ann",
		"tenants/globex/tenant.cue":        "root gus",
		"tenants/globex/apps/shop/app.cue": "root gus",
		"approvals/globex/shop/1-x.cue":    "root gus",
		"apps/acme/shop/app.cue":           "root",
	} {
		for _, who := range []string{"root", "ann", "bob", "gus"} {
			_, v := p.Verify(signed(t, ed(t, who), path), now)
			if strings.Contains(" "+may+" ", " "+who+" ") {
				require.Nil(t, v, "%s changes %s", who, path)
				continue
			}
			require.NotNil(t, v, "%s changes %s", who, path)
			require.Equal(t, access.CodeForbidden, v.Code)
			require.Equal(t, path, v.Path)
		}
	}
}

// TestEveryPathCounts: one path too many refuses the commit, and says which.
func TestEveryPathCounts(t *testing.T) {
	p := fleet(t)
	signer, v := p.Verify(signed(t, ed(t, "bob"), "approvals/acme/shop/1.cue", "tenants/acme/apps/shop/app.cue"), now)
	require.Nil(t, v)
	require.Equal(t, "acme/bob", signer)
	_, v = p.Verify(signed(t, ed(t, "bob"), "tenants/acme/apps/shop/app.cue", "tenants/acme/tenant.cue"), now)
	require.Equal(t, "commit cccccccccccc is signed by acme/bob and changes tenants/acme/tenant.cue, which only admins of tenant acme and platform admins may; "+
		"somebody who may change these files signs a merge of it onto the last accepted commit (docs/access.md)", v.Error())
	_, v = p.Verify(signed(t, ed(t, "bob")), now)
	require.Nil(t, v, "a commit that changes nothing needs a known signer and no more")
}

// TestViolations: each kind of violation with its code.
func TestViolations(t *testing.T) {
	const path = "fleet.cue"
	root := ed(t, "root")
	change := func(do func(*sshKey)) access.Commit {
		k := ed(t, "root")
		do(k)
		return signed(t, k, path)
	}
	altered := signed(t, root, path)
	altered.Payload = append(altered.Payload, '!')
	armor := func(do func(string) string) access.Commit {
		c := signed(t, root, path)
		c.Signature = []byte(do(string(c.Signature)))
		return c
	}
	small, err := rsa.GenerateKey(rand.Reader, 1024)
	require.NoError(t, err)
	big, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	sha1 := newSSHKey(t, big)
	sha1.algo = ssh.KeyAlgoRSA
	for name, c := range map[string]struct {
		commit access.Commit
		code   string
		says   string
	}{
		"unsigned":        {commit(path), access.CodeUnsigned, "is not signed"},
		"cannot be taken": {access.Commit{Hash: "c", Refused: "has two trees"}, access.CodeUnreadable, "has two trees"},
		"altered":         {altered, access.CodeBad, "does not fit"},
		"of a file":       {change(func(k *sshKey) { k.namespace = "file" }), access.CodeBad, `namespace "file"`},
		"no namespace":    {change(func(k *sshKey) { k.namespace = "" }), access.CodeBad, "namespace"},
		"next version":    {change(func(k *sshKey) { k.version = 2 }), access.CodeBad, "version 2"},
		"trailing bytes":  {change(func(k *sshKey) { k.tail = "x" }), access.CodeUnreadable, "cannot be read"},
		"hash":            {change(func(k *sshKey) { k.hash = "sha1" }), access.CodeWeak, `the hash "sha1"`},
		"unknown key":     {signed(t, ed(t, "mallory"), path), access.CodeUnknownKey, "nobody's"},
		"small RSA":       {signed(t, newSSHKey(t, small), path), access.CodeWeak, "less than 2048 bits"},
		"RSA with SHA-1":  {signed(t, sha1, path), access.CodeWeak, `"ssh-rsa"`},
		"two blocks":      {armor(func(s string) string { return s + s }), access.CodeUnreadable, "exactly one block"},
		"something before": {armor(func(s string) string { return "x\n" + s }), access.CodeUnreadable,
			"neither of SSH nor of OpenPGP"},
		"something after": {armor(func(s string) string { return s + "x\n" }), access.CodeUnreadable, "cannot be read"},
		"cut":             {armor(func(s string) string { return s[:len(s)/2] }), access.CodeUnreadable, "cannot be read"},
		"X.509":           {armor(func(string) string { return "-----BEGIN SIGNED MESSAGE-----\nAA==\n-----END SIGNED MESSAGE-----\n" }), access.CodeUnreadable, "neither"},
		"not OpenPGP":     {armor(func(string) string { return "-----BEGIN PGP SIGNATURE-----\n\nAAAA\n-----END PGP SIGNATURE-----\n" }), access.CodeUnreadable, "cannot be read"},
		"huge":            {armor(func(s string) string { return s + strings.Repeat("\n", 1<<17) }), access.CodeUnreadable, "more than"},
	} {
		t.Run(name, func(t *testing.T) {
			p := access.New(platform([]string{"rsa", "root"}, principal("root", root), principal("rsa", sha1)), nil)
			_, v := p.Verify(c.commit, now)
			require.NotNil(t, v)
			require.Equal(t, c.code, v.Code, v.Error())
			require.Contains(t, v.Error(), c.says)
			require.NotEmpty(t, v.Hint)
		})
	}
}

// TestValidity: keys are valid for a time, at the date of the commit and today.
func TestValidity(t *testing.T) {
	day := 24 * time.Hour
	for name, c := range map[string]struct {
		after, before time.Duration // to when the commit was made; 0: not said
		revoked       bool
		made          time.Duration // later than it says
		code          string
	}{
		"always":                  {},
		"within":                  {after: -day, before: day},
		"not yet":                 {after: time.Minute, code: access.CodeExpired},
		"expired":                 {before: -time.Minute, code: access.CodeExpired},
		"to the second":           {before: time.Second, made: -time.Second, code: access.CodeExpired},
		"expired, and back-dated": {before: 30 * time.Minute, code: access.CodeExpired},
		"revoked":                 {after: -day, before: day, revoked: true, code: access.CodeRevoked},
	} {
		t.Run(name, func(t *testing.T) {
			m := principal("root", ed(t, "root"))
			m.Revoked = c.revoked
			if c.after != 0 {
				m.ValidAfter = made.Add(c.after).Format(time.RFC3339)
			}
			if c.before != 0 {
				m.ValidBefore = made.Add(c.before).Format(time.RFC3339)
			}
			p := access.New(platform([]string{"root"}, m), nil)
			_, v := p.Verify(signed(t, ed(t, "root"), "fleet.cue"), now)
			if c.code == "" {
				require.Nil(t, v)
				require.True(t, p.Governed(now))
				return
			}
			require.NotNil(t, v)
			require.Equal(t, c.code, v.Code)
			require.Contains(t, v.Error(), "of root, which is")
		})
	}
	m := principal("root", ed(t, "root"))
	m.ValidBefore = "soon"
	p := access.New(platform([]string{"root"}, m), nil)
	require.False(t, p.Governed(now), "what cannot be read holds nothing open")
}

// TestOneKeyInManyHands: a signature speaks for all who list its key; a tenant can
// neither take a right from others nor keep what the platform has revoked.
func TestOneKeyInManyHands(t *testing.T) {
	root, ann := ed(t, "root"), ed(t, "ann")
	revoked := func(name string, k *sshKey) model.Principal {
		p := principal(name, k)
		p.Revoked = true
		return p
	}
	t.Run("a tenant lists an admin's key as revoked", func(t *testing.T) {
		p := access.New(platform([]string{"root"}, principal("root", root)), []model.Tenant{
			tenant("acme", []string{"x"}, nil, revoked("x", root))})
		_, v := p.Verify(signed(t, root, "fleet.cue", "tenants/acme/tenant.cue"), now)
		require.Nil(t, v)
		require.True(t, p.Governed(now))
	})
	t.Run("a tenant lists a key that the platform revoked", func(t *testing.T) {
		p := access.New(platform([]string{"root"}, principal("root", root), revoked("thief", ann)), []model.Tenant{
			tenant("acme", []string{"ann"}, nil, principal("ann", ann))})
		_, v := p.Verify(signed(t, ann, "tenants/acme/tenant.cue"), now)
		require.Equal(t, access.CodeRevoked, v.Code)
	})
	t.Run("a tenant calls somebody like a platform admin", func(t *testing.T) {
		p := access.New(platform([]string{"root"}, principal("root", root)), []model.Tenant{
			tenant("acme", []string{"root"}, nil, principal("root", ann))})
		_, v := p.Verify(signed(t, ann, "fleet.cue"), now)
		require.Equal(t, access.CodeForbidden, v.Code)
		_, v = p.Verify(signed(t, ann, "tenants/acme/tenant.cue"), now)
		require.Nil(t, v)
	})
	t.Run("a key of two tenants", func(t *testing.T) {
		p := access.New(platform([]string{"root"}, principal("root", root)), []model.Tenant{
			tenant("acme", []string{"ann"}, nil, principal("ann", ann)), tenant("globex", []string{"nan"}, nil, principal("nan", ann))})
		signer, v := p.Verify(signed(t, ann, "tenants/acme/tenant.cue", "tenants/globex/tenant.cue"), now)
		require.Nil(t, v)
		require.Equal(t, "acme/ann, globex/nan", signer)
	})
}

// TestUnusableKeys: a declared key that nobody can sign with is said, with its
// place, and the others hold.
func TestUnusableKeys(t *testing.T) {
	small, err := rsa.GenerateKey(rand.Reader, 1024)
	require.NoError(t, err)
	bits := func(n uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), n-1) }
	old := ssh.Marshal(struct { // a DSA key of the usual size
		Name       string
		P, Q, G, Y *big.Int
	}{"ssh-dss", bits(1024), bits(160), bits(2), bits(3)})
	good, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	m := principal("root", newSSHKey(t, good), newSSHKey(t, small))
	m.SSH = append(m.SSH, "ssh-ed25519 AAAA", "ssh-dss "+encode64(string(old)), `cert-authority `+m.SSH[0], m.SSH[0]+"\n"+m.SSH[0])
	weak := newPGPKey(t, packet.Config{Algorithm: packet.PubKeyAlgoRSA, RSABits: 1024, MinRSABits: 1024})
	m.OpenPGP = []string{"nonsense", weak.public(t)}
	pf := platform([]string{"root"}, m)
	pf.At = model.Positions{"access.principals.root.ssh.1": "fleet.cue:7:9"}
	p := access.New(pf, nil)
	var said []string
	for _, problem := range p.Problems(now) {
		require.Equal(t, access.CodeUnusableKey, problem.Code)
		said = append(said, strings.TrimPrefix(problem.Path, "platform.access.principals.root.")+" "+strings.TrimPrefix(problem.Message, "nobody can sign with it: "))
	}
	require.Equal(t, []string{
		"ssh.1 RSA keys of less than 2048 bits are not accepted",
		"ssh.2 it is no SSH public key",
		"ssh.3 keys of type ssh-dss are not accepted",
		"ssh.4 it is more than one SSH public key and its comment",
		"ssh.5 it is more than one SSH public key and its comment",
		"openpgp.0 it is not one armored OpenPGP public key",
		"openpgp.1 it has no key to sign with, or a weak one (SHA-1, DSA, RSA of less than 2048 bits)",
	}, said)
	require.Equal(t, "fleet.cue:7:9", p.Problems(now)[0].Places[0].At)
	require.True(t, p.Governed(now))
	_, v := p.Verify(signed(t, newSSHKey(t, good), "fleet.cue"), now)
	require.Nil(t, v)
	_, v = p.Verify(signed(t, newSSHKey(t, small), "fleet.cue"), now)
	require.Equal(t, access.CodeWeak, v.Code)
}

// TestGoverned: whether anybody could still change the platform.
func TestGoverned(t *testing.T) {
	revoked := principal("root", ed(t, "root"))
	revoked.Revoked = true
	broken := model.Principal{Name: "root", SSH: []string{"ssh-ed25519 AAAA"}}
	for name, c := range map[string]struct {
		policy *access.Policy
		want   bool
	}{
		"an admin":               {access.New(platform([]string{"root"}, principal("root", ed(t, "root"))), nil), true},
		"nothing said":           {access.New(nil, nil), false},
		"nobody appointed":       {access.New(platform(nil, principal("root", ed(t, "root"))), nil), false},
		"a revoked admin":        {access.New(platform([]string{"root"}, revoked), nil), false},
		"an admin without a key": {access.New(platform([]string{"root"}, broken), nil), false},
		"an OpenPGP admin": {access.New(platform([]string{"root"}, model.Principal{Name: "root",
			OpenPGP: []string{newPGPKey(t, packet.Config{Algorithm: packet.PubKeyAlgoEdDSA}).public(t)}}), nil), true},
		"an expired OpenPGP admin": {access.New(platform([]string{"root"}, model.Principal{Name: "root",
			OpenPGP: []string{newPGPKey(t, packet.Config{Algorithm: packet.PubKeyAlgoEdDSA, KeyLifetimeSecs: 60}).public(t)}}), nil), false},
	} {
		require.Equal(t, c.want, c.policy.Governed(now), name)
	}
	require.False(t, access.New(nil, nil).Enforced())
}

// TestRealSSHKeygen: what the real program signs is accepted, of every type.
func TestRealSSHKeygen(t *testing.T) {
	dir := t.TempDir()
	for _, c := range [][]string{{"-t", "ed25519"}, {"-t", "ecdsa", "-b", "256"}, {"-t", "ecdsa", "-b", "384"}, {"-t", "ecdsa", "-b", "521"}, {"-t", "rsa", "-b", "2048"}} {
		name := strings.Join(c[1:], "")
		file := filepath.Join(dir, name)
		run(t, "", nil, "ssh-keygen", append([]string{"-q", "-N", "", "-C", "a comment", "-f", file}, c...)...)
		p := access.New(platform([]string{"root"}, model.Principal{Name: "root", SSH: []string{read(t, file+".pub")}}), nil)
		require.Empty(t, p.Problems(now))
		got := commit("fleet.cue")
		got.Signature = []byte(run(t, string(got.Payload), nil, "ssh-keygen", "-q", "-Y", "sign", "-n", "git", "-f", file))
		signer, v := p.Verify(got, now)
		require.Nil(t, v, name)
		require.Equal(t, "root", signer)
		got.Signature = []byte(run(t, string(got.Payload), nil, "ssh-keygen", "-q", "-Y", "sign", "-n", "file", "-f", file))
		_, v = p.Verify(got, now)
		require.Equal(t, access.CodeBad, v.Code, name)
	}
}

// run runs a program with input and returns what it prints.
func run(t testing.TB, input string, env []string, name string, args ...string) string {
	t.Helper()
	tool.Need(t, name)
	cmd := exec.Command(name, args...)
	cmd.Stdin, cmd.Env = strings.NewReader(input), append(cmd.Environ(), env...)
	out, err := cmd.Output()
	if e, ok := err.(*exec.ExitError); ok {
		t.Fatalf("%s %v: %v\n%s", name, args, err, e.Stderr)
	}
	require.NoError(t, err)
	return string(out)
}

// What can change or break the layers of the platform and of tenants is looked at,
// also files between the layers.
func TestSaysWho(t *testing.T) {
	for path, want := range map[string]bool{
		"fleet.cue": true, "tenants/acme/tenant.cue": true, "tenants/limits.cue": true, "tenants/acme/apps/limits.cue": true,
		"README.md": false, "tenants/acme/README.md": false, "tenants/acme/apps/shop/app.cue": false, "approvals/acme/shop/x.cue": false,
	} {
		require.Equal(t, want, access.SaysWho(path), path)
	}
}
