package access

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Keys are public SSH keys of those who sign something other than commits of the fleet
// repo: the saves of the status branch. The zero value has none.
type Keys struct{ policy Policy }

// ParseKeys reads public keys, one a line, as in authorized_keys. Empty lines and those
// that begin with # are passed over.
func ParseKeys(lines string) (Keys, error) {
	p := Policy{ssh: map[string][]int{}}
	n := 0
	for line := range strings.Lines(lines) {
		n++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		key, err := parseSSHKey(line)
		if err != nil {
			return Keys{}, fmt.Errorf("line %d: %w", n, err)
		}
		p.ssh[key] = []int{0}
	}
	return Keys{p}, nil
}

// Len returns the number of keys.
func (k Keys) Len() int { return len(k.policy.ssh) }

// Verify returns the fingerprint of the key that signed a payload for Git, or why the
// signature does not count: a clause that follows the name of what was signed.
func (k Keys) Verify(payload, signature []byte) (fingerprint string, err error) {
	if len(signature) == 0 {
		return "", errors.New("is not signed")
	}
	s, bad := k.policy.signature(Commit{Payload: payload, Signature: signature}, time.Time{})
	switch {
	case bad == nil:
		return s.fingerprint, nil
	case bad.code == CodeUnknownKey:
		return "", fmt.Errorf("is signed with the key %s, which is not trusted", s.fingerprint)
	}
	return "", errors.New(bad.reason)
}
