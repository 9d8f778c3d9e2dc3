package access

import (
	"bytes"
	"crypto"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp/armor"
	pgperrors "github.com/ProtonMail/go-crypto/openpgp/errors"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	openpgp "github.com/ProtonMail/go-crypto/openpgp/v2"
)

const (
	openpgpBegin    = "-----BEGIN PGP SIGNATURE-----\n"
	openpgpKeyBegin = "-----BEGIN PGP PUBLIC KEY BLOCK-----"
	maxCertificate  = 256 << 10

	// maxSkew is how far the clock of a signer may be ahead of ours.
	maxSkew = 5 * time.Minute
)

// openpgpConfig refuses weak algorithms, in signatures of commits and in those that
// belong to a key.
func openpgpConfig(now time.Time) *packet.Config {
	weak := map[crypto.Hash]bool{crypto.MD5: true, crypto.SHA1: true, crypto.RIPEMD160: true}
	return &packet.Config{
		Time:                        func() time.Time { return now },
		MinRSABits:                  minRSABits,
		RejectPublicKeyAlgorithms:   map[packet.PublicKeyAlgorithm]bool{packet.PubKeyAlgoDSA: true, packet.PubKeyAlgoElGamal: true},
		RejectHashAlgorithms:        weak,
		RejectMessageHashAlgorithms: weak,
		RejectCurves:                map[packet.Curve]bool{packet.CurveSecP256k1: true},
	}
}

// readCertificate reads one armored public key.
func readCertificate(armored string) (*openpgp.Entity, error) {
	armored = strings.TrimSpace(armored)
	switch {
	case len(armored) > maxCertificate:
		return nil, fmt.Errorf("it has more than %d bytes", maxCertificate)
	case !strings.HasPrefix(armored, openpgpKeyBegin) || strings.Count(armored, "-----BEGIN ") != 1:
		return nil, errors.New("it is not one armored OpenPGP public key")
	}
	block, err := armor.Decode(strings.NewReader(armored))
	if err != nil {
		return nil, errors.New("it is no armored OpenPGP public key")
	}
	entities, err := openpgp.ReadKeyRing(block.Body)
	if err != nil || len(entities) != 1 {
		return nil, errors.New("it is not one OpenPGP public key")
	}
	if entities[0].PrivateKey != nil {
		return nil, errors.New("it is a private key; take it out and make a new one")
	}
	return entities[0], nil
}

// parseCertificate reads one armored public key and returns the identifiers of all its
// keys, even with an error that none of them can sign at a time: the key may be revoked. At
// the zero time it does not tell whether a key is valid.
func parseCertificate(armored string, at time.Time) (ids []uint64, err error) {
	defer func() {
		if recover() != nil {
			ids, err = nil, errors.New("it is no OpenPGP public key")
		}
	}()
	entity, err := readCertificate(armored)
	if err != nil {
		return nil, err
	}
	ids = append(ids, entity.PrimaryKey.KeyId)
	for i := range entity.Subkeys {
		ids = append(ids, entity.Subkeys[i].PublicKey.KeyId)
	}
	if _, ok := entity.SigningKey(at, openpgpConfig(at)); !ok {
		return ids, errors.New("it has no key to sign with, or a weak one (SHA-1, DSA, RSA of less than 2048 bits)")
	}
	return ids, nil
}

// openpgpSignature checks an OpenPGP signature of a payload.
func (p *Policy) openpgpSignature(armored string, payload []byte, now time.Time) (signature, *broken) {
	s := signature{fingerprint: "unknown"}
	unreadable := &broken{CodeUnreadable, "has an OpenPGP signature that cannot be read"}
	block, err := armor.Decode(strings.NewReader(armored))
	if err != nil {
		return s, unreadable
	}
	body, err := io.ReadAll(block.Body)
	if err != nil {
		return s, unreadable
	}
	sig, ok := onePacket(body)
	if !ok || sig.IssuerKeyId == nil || sig.SigType != packet.SigTypeBinary {
		return s, unreadable
	}
	s.fingerprint = fmt.Sprintf("%016X", *sig.IssuerKeyId)
	if made := sig.CreationTime; made.After(now) && !made.After(now.Add(maxSkew)) {
		now = made
	}
	if config := openpgpConfig(now); config.RejectMessageHashAlgorithm(sig.Hash) || config.RejectPublicKeyAlgorithm(sig.PubKeyAlgo) {
		return s, &broken{CodeWeak, "has an OpenPGP signature of an algorithm that is not accepted (SHA-1, MD5, DSA)"}
	}
	candidates := p.openpgp[*sig.IssuerKeyId]
	if len(candidates) == 0 {
		return s, unknownKey("OpenPGP", s.fingerprint)
	}
	for _, c := range candidates {
		if p.revoked([]int{c.holder}) { // others may list the key in another form
			return s, &broken{CodeRevoked, fmt.Sprintf("is signed with the OpenPGP key %s of %s, which is revoked", s.fingerprint, p.names([]int{c.holder}))}
		}
	}
	wrong := &broken{CodeBad, "has an OpenPGP signature that does not fit its content"}
	for _, c := range candidates {
		if err := verifyOpenPGP(c.armored, body, payload, *sig.IssuerKeyId, now); err == nil {
			s.holders = append(s.holders, c.holder)
		} else {
			wrong = judge(err, s.fingerprint, wrong)
		}
	}
	if s.holders == nil {
		return s, wrong
	}
	return s, nil
}

// onePacket reads a body of exactly one signature packet.
func onePacket(body []byte) (*packet.Signature, bool) {
	packets := packet.NewReader(bytes.NewReader(body))
	first, err := packets.Next()
	if err != nil {
		return nil, false
	}
	sig, ok := first.(*packet.Signature)
	if _, err := packets.Next(); err != io.EOF {
		return nil, false
	}
	return sig, ok
}

// verifyOpenPGP checks a signature with one certificate, which must be valid both when
// the signature was made and now.
func verifyOpenPGP(armored string, body, payload []byte, id uint64, now time.Time) error {
	entity, err := readCertificate(armored)
	if err != nil {
		return err
	}
	config := openpgpConfig(now)
	if _, _, err := openpgp.VerifyDetachedSignature(openpgp.EntityList{entity}, bytes.NewReader(payload), bytes.NewReader(body), config); err != nil {
		return err
	}
	if entity, err = readCertificate(armored); err != nil {
		return err
	}
	if entity.Revoked(now) {
		return pgperrors.ErrKeyRevoked
	}
	if _, ok := entity.SigningKeyById(now, id, config); !ok {
		return pgperrors.ErrKeyExpired
	}
	return nil
}

// judge translates an error of the library.
func judge(err error, fingerprint string, otherwise *broken) *broken {
	var weak pgperrors.WeakAlgorithmError
	switch {
	case errors.Is(err, pgperrors.ErrKeyRevoked):
		return &broken{CodeRevoked, fmt.Sprintf("is signed with the OpenPGP key %s, which is revoked", fingerprint)}
	case errors.Is(err, pgperrors.ErrKeyExpired), errors.Is(err, pgperrors.ErrSignatureExpired):
		return &broken{CodeExpired, fmt.Sprintf("is signed with the OpenPGP key %s, which has expired or does not sign any more", fingerprint)}
	case errors.As(err, &weak):
		return &broken{CodeWeak, fmt.Sprintf("is signed with the OpenPGP key %s, which is too weak", fingerprint)}
	}
	return otherwise
}
