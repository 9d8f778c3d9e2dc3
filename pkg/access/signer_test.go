package access_test

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/pem"
	"strings"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	openpgp "github.com/ProtonMail/go-crypto/openpgp/v2"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
)

var (
	made = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC) // when commits are made …
	now  = made.Add(time.Hour)                          // … and judged
)

// An sshKey signs as ssh-keygen does. Its fields let it sign as it does not.
type sshKey struct {
	signer                ssh.Signer
	namespace, hash, algo string
	version               uint32
	tail                  string // after the envelope
}

func newSSHKey(t testing.TB, key crypto.Signer) *sshKey {
	signer, err := ssh.NewSignerFromSigner(key)
	require.NoError(t, err)
	return &sshKey{signer: signer, namespace: "git", hash: "sha512", version: 1}
}

// ed returns the Ed25519 key of a name, the same in every run.
func ed(t testing.TB, name string) *sshKey {
	seed := sha256.Sum256([]byte(name))
	return newSSHKey(t, ed25519.NewKeyFromSeed(seed[:]))
}

func (k *sshKey) public() string {
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(k.signer.PublicKey())))
}

func (k *sshKey) sign(t testing.TB, payload []byte) []byte {
	var digest []byte
	switch k.hash {
	case "sha256":
		sum := sha256.Sum256(payload)
		digest = sum[:]
	default:
		sum := sha512.Sum512(payload)
		digest = sum[:]
	}
	signed := append([]byte("SSHSIG"), ssh.Marshal(struct {
		Namespace, Reserved, Hash string
		Digest                    []byte
	}{k.namespace, "", k.hash, digest})...)
	var sig *ssh.Signature
	var err error
	if s, ok := k.signer.(ssh.AlgorithmSigner); ok && k.algo != "" {
		sig, err = s.SignWithAlgorithm(rand.Reader, signed, k.algo)
	} else {
		sig, err = k.signer.Sign(rand.Reader, signed)
	}
	require.NoError(t, err)
	envelope := append([]byte("SSHSIG"), ssh.Marshal(struct {
		Version                   uint32
		Key                       []byte
		Namespace, Reserved, Hash string
		Signature                 []byte
	}{k.version, k.signer.PublicKey().Marshal(), k.namespace, "", k.hash, ssh.Marshal(sig)})...)
	return pem.EncodeToMemory(&pem.Block{Type: "SSH SIGNATURE", Bytes: append(envelope, k.tail...)})
}

// A pgpKey signs as gpg does.
type pgpKey struct {
	entity *openpgp.Entity
	config *packet.Config
}

func newPGPKey(t testing.TB, c packet.Config) *pgpKey {
	c.Time = func() time.Time { return made.Add(-time.Hour) }
	entity, err := openpgp.NewEntity("Ada", "", "ada@example.com", &c)
	require.NoError(t, err)
	return &pgpKey{entity, &c}
}

func (k *pgpKey) public(t testing.TB) string {
	var b bytes.Buffer
	w, err := armor.Encode(&b, openpgp.PublicKeyType, nil)
	require.NoError(t, err)
	require.NoError(t, k.entity.Serialize(w))
	require.NoError(t, w.Close())
	return b.String()
}

func (k *pgpKey) sign(t testing.TB, payload []byte, at time.Time, hash crypto.Hash) []byte {
	var b bytes.Buffer
	c := &packet.Config{Time: func() time.Time { return at }, DefaultHash: hash,
		RejectHashAlgorithms: map[crypto.Hash]bool{}, RejectMessageHashAlgorithms: map[crypto.Hash]bool{}}
	err := openpgp.ArmoredDetachSign(&b, []*openpgp.Entity{k.entity}, bytes.NewReader(payload), &openpgp.SignParams{Config: c})
	require.NoError(t, err)
	return append(b.Bytes(), '\n')
}

// commit returns a commit of paths without a signature.
func commit(paths ...string) access.Commit {
	return access.Commit{Hash: strings.Repeat("c", 40), Time: made, Payload: []byte("tree … " + strings.Join(paths, " ")), Paths: paths}
}

func signed(t testing.TB, k *sshKey, paths ...string) access.Commit {
	c := commit(paths...)
	c.Signature = k.sign(t, c.Payload)
	return c
}

func principal(name string, keys ...*sshKey) model.Principal {
	p := model.Principal{Name: name}
	for _, k := range keys {
		p.SSH = append(p.SSH, k.public())
	}
	return p
}

// platform is a platform that asks for signatures, with its admins.
func platform(admins []string, principals ...model.Principal) *model.Platform {
	return &model.Platform{Access: &model.Access{Enforce: model.EnforceSigned, Principals: principals, Admins: admins}}
}

func tenant(name string, admins []string, owners []model.Owners, principals ...model.Principal) model.Tenant {
	return model.Tenant{Name: name, Access: &model.Access{Principals: principals, Admins: admins, Owners: owners}}
}

func encode64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func decode64(t testing.TB, s string) string {
	b, err := base64.StdEncoding.DecodeString(s)
	require.NoError(t, err)
	return string(b)
}
