package model

// Anchor is what the cluster remembers of the ledger that its fleet follows: enough
// to recognize it, and nothing to decide on.
type Anchor struct {
	LedgerIdentity
	Commit string // the source commit of the save
	Branch string // that the ledger was saved on
}
