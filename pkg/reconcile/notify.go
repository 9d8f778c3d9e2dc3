package reconcile

import "github.com/d-aros/d-aros/pkg/model"

// A Listener announces what was saved. *outbound.Webhook is one, and
// *outbound.CommitStatus another.
type Listener interface {
	// Announce does not block and keeps nothing of the ledger. It may get the same
	// ledger again.
	Announce(ledger *model.Ledger)
}

// notify gives the listeners the ledger that the branch holds: never one that was
// only decided, so that nothing is announced that was not saved.
func (l *Loop) notify() {
	if l.saved.Commit == "" {
		return
	}
	for _, listener := range l.o.Listeners {
		listener.Announce(&l.saved)
	}
}
