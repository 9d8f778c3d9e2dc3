package access

import (
	"cmp"
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
	signers, violation := p.signers(c, now)
	if violation != nil {
		if violation.Code == CodeUnsigned && p.hosts() {
			violation.Hint = hintMergeCommit
		}
		return violation.Signer, violation
	}
	if p.holders[signers[0]].merges {
		return p.names(signers), c.hosted(p, p.names(signers), now)
	}
	return p.names(signers), p.may(c, signers)
}

// may returns why the signers of a commit may not change what it changes, nil if they may.
func (p *Policy) may(c Commit, signers []int) *Violation {
	names := p.names(signers)
	for _, path := range c.Paths {
		of := areaOf(path)
		if slices.ContainsFunc(signers, func(n int) bool { return p.holders[n].may(of) }) {
			continue
		}
		hint := hintSign
		if of == (area{}) {
			hint = hintAdmin
		}
		path = text.Line(path, maxPath)
		return &Violation{Code: CodeForbidden, Commit: c.Hash, Signer: names, Path: path, Hint: hint,
			Reason: fmt.Sprintf("is signed by %s and changes %s, which %s may", names, path, of.who())}
	}
	return nil
}

// signers returns the holders of the valid key that signed a commit, or why there are
// none.
func (p *Policy) signers(c Commit, now time.Time) ([]int, *Violation) {
	refuse := func(code, signer, reason string) ([]int, *Violation) {
		return nil, &Violation{Code: code, Commit: c.Hash, Signer: signer, Reason: reason, Hint: hintSign}
	}
	if c.Refused != "" {
		return refuse(CodeUnreadable, "unknown", c.Refused)
	}
	if len(c.Signature) == 0 {
		return refuse(CodeUnsigned, "unsigned", "is not signed")
	}
	s, bad := p.signature(c, now)
	if bad != nil {
		return refuse(bad.code, s.fingerprint, bad.reason)
	}
	live, code, why := p.live(s.holders, c.Time, now)
	if len(live) == 0 {
		names := p.names(s.holders)
		return refuse(code, names, fmt.Sprintf("is signed with the key %s of %s, %s", s.fingerprint, names, why))
	}
	return live, nil
}

// live returns the holders whose key is valid, and why the first other key is not.
func (p *Policy) live(holders []int, made, now time.Time) (live []int, code, why string) {
	const revoked = "which is revoked"
	if p.revoked(holders) {
		return nil, CodeRevoked, revoked
	}
	for _, n := range p.who(holders) {
		h := &p.holders[n]
		switch reason := cmp.Or(h.expired(made), h.expired(now)); {
		case !h.Revoked && reason == "":
			live = append(live, n)
		case why != "":
		case h.Revoked:
			code, why = CodeRevoked, revoked
		default:
			code, why = CodeExpired, reason
		}
	}
	return live, code, why
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
