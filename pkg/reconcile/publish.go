package reconcile

import (
	"context"
	"log/slog"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// publish reports what a pass did: metrics, a log line for each error and one for a pass
// that changed something, and for what apply had to do in the cluster.
func (l *Loop) publish(ctx context.Context, r *Report, err error) {
	h := *l.health.Load()
	h.err, h.left, h.ready = err, r.Left, h.ready || err == nil && r.Left == 0
	l.health.Store(&h)
	l.o.Metrics.observe(r, err)
	l.o.Metrics.ledger.observe(&l.saved, r.Pools)
	l.notify()

	for i := range r.Applied.Sets {
		l.publishSet(ctx, &r.Applied.Sets[i])
	}
	if r.SourceErr != nil {
		l.o.Log.Warn("the fleet repo is unavailable; the last commit that was read stays in force", "commit", r.Commit, "error", r.SourceErr)
	}
	if err != nil && ctx.Err() == nil {
		l.o.Log.Error("pass failed", "commit", r.Commit, "error", err)
	}
	if r.Changed() {
		l.o.Log.Info("pass", "commit", r.Commit, "took", r.Ended.Sub(r.Started), "saved", r.Saved, "transitions", len(r.Transitions()), "readmitted", len(r.of(announce.Admission)),
			slog.Group("objects", "created", r.Applied.Count(apply.Created), "configured", r.Applied.Count(apply.Configured),
				"corrected", r.Applied.Count(apply.Corrected), "pruned", r.Applied.Count(apply.Pruned), "failed", r.Applied.Count(apply.Failed)),
			"left", r.Left, "problems", len(r.Problems))
	}
	if l.o.Done != nil {
		l.o.Done(*r, err)
	}
}

// publishSet logs what failed of a set and what was put back.
func (l *Loop) publishSet(ctx context.Context, s *apply.SetReport) {
	for _, notice := range s.Notices {
		l.o.Log.Warn("apply", "app", s.App, "notice", notice)
	}
	for i := range s.Results {
		switch res := &s.Results[i]; res.Action {
		case apply.Failed:
			l.o.Log.Error("apply failed", "app", s.App, "object", res.Ref.String(), "error", res.Message)
			l.event(ctx, s.App, true, "ApplyFailed", res.Ref.String()+": "+res.Message)
		case apply.Corrected:
			l.o.Log.Warn("drift corrected", "app", s.App, "object", res.Ref.String(), "what", res.Message)
			l.event(ctx, s.App, true, "DriftCorrected", res.Ref.String()+": "+res.Message)
		}
	}
}

// event creates an event in the application's namespace. An application that never had
// a place in the cluster has no namespace.
func (l *Loop) event(ctx context.Context, id model.AppID, warning bool, reason, message string) {
	if inst, ok := l.saved.Find(id); ok && inst.Spec != nil {
		l.o.Runtime.Event(ctx, render.Namespace(l.o.Prefix, id, inst.Spec.Policy.Namespace), warning, reason, message)
	}
}
