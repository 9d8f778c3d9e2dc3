package reconcile

import "github.com/d-aros/d-aros/pkg/model"

// Recognition is how a loop recognizes the ledger that its fleet follows.
type Recognition struct {
	NewID func() string // makes the id of a ledger that has none; nil: status.NewLedgerID
}

// identified returns a ledger that has an id: its own, or the one that this loop
// gives to a ledger without one. The first save writes it.
func (l *Loop) identified(ledger model.Ledger) model.Ledger {
	if ledger.Identity.ID != "" {
		return ledger
	}
	if l.freshID == "" {
		l.freshID = l.o.Recognition.NewID()
	}
	ledger.Identity = model.LedgerIdentity{ID: l.freshID, Fleet: l.o.Fleet}
	return ledger
}
