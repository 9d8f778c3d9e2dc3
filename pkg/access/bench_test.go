package access_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"testing"

	"github.com/ProtonMail/go-crypto/openpgp/packet"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
)

// BenchmarkVerify judges commits of ten paths in a fleet of a hundred tenants.
func BenchmarkVerify(b *testing.B) {
	key, err := rsa.GenerateKey(rand.Reader, 3072)
	require.NoError(b, err)
	small, big := ed(b, "root"), newSSHKey(b, key)
	big.algo = ssh.KeyAlgoRSASHA512
	pgp := newPGPKey(b, packet.Config{Algorithm: packet.PubKeyAlgoEdDSA})
	root := principal("root", small, big)
	root.OpenPGP = []string{pgp.public(b)}
	var tenants []model.Tenant
	for i := range 100 {
		name := fmt.Sprintf("t%d", i)
		tenants = append(tenants, tenant(name, []string{"ann"}, []model.Owners{{App: "shop", Principals: []string{"bob"}}},
			principal("ann", ed(b, name+"ann")), principal("bob", ed(b, name+"bob"))))
	}
	pf := platform([]string{"root"}, root)
	p := access.New(pf, tenants)
	var paths []string
	for i := range 10 {
		paths = append(paths, fmt.Sprintf("tenants/t%d/apps/shop/app.cue", i))
	}
	c := commit(paths...)
	for name, signature := range map[string][]byte{
		"ssh-ed25519": small.sign(b, c.Payload), "ssh-rsa3072": big.sign(b, c.Payload), "openpgp-ed25519": pgp.sign(b, c.Payload, made, crypto.SHA256),
	} {
		c.Signature = signature
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, v := p.Verify(c, now); v != nil {
					b.Fatal(v)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
		})
	}
	b.Run("policy", func(b *testing.B) {
		for b.Loop() {
			access.New(pf, tenants)
		}
	})
}
