package access_test

import (
	"strings"
	"testing"

	"github.com/ProtonMail/go-crypto/openpgp/packet"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
)

// FuzzSignature: whatever stands in the place of a signature, it is refused with a
// code, unless it is one.
func FuzzSignature(f *testing.F) {
	root, pgp := ed(f, "root"), newPGPKey(f, packet.Config{Algorithm: packet.PubKeyAlgoEdDSA})
	m := principal("root", root)
	m.OpenPGP = []string{pgp.public(f)}
	p := access.New(platform([]string{"root"}, m), nil)
	c := commit("fleet.cue")
	good := [][]byte{root.sign(f, c.Payload), pgp.sign(f, c.Payload, made, 0)}
	f.Add(good[0])
	f.Add(good[1])
	f.Add(root.sign(f, []byte("x")))
	f.Add([]byte("-----BEGIN PGP SIGNATURE-----\n\nwsA=\n-----END PGP SIGNATURE-----\n"))
	f.Fuzz(func(t *testing.T, signature []byte) {
		c := commit("fleet.cue")
		c.Signature = signature
		signer, v := p.Verify(c, now)
		if v == nil && signer != "root" || v != nil && (v.Code == "" || v.Reason == "") {
			t.Fatalf("%q, %v", signer, v)
		}
		c.Payload = append(c.Payload, 'x')
		if _, v := p.Verify(c, now); v == nil {
			t.Fatal("a signature fits two contents")
		}
	})
}

// FuzzKeys: whatever is declared as a key, nothing but a good key can sign.
func FuzzKeys(f *testing.F) {
	f.Add(ed(f, "root").public(), newPGPKey(f, packet.Config{Algorithm: packet.PubKeyAlgoEdDSA}).public(f))
	f.Add("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQ", "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nxjM=\n-----END PGP PUBLIC KEY BLOCK-----")
	f.Fuzz(func(_ *testing.T, line, armored string) {
		p := access.New(platform([]string{"root"}, model.Principal{Name: "root", SSH: []string{line}, OpenPGP: []string{armored}}), nil)
		p.Governed(now)
		p.Problems(now)
		access.Codeowners(p)
	})
}

// FuzzPath: nobody but platform admins gets at what is not below the directory of
// a tenant, however the path is written.
func FuzzPath(f *testing.F) {
	for _, path := range []string{"tenants/acme/x", "tenants/acme", "tenants//acme/x", "./tenants/acme/x", "tenants/acme/../globex/x", "approvals/acme/shop/x"} {
		f.Add(path)
	}
	p := fleet(f)
	ann, bob := ed(f, "ann"), ed(f, "bob")
	f.Fuzz(func(t *testing.T, path string) {
		_, v := p.Verify(signed(t, ann, path), now)
		if v == nil && !strings.HasPrefix(path, "tenants/acme/") && !strings.HasPrefix(path, "approvals/acme/") {
			t.Fatalf("ann of acme may change %q", path)
		}
		_, v = p.Verify(signed(t, bob, path), now)
		if v == nil && !strings.HasPrefix(path, "tenants/acme/apps/shop/") && !strings.HasPrefix(path, "approvals/acme/shop/") {
			t.Fatalf("bob of acme/shop may change %q", path)
		}
	})
}
