package reconcile

import (
	"context"
	"fmt"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
)

// A Listener carries what was saved to the outside. *outbound.Webhook is one, and
// *outbound.CommitStatus another.
type Listener interface {
	// Announce takes what one save changed, and the ledger that the branch holds now. It
	// does not block and keeps nothing of the ledger. At a start the list is empty. It may
	// get the same announcements again, with the same keys.
	Announce(ledger *model.Ledger, list []announce.Announcement)
}

// listeners gives the listeners what a save changed.
func (t telling) listeners(ledger *model.Ledger, list []announce.Announcement) {
	for _, listener := range t.o.Listeners {
		listener.Announce(ledger, list)
	}
}

// resume gives the listeners at a start what they may lack: the saves that were told, and
// of which nobody saw that all was delivered. The last process may have ended before.
func (p *progress) resume(ctx context.Context, o *Options, ledger *model.Ledger) error {
	if p.resumed || o.DryRun || len(o.Listeners) == 0 {
		return nil
	}
	tell := telling{o}
	if p.delivered > 0 && p.delivered < p.told {
		saves, err := o.Status.Saves(ctx, p.delivered)
		if err != nil {
			return fmt.Errorf("read the saves that may not be delivered: %w", err)
		}
		for i := range saves {
			if s := &saves[i]; s.After.Identity.Sequence <= p.told {
				tell.listeners(ledger, announce.Between(&s.Before, &s.After, s.At))
			}
		}
	}
	tell.listeners(ledger, nil)
	p.resumed = true
	return nil
}

// deliveredUpTo is the last save up to which the listeners need nothing any more.
func (p *progress) deliveredUpTo(o *Options) int64 {
	switch {
	case len(o.Listeners) > 0 && !p.resumed:
		return p.delivered
	case o.Delivered == nil:
		return p.told
	}
	return min(p.told, o.Delivered())
}
