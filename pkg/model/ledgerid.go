package model

import "strings"

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
