package model

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// AppID names an application: an application belongs to exactly one tenant.
// It is written as tenant/name.
type AppID struct {
	Tenant string
	Name   string
}

// String returns tenant/name.
func (id AppID) String() string { return id.Tenant + "/" + id.Name }

// Compare orders identities by tenant, then name.
func (id AppID) Compare(other AppID) int {
	if n := strings.Compare(id.Tenant, other.Tenant); n != 0 {
		return n
	}
	return strings.Compare(id.Name, other.Name)
}

// ParseAppID reads tenant/name.
func ParseAppID(s string) (AppID, error) {
	tenant, name, ok := strings.Cut(s, "/")
	if !ok || tenant == "" || name == "" || strings.Contains(name, "/") {
		return AppID{}, fmt.Errorf("%q does not name an application; write tenant/application, for example acme/shop", s)
	}
	return AppID{Tenant: tenant, Name: name}, nil
}

// MarshalText writes tenant/name.
func (id AppID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads tenant/name.
func (id *AppID) UnmarshalText(b []byte) (err error) {
	*id, err = ParseAppID(string(b))
	return err
}

// ValidName reports whether s can name a tenant, an application or a part of one: a
// DNS label that begins with a letter, as schema.#Name.
func ValidName(s string) bool {
	if s == "" || len(s) > 63 || s[0] < 'a' || s[0] > 'z' || s[len(s)-1] == '-' {
		return false
	}
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// Digest identifies content: the first 16 bytes of a SHA-256, in hex. Equal
// content has equal digests, wherever and whenever it was computed.
type Digest string

// DigestOf digests the JSON encoding of v, in which map keys are sorted. It
// panics if v cannot be encoded: every value of this package can.
func DigestOf(v any) Digest {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("model: digest of %T: %v", v, err))
	}
	return DigestOfJSON(b)
}

// DigestOfJSON is the digest of a value that json.Marshal has encoded so.
func DigestOfJSON(encoded []byte) Digest {
	sum := sha256.Sum256(encoded)
	return Digest(hex.EncodeToString(sum[:16]))
}

// Short returns the first eight characters, enough for names and messages.
func (d Digest) Short() string { return string(d[:min(8, len(d))]) }

// LedgerIdentity tells one ledger from every other, and a newer version of it from
// an older one.
type LedgerIdentity struct {
	ID       string `json:"id"`       // random, made once: 32 hexadecimal digits; "" while the ledger has none
	Sequence int64  `json:"sequence"` // how often it was saved: each save adds one
	Fleet    string `json:"fleet"`    // the name that marks the objects of the fleet in the cluster
}

// Same reports whether both are versions of one ledger.
func (l LedgerIdentity) Same(other LedgerIdentity) bool {
	return l.ID != "" && l.ID == other.ID && l.Fleet == other.Fleet
}

// ValidLedgerID reports whether s can be LedgerIdentity.ID.
func ValidLedgerID(s string) bool { return len(s) == 32 && strings.Trim(s, "0123456789abcdef") == "" }
