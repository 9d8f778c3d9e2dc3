package reconcile

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/pkg/text"
)

// SourceStale is for how long the fleet repo may be unavailable before the status branch
// and the probe for readiness say so.
const SourceStale = 5 * time.Minute

// reading is when the fleet repo was read last, and why it was not since then.
type reading struct {
	last  time.Time // zero: never
	since time.Time // of the trouble; zero: there is none
	cause string
}

// note takes the outcome of a fetch.
func (r *reading) note(now time.Time, err error) {
	switch {
	case err == nil:
		*r = reading{last: now}
	case r.since.IsZero():
		r.since = now
		if !r.last.IsZero() {
			r.since = r.last
		}
		fallthrough
	default:
		r.cause = text.Line(err.Error(), 300)
	}
}

// stale returns the error for readiness: nil, or since when and why the fleet repo
// cannot be read.
func (r reading) stale(now time.Time, limit time.Duration) error {
	if r.since.IsZero() || now.Sub(r.since) <= limit {
		return nil
	}
	return fmt.Errorf("the fleet repo cannot be read since %s: %s; the last commit that was read stays in force", r.since.UTC().Format(time.RFC3339), r.cause)
}

// source returns what the next ledger says of the fleet repo: that it cannot be read is
// saved once, with the first cause.
func (r reading) source(saved model.SourceState, now time.Time, limit time.Duration) model.SourceState {
	switch {
	case r.since.IsZero():
		saved.Unread = nil
	case saved.Unread == nil && r.stale(now, limit) != nil:
		saved.Unread = &model.Unread{Since: r.since.UTC().Round(0), Cause: r.cause}
	}
	return saved
}

// source returns what the next ledger says of the fleet repo, after a commit of a
// line was accepted.
func (d *declared) source(ledger *model.Ledger, line source.Line, accepted string) model.SourceState {
	next := d.reading.source(ledger.Source, d.o.Now(), d.o.SourceStale)
	if accepted != ledger.Commit {
		next.Replaced = ""
		if ledger.Commit != "" && accepted == line.Tip && line.TipIs != access.Follows {
			next.Replaced = ledger.Commit
		}
	}
	return next
}

// withoutSource is the rest of a pass that knows no commit to decide on, as after a
// start without Git: nothing is decided, and what the ledger says is carried out again,
// so that drift does not wait for Git.
func (l *Loop) withoutSource(ctx context.Context, ledger model.Ledger, r *Report) (err error) {
	if ledger.Platform == nil || l.o.DryRun || ctx.Err() != nil {
		return nil
	}
	r.take(&ledger, &ledger)
	next := ledger
	if next.Source = l.declared.reading.source(ledger.Source, l.o.Now(), l.o.SourceStale); next.Source.Unread != ledger.Source.Unread {
		next.Revision = model.Revision{}
		saved, changed, err := l.o.Status.Commit(ctx, ledger, next)
		switch {
		case errors.Is(err, status.ErrMoved):
			return saveError(err) // the ledger that was read is not the one to act on any more
		case err != nil:
			return errors.Join(saveError(err), l.act(ctx, l.done.asSaved(&l.acted, ledger), r))
		}
		r.Saved = changed
		if err := l.keep(ctx, &ledger, &saved, r); err != nil {
			return err
		}
		ledger = saved
	}
	l.saved = ledger
	return l.act(ctx, l.done.asSaved(&l.acted, ledger), r)
}
