package main

import (
	"bytes"
	"crypto/rand"
	"crypto/sha512"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ProtonMail/go-crypto/openpgp"
	"golang.org/x/crypto/ssh"

	"github.com/d-aros/d-aros/pkg/git"
)

// readSignKey reads a private key that signs commits.
func readSignKey(file string) (git.Signer, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read --sign-key: %w", err)
	}
	if bytes.Contains(b, []byte("BEGIN PGP PRIVATE KEY")) {
		keys, err := openpgp.ReadArmoredKeyRing(bytes.NewReader(b))
		if err != nil || len(keys) != 1 || keys[0].PrivateKey == nil || keys[0].PrivateKey.Encrypted {
			return nil, fmt.Errorf("read --sign-key %s: it must hold one OpenPGP private key without passphrase", file)
		}
		return openPGPSigner{keys[0]}, nil
	}
	key, err := ssh.ParsePrivateKey(b)
	if missing := (*ssh.PassphraseMissingError)(nil); errors.As(err, &missing) {
		return nil, fmt.Errorf("read --sign-key %s: the key has a passphrase; give one without, made for this purpose with \"ssh-keygen -t ed25519\"", file)
	}
	if err != nil {
		return nil, fmt.Errorf("read --sign-key %s: it is neither an SSH nor an armored OpenPGP private key", file)
	}
	return sshSigner{key}, nil
}

type openPGPSigner struct{ key *openpgp.Entity }

func (s openPGPSigner) Sign(message io.Reader) ([]byte, error) {
	var b bytes.Buffer
	err := openpgp.ArmoredDetachSign(&b, s.key, message, nil)
	return b.Bytes(), err
}

// sshSigner signs in the format of OpenSSH's PROTOCOL.sshsig, which git expects.
type sshSigner struct{ key ssh.Signer }

func (s sshSigner) Sign(message io.Reader) ([]byte, error) {
	const magic, namespace, hash = "SSHSIG", "git", "sha512"
	digest := sha512.New()
	if _, err := io.Copy(digest, message); err != nil {
		return nil, err
	}
	signed := append([]byte(magic), ssh.Marshal(struct {
		Namespace, Reserved, Hash string
		Digest                    []byte
	}{namespace, "", hash, digest.Sum(nil)})...)
	signature, err := s.sign(signed)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "SSH SIGNATURE", Bytes: append([]byte(magic), ssh.Marshal(struct {
		Version                   uint32
		PublicKey                 []byte
		Namespace, Reserved, Hash string
		Signature                 []byte
	}{1, s.key.PublicKey().Marshal(), namespace, "", hash, ssh.Marshal(signature)})...)}), nil
}

// sign makes RSA keys use SHA-2: what they sign by default is refused.
func (s sshSigner) sign(b []byte) (*ssh.Signature, error) {
	if algorithms, ok := s.key.(ssh.AlgorithmSigner); ok && s.key.PublicKey().Type() == ssh.KeyAlgoRSA {
		return algorithms.SignWithAlgorithm(rand.Reader, b, ssh.KeyAlgoRSASHA512)
	}
	return s.key.Sign(rand.Reader, b)
}
