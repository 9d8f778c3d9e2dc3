package reconcile

import (
	"context"
	"fmt"

	"github.com/d-aros/d-aros/pkg/source"
)

// follow returns how the fleet repo goes on from the commit that the ledger was decided
// on. It asks the repo when a poll is due, and when somebody else has decided on a
// commit that is not on the line in memory: to decide on an older one would take back
// what it changed. When the repo is unavailable, the pass goes on with the line in
// memory: what it says was fetched before, and drift and recovery must not wait for Git.
func (l *Loop) follow(ctx context.Context, recorded string, r *Report) (source.Line, error) {
	fetched := l.line.Snapshot.Files != nil
	rest, onLine := l.line.After(recorded)
	if fetched && onLine && l.now().Sub(l.polled) < l.interval {
		l.line = rest
		return rest, nil
	}
	line, err := l.source.Line(ctx, recorded, l.gate.root)
	switch {
	case err == nil:
		l.line, l.polled = line, l.now()
		return line, nil
	case !fetched || ctx.Err() != nil:
		return source.Line{}, err
	case !onLine:
		r.SourceErr = err
		return source.Line{}, fmt.Errorf("fetch commit %s, on which somebody else has decided: %w", recorded, err)
	}
	r.SourceErr = err
	l.line = rest
	return rest, nil
}
