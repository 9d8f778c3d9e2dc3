package access

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/text"
)

// Hints that several violations share.
const (
	hintSign  = "somebody who may change these files signs a merge of it onto the last accepted commit (docs/access.md)"
	hintAdmin = "a platform admin signs a merge of it onto the last accepted commit (docs/access.md)"
)

// Verify judges one commit by the policy that was in force before it. It returns the
// signer, or why the commit is not accepted. The key must be valid at the time of the
// commit, which its author may choose, and at the time now.
func (p *Policy) Verify(c Commit, now time.Time) (signer string, violation *Violation) {
	refuse := func(code, signer, reason, hint string) (string, *Violation) {
		return signer, &Violation{Code: code, Commit: c.Hash, Signer: signer, Reason: reason, Hint: hint}
	}
	if c.Refused != "" {
		return refuse(CodeUnreadable, "unknown", c.Refused, hintSign)
	}
	if len(c.Signature) == 0 {
		return refuse(CodeUnsigned, "unsigned", "is not signed", hintSign)
	}
	s, bad := p.signature(c, now)
	if bad != nil {
		return refuse(bad.code, s.fingerprint, bad.reason, hintSign)
	}
	names := p.names(s.holders)
	if p.revoked(s.holders) {
		return refuse(CodeRevoked, names, fmt.Sprintf("is signed with the key %s of %s, which is revoked", s.fingerprint, names), hintSign)
	}
	live, why := p.live(s.holders, c.Time, now)
	if len(live) == 0 {
		code := CodeExpired
		if why == whyRevoked {
			code = CodeRevoked
		}
		return refuse(code, names, fmt.Sprintf("is signed with the key %s of %s, %s", s.fingerprint, names, why), hintSign)
	}
	names = p.names(live)
	for _, path := range c.Paths {
		of := areaOf(path)
		if slices.ContainsFunc(live, func(n int) bool { return p.holders[n].may(of) }) {
			continue
		}
		hint := hintSign
		if of == (area{}) {
			hint = hintAdmin
		}
		signer, v := refuse(CodeForbidden, names, fmt.Sprintf("is signed by %s and changes %s, which %s may", names, text.Line(path, maxPath), of.who()), hint)
		v.Path = text.Line(path, maxPath)
		return signer, v
	}
	return names, nil
}

// whyRevoked is the reason for a key that a tenant has revoked.
const whyRevoked = "which is revoked"

// live returns the holders whose key is valid, or else the reason of the first whose
// key is not.
func (p *Policy) live(holders []int, made, now time.Time) (live []int, why string) {
	for _, n := range holders {
		h := &p.holders[n]
		reason := h.expired(made)
		if reason == "" {
			reason = h.expired(now)
		}
		if h.Revoked {
			reason = whyRevoked
		}
		if reason == "" {
			live = append(live, n)
		} else if why == "" {
			why = reason
		}
	}
	return live, why
}

// signature is a good signature.
type signature struct {
	holders     []int
	fingerprint string // of the key, as ssh-keygen and gpg print it; "unknown" if it cannot be read
}

// broken is the reason why a signature is not good.
type broken struct{ code, reason string }

// signature checks the signature itself and finds the holders of its key.
func (p *Policy) signature(c Commit, now time.Time) (s signature, b *broken) {
	s.fingerprint = "unknown"
	defer func() {
		if recover() != nil { // foreign bytes, and libraries that read them
			b = &broken{CodeUnreadable, "has a signature that cannot be read"}
		}
	}()
	armored := string(c.Signature)
	switch {
	case len(armored) > maxSignature:
		return s, &broken{CodeUnreadable, fmt.Sprintf("has a signature of more than %d bytes", maxSignature)}
	case strings.Count(armored, "-----BEGIN ") != 1:
		return s, &broken{CodeUnreadable, "has no signature of exactly one block"}
	case strings.HasPrefix(armored, sshBegin):
		return p.sshSignature(armored, c.Payload)
	case strings.HasPrefix(armored, openpgpBegin):
		return p.openpgpSignature(armored, c.Payload, now)
	}
	return s, &broken{CodeUnreadable, "has a signature that is neither of SSH nor of OpenPGP"}
}

// Bounds.
const (
	maxSignature = 64 << 10
	maxPath      = 200 // of a path or a name in a sentence, in bytes
)
