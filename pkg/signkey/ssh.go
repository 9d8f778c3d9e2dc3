package signkey

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha512"
	"encoding/pem"
	"errors"
	"io"
	"os"
	"strings"

	"golang.org/x/crypto/ssh"
)

// PublicEd25519 returns the public key as a line of authorized_keys. It reports false for
// a key of another type.
func (k *Key) PublicEd25519() (line string, ok bool) {
	if k.ssh == nil || k.ssh.PublicKey().Type() != ssh.KeyAlgoED25519 {
		return "", false
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(k.ssh.PublicKey()))), true
}

// WriteEd25519 makes a key and writes it, as ssh-keygen does, to a file that must not
// exist. It returns the public key as a line of authorized_keys.
func WriteEd25519(file, comment string) (public string, err error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return "", err
	}
	block, err := ssh.MarshalPrivateKey(private, comment)
	if err != nil {
		return "", err
	}
	key, err := ssh.NewSignerFromKey(private)
	if err != nil {
		return "", err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	_, err = f.Write(pem.EncodeToMemory(block))
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key.PublicKey()))) + " " + comment, nil
}

// signSSH signs in the format of OpenSSH's PROTOCOL.sshsig.
func (k *Key) signSSH(message io.Reader) ([]byte, error) {
	const magic, hash = "SSHSIG", "sha512"
	digest := sha512.New()
	if _, err := io.Copy(digest, message); err != nil {
		return nil, err
	}
	signed := append([]byte(magic), ssh.Marshal(struct {
		Namespace, Reserved, Hash string
		Digest                    []byte
	}{string(k.namespace), "", hash, digest.Sum(nil)})...)
	signature, err := sign(k.ssh, signed)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "SSH SIGNATURE", Bytes: append([]byte(magic), ssh.Marshal(struct {
		Version                   uint32
		PublicKey                 []byte
		Namespace, Reserved, Hash string
		Signature                 []byte
	}{1, k.ssh.PublicKey().Marshal(), string(k.namespace), "", hash, ssh.Marshal(signature)})...)}), nil
}

// sign makes RSA keys use SHA-2: verifiers refuse the SHA-1 signatures that such keys make by default.
func sign(key ssh.Signer, b []byte) (*ssh.Signature, error) {
	if algorithms, ok := key.(ssh.AlgorithmSigner); ok && key.PublicKey().Type() == ssh.KeyAlgoRSA {
		return algorithms.SignWithAlgorithm(rand.Reader, b, ssh.KeyAlgoRSASHA512)
	}
	return key.Sign(rand.Reader, b)
}
