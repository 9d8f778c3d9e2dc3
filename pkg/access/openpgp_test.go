package access_test

import (
	"crypto"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp/packet"
	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
)

func read(t testing.TB, file string) string {
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(b)
}

// TestOpenPGP: good signatures, and each way in which they are not.
func TestOpenPGP(t *testing.T) {
	config := packet.Config{Algorithm: packet.PubKeyAlgoEdDSA}
	root, other := newPGPKey(t, config), newPGPKey(t, config)
	p := access.New(platform([]string{"root"}, model.Principal{Name: "root", OpenPGP: []string{root.public(t)}}), nil)
	require.Empty(t, p.Problems(now))
	c := commit("fleet.cue")
	for name, want := range map[string]struct {
		signature []byte
		code      string
	}{
		"good":              {root.sign(t, c.Payload, made, crypto.SHA256), ""},
		"SHA-512":           {root.sign(t, c.Payload, made, crypto.SHA512), ""},
		"of something else": {root.sign(t, []byte("x"), made, crypto.SHA256), access.CodeBad},
		"of somebody else":  {other.sign(t, c.Payload, made, crypto.SHA256), access.CodeUnknownKey},
		"a clock ahead":     {root.sign(t, c.Payload, now.Add(time.Minute), crypto.SHA256), ""},
		"from the future":   {root.sign(t, c.Payload, now.Add(6*time.Minute), crypto.SHA256), access.CodeExpired},
	} {
		t.Run(name, func(t *testing.T) {
			c := c
			c.Signature = want.signature
			signer, v := p.Verify(c, now)
			if want.code == "" {
				require.Nil(t, v)
				require.Equal(t, "root", signer)
				return
			}
			require.NotNil(t, v)
			require.Equal(t, want.code, v.Code, v.Error())
		})
	}
	t.Run("two signatures in one block", func(t *testing.T) {
		c := c
		c.Signature = join(t, root.sign(t, c.Payload, made, crypto.SHA256), other.sign(t, c.Payload, made, crypto.SHA256))
		_, v := p.Verify(c, now)
		require.Equal(t, access.CodeUnreadable, v.Code)
	})
	t.Run("two keys in one block", func(t *testing.T) {
		both := access.New(platform(nil, model.Principal{Name: "root", OpenPGP: []string{root.public(t) + "\n" + other.public(t)}}), nil)
		require.Equal(t, access.CodeUnusableKey, both.Problems(now)[0].Code)
	})
	t.Run("revoked by the platform, listed by a tenant", func(t *testing.T) {
		p := access.New(platform(nil, model.Principal{Name: "thief", OpenPGP: []string{root.public(t)}, Revoked: true}), []model.Tenant{
			tenant("acme", []string{"ann"}, nil, model.Principal{Name: "ann", OpenPGP: []string{root.public(t)}})})
		c := commit("tenants/acme/tenant.cue")
		c.Signature = root.sign(t, c.Payload, made, crypto.SHA256)
		_, v := p.Verify(c, now)
		require.Equal(t, access.CodeRevoked, v.Code)
	})
	t.Run("the key says that it is revoked", func(t *testing.T) {
		gone := newPGPKey(t, config)
		signature := gone.sign(t, c.Payload, made, crypto.SHA256)
		require.NoError(t, gone.entity.Revoke(packet.KeySuperseded, "", &packet.Config{Time: func() time.Time { return made.Add(time.Minute) }}))
		p := access.New(platform([]string{"root"}, model.Principal{Name: "root", OpenPGP: []string{gone.public(t)}}), nil)
		c := c
		c.Signature = signature
		_, v := p.Verify(c, now)
		require.Equal(t, access.CodeRevoked, v.Code)
		require.False(t, p.Governed(now))
	})
	t.Run("the key says that it has expired", func(t *testing.T) {
		short := newPGPKey(t, packet.Config{Algorithm: packet.PubKeyAlgoEdDSA, KeyLifetimeSecs: uint32((90 * time.Minute).Seconds())})
		p := access.New(platform([]string{"root"}, model.Principal{Name: "root", OpenPGP: []string{short.public(t)}}), nil)
		c := c
		c.Signature = short.sign(t, c.Payload, made, crypto.SHA256)
		_, v := p.Verify(c, made)
		require.Nil(t, v)
		_, v = p.Verify(c, now)
		require.Equal(t, access.CodeExpired, v.Code, "it was valid when the commit says it was made, and is not now")
	})
}

// join puts the content of two armored blocks into one.
func join(t testing.TB, a, b []byte) []byte {
	body := func(s []byte) string {
		lines := strings.Split(strings.TrimSpace(string(s)), "\n")
		var out []string
		for _, l := range lines[1 : len(lines)-1] {
			if l != "" && !strings.HasPrefix(l, "=") {
				out = append(out, l)
			}
		}
		return decode64(t, strings.Join(out, ""))
	}
	return []byte("-----BEGIN PGP SIGNATURE-----\n\n" + encode64(body(a)+body(b)) + "\n-----END PGP SIGNATURE-----\n")
}

// TestRealGPG: what the real program signs is accepted, also with a subkey, and
// what it refuses to be used is refused.
func TestRealGPG(t *testing.T) {
	home, err := os.MkdirTemp("", "gpg") // short: it holds sockets
	require.NoError(t, err)
	env := []string{"GNUPGHOME=" + home}
	t.Cleanup(func() {
		run(t, "", env, "gpgconf", "--kill", "all")
		_ = os.RemoveAll(home)
	})
	// The time stands still: each command begins at the same one, and a key that took a second would be of the future to the next.
	gpg := func(input string, args ...string) string {
		return run(t, input, env, "gpg", append([]string{"--batch", "--no-tty", "--quiet", "--pinentry-mode", "loopback", "--passphrase", "", "--faked-system-time", "20260601T100000!"}, args...)...)
	}
	for _, c := range []struct {
		name, algo, usage string
		subkey            bool
	}{{"primary", "ed25519", "sign", false}, {"subkey", "ed25519", "cert", true}, {"rsa", "rsa2048", "sign", false}} {
		t.Run(c.name, func(t *testing.T) {
			gpg("", "--quick-gen-key", c.name+"@example.com", c.algo, c.usage, "never")
			if c.subkey {
				for line := range strings.Lines(gpg("", "--with-colons", "--fingerprint", c.name+"@example.com")) {
					if f := strings.Split(line, ":"); f[0] == "fpr" {
						gpg("", "--quick-add-key", f[9], "ed25519", "sign", "never")
						break
					}
				}
			}
			p := access.New(platform([]string{"root"}, model.Principal{Name: "root", OpenPGP: []string{gpg("", "--armor", "--export", c.name+"@example.com")}}), nil)
			require.Empty(t, p.Problems(now))
			got := commit("fleet.cue")
			got.Signature = []byte(gpg(string(got.Payload), "--local-user", c.name+"@example.com", "--armor", "--detach-sign"))
			signer, v := p.Verify(got, now)
			require.Nil(t, v)
			require.Equal(t, "root", signer)
			got.Signature = []byte(gpg(string(got.Payload), "--local-user", c.name+"@example.com", "--armor", "--detach-sign", "--digest-algo", "SHA1"))
			_, v = p.Verify(got, now)
			require.Equal(t, access.CodeWeak, v.Code)
			got.Signature = []byte(gpg(string(got.Payload), "--local-user", c.name+"@example.com", "--armor", "--textmode", "--detach-sign"))
			_, v = p.Verify(got, now)
			require.Equal(t, access.CodeUnreadable, v.Code, "Git signs bytes, not text")
		})
	}
}
