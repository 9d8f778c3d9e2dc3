package reconcile

import (
	"context"
	"errors"
	"log/slog"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/runtime"
)

// publish reports what a pass did: metrics, a log line for each error and one for a pass
// that changed something, and for what apply had to do in the cluster.
func (l *Loop) publish(ctx context.Context, r *Report, err error) {
	h := *l.Health.is.Load()
	h.err, h.reading, h.left, h.ended = err, l.declared.reading, r.Left+r.UnderWay, r.Ended
	h.ready = h.ready || err == nil && h.left == 0
	l.Health.is.Store(&h)
	r.Measured = l.o.measure(r.Left, r.Ended)
	l.o.Metrics.observe(r, err)
	l.o.Metrics.passes.read(l.declared.reading.last)
	l.o.Metrics.ledger.observe(&l.saved, r.Pools)
	tell := telling{&l.o}
	for i := range r.Applied.Outcomes {
		tell.applied(&l.saved, &r.Applied.Outcomes[i])
	}
	if r.SourceErr != nil {
		l.o.Log.Warn("the fleet repo is unavailable; the last commit that was read stays in force", "commit", r.Commit, "error", r.SourceErr)
	}
	if err != nil && ctx.Err() == nil && l.identity.told.tell(err, r.Ended) {
		l.o.Log.Error("pass failed", "commit", r.Commit, "error", err)
		if refused := (*LedgerRefusedError)(nil); errors.As(err, &refused) {
			tell.ofBranch(ctx, l.identity.remembered(), "-"+refused.Reason, announce.Event{At: r.Ended, Reason: "LedgerRefused", Text: refused.Error()})
		}
	}
	if r.Changed() {
		l.o.Log.Info("pass", "commit", r.Commit, "took", r.Ended.Sub(r.Started), "saved", r.Saved, "transitions", len(r.Transitions()), "readmitted", len(r.of(announce.Admission)),
			slog.Group("objects", "created", r.Applied.Count(runtime.Created), "configured", r.Applied.Count(runtime.Configured),
				"corrected", r.Applied.Count(runtime.Corrected), "pruned", r.Applied.Count(runtime.Pruned), "failed", r.Applied.Count(runtime.Failed)),
			"left", r.Left, "problems", len(r.Problems))
	}
	if l.o.Done != nil {
		l.o.Done(*r, err)
	}
}
