package reconcile

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
)

// takeOver is how old a save of somebody else is that was not told before this process
// tells it: whoever saved it is gone.
const takeOver = time.Minute

// progress is how far the saves of the ledger were told. The cluster remembers it
// beside the ledger, so that whoever follows repeats what was on its way, and loses
// nothing.
type progress struct {
	told  int64     // every save up to this one was told
	own   []int64   // later ones that this process has told
	since time.Time // when a save of somebody else that is not told was seen first; zero: there is none
	seen  int64     // the last save that was there then

	delivered int64 // what an earlier process told up to this save has reached the listeners; 0: nobody knows
	resumed   bool  // the listeners of this process have the rest
}

// progressOf is how far the cluster remembers that saves were told.
func progressOf(anchor *model.Anchor) progress {
	return progress{told: anchor.Announced, delivered: anchor.Delivered}
}

// begin takes what a start finds: what was told of another ledger, or by nobody knows
// whom, says nothing about this one, and none of its saves is told again.
func (p *progress) begin(anchored, ledger *model.LedgerIdentity) {
	if p.told == 0 || anchored.ID != "" && anchored.ID != ledger.ID {
		*p = progress{told: ledger.Sequence}
	}
}

// read takes what the cluster remembers.
func (p *progress) read(ctx context.Context, o *Options) error {
	if o.Recognition.Anchor == nil {
		return nil
	}
	anchor, _, err := o.Recognition.Anchor.Anchor(ctx)
	if err == nil {
		p.told = max(p.told, anchor.Announced)
	}
	return err
}

// saved notes that this process has told a save of its own.
func (p *progress) saved(ctx context.Context, o *Options, save int64) {
	if p.told < save-1 {
		_ = p.read(ctx, o) // whoever saved before has told it by now
	}
	if p.told >= save-1 {
		p.told, p.own, p.since = save, nil, time.Time{}
	} else {
		p.own = append(p.own, save)
	}
}

// overdue reports whether saves up to the one that was seen are to be told by this process,
// because whoever made them did not tell them for a minute. Save is the latest one.
func (p *progress) overdue(ctx context.Context, o *Options, save int64) (bool, error) {
	if save <= p.told || o.Recognition.Anchor == nil || o.DryRun {
		p.since = time.Time{}
		return false, nil
	}
	if !p.since.IsZero() && o.Now().Sub(p.since) < takeOver {
		return false, nil
	}
	first := p.since.IsZero()
	if err := p.read(ctx, o); err != nil {
		return false, err
	}
	if save <= p.told {
		p.since = time.Time{}
		return false, nil
	}
	if first || p.seen <= p.told { // what was seen was told since
		p.since, p.seen = o.Now(), save
		return false, nil
	}
	return true, nil
}

// catchUp tells the saves of others that were not told for a minute, and lets the
// cluster remember that.
func (l *Loop) catchUp(ctx context.Context, ledger *model.Ledger) error {
	p, save := &l.identity.progress, ledger.Identity.Sequence
	if due, err := p.overdue(ctx, &l.o, save); err != nil || !due {
		return err
	}
	saves, err := l.o.Status.Saves(ctx, p.told)
	if err != nil {
		return fmt.Errorf("read the saves that nobody has told: %w", err)
	}
	for i := range saves {
		s := &saves[i]
		if n := s.After.Identity.Sequence; n <= p.seen && !slices.Contains(p.own, n) && follows(s) {
			list := announce.Between(&s.Before, &s.After, s.At)
			telling{&l.o}.announce(ctx, ledger, list)
			telling{&l.o}.listeners(ledger, list)
		}
	}
	told := p.seen
	for slices.Contains(p.own, told+1) {
		told++
	}
	p.told, p.own, p.since = told, slices.DeleteFunc(p.own, func(n int64) bool { return n <= told }), time.Time{}
	l.identity.anchored = model.LedgerIdentity{} // it has to be written again
	return l.anchor(ctx, ledger)
}

// follows reports whether a save is the one after what the branch held before it. A ledger that was restored is not: what it
// differs by was told when it was saved first.
func follows(s *status.Save) bool {
	before, after := s.Before.Identity, s.After.Identity
	return after.Sequence == before.Sequence+1 && (before.ID == "" || before.ID == after.ID)
}
