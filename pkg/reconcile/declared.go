package reconcile

import (
	"context"
	"fmt"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/turn"
)

// declared is what the fleet repo declares, as far as it was fetched, accepted and
// evaluated. It is a cache of the repo.
type declared struct {
	o *Options

	line    source.Line // that was fetched last, from what is accepted
	polled  time.Time   // when; a poll is due an interval later
	reading reading     // of the repo

	accepted source.Snapshot // of line; zero if the repo cannot show it
	gate     gate

	fleet     model.Fleet   // of accepted
	evaluated bool          // fleet is all that its files say
	rendered  *turn.Checked // of fleet

	vouched vouched
	judged  judged
}

// follow returns how the fleet repo goes on from the commit that the ledger was decided
// on. It asks the repo when a poll is due, and when somebody else has decided on a
// commit that is not on the line in memory: to decide on an older one would take back
// what it changed. When the repo is unavailable, the pass goes on with the line in
// memory: what it says was fetched before, and drift and recovery must not wait for Git.
func (d *declared) follow(ctx context.Context, recorded string, r *Report) (source.Line, error) {
	fetched := d.line.Snapshot.Files != nil
	rest, onLine := d.line.After(recorded)
	if fetched && onLine && d.o.Now().Sub(d.polled) < d.o.Interval {
		d.line = rest
		return rest, nil
	}
	line, err := d.o.Source.Line(ctx, recorded, d.o.TrustRoot)
	if ctx.Err() == nil {
		d.reading.note(d.o.Now(), err)
	}
	switch {
	case err == nil:
		d.line, d.polled = line, d.o.Now()
		return line, nil
	case !fetched || ctx.Err() != nil:
		return source.Line{}, err
	case !onLine:
		r.SourceErr = err
		return source.Line{}, fmt.Errorf("fetch commit %s, on which somebody else has decided: %w", recorded, err)
	}
	r.SourceErr = err
	d.line = rest
	return rest, nil
}

// hold reads the commit that a ledger was decided on, for what its specs refer to,
// while nothing new is decided.
func (d *declared) hold(ctx context.Context, commit string, r *Report) error {
	if d.accepted.Commit == commit {
		return nil
	}
	line, err := d.follow(ctx, commit, r)
	if err != nil {
		return err
	}
	held, err := line.At(commit)
	if err != nil {
		return fmt.Errorf("read the commit that the ledger was decided on: %w", err)
	}
	d.accepted = held
	return nil
}
