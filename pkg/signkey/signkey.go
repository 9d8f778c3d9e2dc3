// Package signkey signs with a private key from a file, SSH or OpenPGP, in the formats that git, ssh-keygen and gpg
// verify. It never asks for a passphrase and keeps no key on disk.
package signkey

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ProtonMail/go-crypto/openpgp"
	"golang.org/x/crypto/ssh"
)

// A Namespace says what an SSH signature is about, so that it cannot be used for anything else.
type Namespace string

// The namespaces that git and ssh-keygen use.
const (
	Git  Namespace = "git"  // commits and tags
	File Namespace = "file" // files
)

// A Key is a private key. One of its fields is set.
type Key struct {
	openPGP   *openpgp.Entity
	ssh       ssh.Signer
	namespace Namespace
}

// Read reads a key without passphrase. The namespace matters for SSH only.
func Read(file string, namespace Namespace) (*Key, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if bytes.Contains(b, []byte("BEGIN PGP PRIVATE KEY")) {
		keys, err := openpgp.ReadArmoredKeyRing(bytes.NewReader(b))
		if err != nil || len(keys) != 1 || keys[0].PrivateKey == nil || keys[0].PrivateKey.Encrypted {
			return nil, fmt.Errorf("%s: it must hold one OpenPGP private key without passphrase", file)
		}
		return &Key{openPGP: keys[0]}, nil
	}
	key, err := ssh.ParsePrivateKey(b)
	if missing := (*ssh.PassphraseMissingError)(nil); errors.As(err, &missing) {
		return nil, fmt.Errorf("%s: the key has a passphrase; give one without, made for this purpose with \"ssh-keygen -t ed25519\"", file)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: it is neither an SSH nor an armored OpenPGP private key", file)
	}
	return &Key{ssh: key, namespace: namespace}, nil
}

// Extension is the usual ending of a file with a signature of the key: .asc or .sig.
func (k *Key) Extension() string {
	if k.openPGP != nil {
		return ".asc"
	}
	return ".sig"
}

// Sign returns the armored signature of a message.
func (k *Key) Sign(message io.Reader) ([]byte, error) {
	if k.openPGP == nil {
		return k.signSSH(message)
	}
	var b bytes.Buffer
	err := openpgp.ArmoredDetachSign(&b, k.openPGP, message, nil)
	return b.Bytes(), err
}
