package signkey

import (
	"crypto/rand"
	"crypto/sha512"
	"encoding/pem"
	"io"

	"golang.org/x/crypto/ssh"
)

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
