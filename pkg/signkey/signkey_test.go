package signkey

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
)

func file(t *testing.T, content []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(name, content, 0o600))
	return name
}

func armored(t *testing.T, write func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := armor.Encode(&b, openpgp.PrivateKeyType, nil)
	require.NoError(t, err)
	require.NoError(t, write(w))
	require.NoError(t, w.Close())
	return b.Bytes()
}

func TestOpenPGP(t *testing.T) {
	entity, err := openpgp.NewEntity("D-AROS", "", "release@d-aros.dev", nil)
	require.NoError(t, err)
	key, err := Read(file(t, armored(t, func(w io.Writer) error { return entity.SerializePrivate(w, nil) })), File)
	require.NoError(t, err)
	require.Equal(t, ".asc", key.Extension())
	signature, err := key.Sign(strings.NewReader("message"))
	require.NoError(t, err)
	_, err = openpgp.CheckArmoredDetachedSignature(openpgp.EntityList{entity}, strings.NewReader("message"), bytes.NewReader(signature), nil)
	require.NoError(t, err)
	_, err = openpgp.CheckArmoredDetachedSignature(openpgp.EntityList{entity}, strings.NewReader("another"), bytes.NewReader(signature), nil)
	require.Error(t, err)
}

// TestSSH opens the envelope by hand, as PROTOCOL.sshsig describes it. Other tests let ssh-keygen and git judge.
func TestSSH(t *testing.T) {
	_, short, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	long, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		private any
		format  string
	}{"ed25519": {short, ssh.KeyAlgoED25519}, "rsa": {long, ssh.KeyAlgoRSASHA512}} {
		block, err := ssh.MarshalPrivateKey(c.private, "")
		require.NoError(t, err)
		key, err := Read(file(t, pem.EncodeToMemory(block)), File)
		require.NoError(t, err, name)
		require.Equal(t, ".sig", key.Extension())
		armored, err := key.Sign(strings.NewReader("message"))
		require.NoError(t, err)
		found, _ := pem.Decode(armored)
		require.Equal(t, "SSH SIGNATURE", found.Type)
		var envelope struct {
			Version                   uint32
			PublicKey                 []byte
			Namespace, Reserved, Hash string
			Signature                 []byte
		}
		require.NoError(t, ssh.Unmarshal(bytes.TrimPrefix(found.Bytes, []byte("SSHSIG")), &envelope))
		require.Equal(t, "file", envelope.Namespace)
		var signature ssh.Signature
		require.NoError(t, ssh.Unmarshal(envelope.Signature, &signature))
		require.Equal(t, c.format, signature.Format, "SHA-1 is refused everywhere")
	}
}

func TestRefused(t *testing.T) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	locked, err := ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte("secret"))
	require.NoError(t, err)
	_, err = Read(file(t, pem.EncodeToMemory(locked)), Git)
	require.ErrorContains(t, err, "the key has a passphrase; give one without")
	_, err = Read(file(t, []byte("hello")), Git)
	require.ErrorContains(t, err, "neither an SSH nor an armored OpenPGP private key")
	_, err = Read(file(t, []byte("-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nhello\n")), Git)
	require.ErrorContains(t, err, "one OpenPGP private key without passphrase")
	_, err = Read(filepath.Join(t.TempDir(), "absent"), Git)
	require.ErrorIs(t, err, os.ErrNotExist)
}
