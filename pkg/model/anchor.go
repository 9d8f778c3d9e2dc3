package model

// Anchor is what the cluster remembers of the ledger that its fleet follows: enough
// to recognize it, and nothing to decide on.
type Anchor struct {
	LedgerIdentity
	Commit string // the source commit of the save
	Tree   string // the hash of what the save holds; "": nobody knows
	Branch string // that the ledger was saved on

	// Announced is the last save that was told, as were all before it; 0: nobody knows.
	Announced int64
	// Delivered is the last save of which all messages were delivered, as were those of all
	// before; 0: nobody knows.
	Delivered int64
}
