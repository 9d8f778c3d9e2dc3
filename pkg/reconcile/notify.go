package reconcile

import "github.com/d-aros/d-aros/pkg/model"

// A Listener passes on to others what the status branch says. *outbound.Webhook is
// one, *outbound.CommitStatus another.
type Listener interface {
	// Tell does not block and keeps nothing of the ledger. The same may be told
	// again and again.
	Tell(ledger *model.Ledger)
}

// spread tells the listeners what the branch is known to hold: never what was only
// decided, so that nobody hears of what did not come about.
func (l *Loop) spread() {
	if l.saved.Commit == "" {
		return
	}
	for _, listener := range l.listeners {
		listener.Tell(&l.saved)
	}
}
