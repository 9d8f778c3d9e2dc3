package access_test

import (
	"bytes"
	"encoding/pem"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/access"
)

// FuzzSSHEnvelope goes behind the armor of an SSH signature, which most of what
// FuzzSignature makes does not get through.
func FuzzSSHEnvelope(f *testing.F) {
	root := ed(f, "root")
	c := commit("fleet.cue")
	p := access.New(platform([]string{"root"}, principal("root", root)), nil)
	block, _ := pem.Decode(root.sign(f, c.Payload))
	good := block.Bytes
	f.Add(good)
	f.Add(good[:len(good)-1])
	f.Add(append(slices.Clone(good), 0))
	f.Add([]byte("SSHSIG\x00\x00\x00\x01\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, envelope []byte) {
		c := commit("fleet.cue")
		c.Signature = pem.EncodeToMemory(&pem.Block{Type: "SSH SIGNATURE", Bytes: envelope})
		judged(t, p, c, bytes.Equal(envelope, good))
	})
}

// FuzzOpenPGPPackets goes behind the armor of an OpenPGP signature.
func FuzzOpenPGPPackets(f *testing.F) {
	key := newPGPKey(f, packet.Config{Algorithm: packet.PubKeyAlgoEdDSA})
	m := principal("root")
	m.OpenPGP = []string{key.public(f)}
	p := access.New(platform([]string{"root"}, m), nil)
	c := commit("fleet.cue")
	block, err := armor.Decode(bytes.NewReader(key.sign(f, c.Payload, made, 0)))
	require.NoError(f, err)
	good, err := io.ReadAll(block.Body)
	require.NoError(f, err)
	f.Add(good)
	f.Add(append(slices.Clone(good), good...))
	f.Add(good[:len(good)/2])
	f.Add([]byte{0xc2, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, packets []byte) {
		var b bytes.Buffer
		w, err := armor.Encode(&b, "PGP SIGNATURE", nil)
		require.NoError(t, err)
		_, err = w.Write(packets)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		c := commit("fleet.cue")
		c.Signature = append(b.Bytes(), '\n')
		judged(t, p, c, bytes.Equal(packets, good))
	})
}

// judged demands that a commit is refused with a code and a sentence or is root's,
// and that no signature is good for two contents.
func judged(t *testing.T, p *access.Policy, c access.Commit, mustBeGood bool) {
	signer, v := p.Verify(c, now)
	if v == nil {
		require.Equal(t, "root", signer)
	} else {
		require.False(t, mustBeGood, v.Error())
		require.Regexp(t, `^DA20\d\d$`, v.Code)
		require.NotEmpty(t, v.Reason)
		require.NotContains(t, v.Error(), "\n")
	}
	c.Payload = append(slices.Clone(c.Payload), 'x')
	_, v = p.Verify(c, now)
	require.NotNil(t, v, "a signature fits two contents")
}

// FuzzAreas: of every path that Git can have, the verifier and CODEOWNERS say the
// same, and whoever may change it may change what lies below it.
func FuzzAreas(f *testing.F) {
	for _, path := range []string{
		"fleet.cue", "tenants/acme/tenant.cue", "tenants/acme/apps/shop/app.cue", "tenants/acme/apps/shop", "approvals/acme/shop/1.cue",
		"tenants/acme2/x", "tenants/globex/apps/shop/x", "tenants/acme/apps/shop2/x", "approvals/acme/shop", "tenants/acme/apps/shop/tenants/globex/x",
	} {
		f.Add(path)
	}
	p := fleet(f)
	codeowners := string(access.Codeowners(p))
	f.Fuzz(func(t *testing.T, path string) {
		for part := range strings.SplitSeq(path, "/") {
			if part == "" || part == "." || part == ".." || strings.ContainsAny(part, "\x00\n") {
				t.Skip("Git has no such path")
			}
		}
		for _, who := range []string{"root", "ann", "bob", "gus"} {
			_, v := p.Verify(signed(t, ed(t, who), path), now)
			require.Equal(t, slices.Contains(ownersOf(t, codeowners, path), "@"+who), v == nil, "%s changes %q", who, path)
			if v != nil {
				require.NotContains(t, v.Error(), "\n")
				continue
			}
			_, v = p.Verify(signed(t, ed(t, who), path+"/below"), now)
			require.Nil(t, v, "%s may change %q and nothing below it", who, path)
		}
	})
}
