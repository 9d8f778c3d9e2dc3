package reconcile

import "github.com/d-aros/d-aros/pkg/model"

// A Listener announces what was saved. *outbound.Webhook is one, and
// *outbound.CommitStatus another.
type Listener interface {
	// Announce does not block and keeps nothing of the ledger. It may get the same
	// ledger again.
	Announce(ledger *model.Ledger)
}
