package access

import (
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/d-aros/d-aros/pkg/text"
)

// The format of SSH signatures is PROTOCOL.sshsig of OpenSSH.
const (
	sshBegin     = "-----BEGIN SSH SIGNATURE-----\n"
	sshMagic     = "SSHSIG"
	sshNamespace = "git"
	minRSABits   = 2048
)

// sshAlgorithms are the accepted types of keys, and the algorithms that they may sign with.
var sshAlgorithms = map[string][]string{
	ssh.KeyAlgoED25519:    {ssh.KeyAlgoED25519},
	ssh.KeyAlgoSKED25519:  {ssh.KeyAlgoSKED25519},
	ssh.KeyAlgoECDSA256:   {ssh.KeyAlgoECDSA256},
	ssh.KeyAlgoECDSA384:   {ssh.KeyAlgoECDSA384},
	ssh.KeyAlgoECDSA521:   {ssh.KeyAlgoECDSA521},
	ssh.KeyAlgoSKECDSA256: {ssh.KeyAlgoSKECDSA256},
	ssh.KeyAlgoRSA:        {ssh.KeyAlgoRSASHA256, ssh.KeyAlgoRSASHA512},
}

// parseSSHKey reads a line of authorized_keys and returns the key in wire format.
func parseSSHKey(line string) (wire string, err error) {
	key, _, options, rest, err := ssh.ParseAuthorizedKey([]byte(line))
	switch {
	case err != nil:
		return "", errors.New("it is no SSH public key")
	case len(options) > 0 || len(strings.TrimSpace(string(rest))) > 0:
		return "", errors.New("it is more than one SSH public key and its comment")
	}
	if why := weakSSHKey(key); why != "" {
		return "", errors.New(why)
	}
	return string(key.Marshal()), nil
}

// weakSSHKey returns why a key is not accepted, "" if it is.
func weakSSHKey(key ssh.PublicKey) string {
	if sshAlgorithms[key.Type()] == nil {
		return fmt.Sprintf("keys of type %s are not accepted", key.Type())
	}
	if raw, ok := key.(ssh.CryptoPublicKey); ok && key.Type() == ssh.KeyAlgoRSA {
		if k, ok := raw.CryptoPublicKey().(*rsa.PublicKey); !ok || k.N.BitLen() < minRSABits {
			return fmt.Sprintf("RSA keys of less than %d bits are not accepted", minRSABits)
		}
	}
	return ""
}

// sshEnvelope is the content of an armored SSH signature, after the magic.
type sshEnvelope struct {
	Version       uint32
	PublicKey     []byte
	Namespace     string
	Reserved      string
	HashAlgorithm string
	Signature     []byte
}

// sshSigned is the content that an SSH signature signs, after the magic.
type sshSigned struct {
	Namespace     string
	Reserved      string
	HashAlgorithm string
	Hash          []byte
}

// sshSignature checks an SSH signature of a payload.
func (p *Policy) sshSignature(armored string, payload []byte) (signature, *broken) {
	s := signature{fingerprint: "unknown"}
	unreadable := &broken{CodeUnreadable, "has an SSH signature that cannot be read"}
	block, rest := pem.Decode([]byte(armored))
	if block == nil || len(strings.TrimSpace(string(rest))) > 0 || len(block.Headers) > 0 || !strings.HasPrefix(string(block.Bytes), sshMagic) {
		return s, unreadable
	}
	var e sshEnvelope
	var sig ssh.Signature
	if ssh.Unmarshal(block.Bytes[len(sshMagic):], &e) != nil || ssh.Unmarshal(e.Signature, &sig) != nil {
		return s, unreadable
	}
	key, err := ssh.ParsePublicKey(e.PublicKey)
	if err != nil {
		return s, unreadable
	}
	s.fingerprint = ssh.FingerprintSHA256(key)
	if e.Version != 1 || e.Namespace != sshNamespace {
		return s, &broken{CodeBad, fmt.Sprintf("has an SSH signature that was not made for Git (namespace %q, version %d)", text.Line(e.Namespace, maxPath), e.Version)}
	}
	if why := weakSSHKey(key); why != "" {
		return s, &broken{CodeWeak, "is signed with the SSH key " + s.fingerprint + ", and " + why}
	}
	if !slices.Contains(sshAlgorithms[key.Type()], sig.Format) {
		return s, &broken{CodeWeak, fmt.Sprintf("has an SSH signature of the algorithm %q, which is not accepted", text.Line(sig.Format, maxPath))}
	}
	signed := sshSigned{Namespace: e.Namespace, Reserved: e.Reserved, HashAlgorithm: e.HashAlgorithm}
	switch e.HashAlgorithm {
	case "sha256":
		sum := sha256.Sum256(payload)
		signed.Hash = sum[:]
	case "sha512":
		sum := sha512.Sum512(payload)
		signed.Hash = sum[:]
	default:
		return s, &broken{CodeWeak, fmt.Sprintf("has an SSH signature over the hash %q, which is not accepted", text.Line(e.HashAlgorithm, maxPath))}
	}
	if s.holders = p.ssh[string(e.PublicKey)]; s.holders == nil {
		return s, unknownKey("SSH", s.fingerprint)
	}
	if len(sig.Rest) > 0 && !strings.HasPrefix(key.Type(), "sk-") {
		return s, unreadable
	}
	if key.Verify(append([]byte(sshMagic), ssh.Marshal(signed)...), &sig) != nil {
		return s, &broken{CodeBad, "has an SSH signature that does not fit its content"}
	}
	return s, nil
}

func unknownKey(kind, fingerprint string) *broken {
	return &broken{CodeUnknownKey, fmt.Sprintf("is signed with the %s key %s, which is nobody's as of the last accepted commit", kind, fingerprint)}
}
