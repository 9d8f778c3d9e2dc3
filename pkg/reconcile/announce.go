package reconcile

import (
	"context"
	"log/slog"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// telling tells people and programs of what was saved.
type telling struct{ o *Options }

// announce tells what a save changed: a line in the log and the metrics each, and an
// event for people who look at the cluster. Nothing else tells of what the ledger says.
func (t telling) announce(ctx context.Context, saved *model.Ledger, list []announce.Announcement) {
	t.o.Metrics.announce(list)
	for i := range list {
		a := &list[i]
		if !a.Kind.Told() {
			continue
		}
		t.o.Log.LogAttrs(ctx, slog.LevelInfo, a.Kind.Row().Log, attributes(a)...)
		if reason, text, warning := a.Event(); reason != "" && a.App != (model.AppID{}) {
			t.event(ctx, saved, a.App, warning, reason, text)
		}
	}
}

// event creates an event in the application's namespace. An application that never had
// a place in the cluster has no namespace.
func (t telling) event(ctx context.Context, saved *model.Ledger, id model.AppID, warning bool, reason, message string) {
	if inst, ok := saved.Find(id); ok && inst.Spec != nil {
		t.o.Runtime.Event(ctx, render.Namespace(t.o.Prefix, id, inst.Spec.Policy.Namespace), warning, reason, message)
	}
}

// listeners gives the listeners the ledger that the branch holds: never one that was
// only decided, so that nothing is announced that was not saved.
func (t telling) listeners(saved *model.Ledger) {
	if saved.Commit == "" {
		return
	}
	for _, listener := range t.o.Listeners {
		listener.Announce(saved)
	}
}

// applied logs what failed of a set and what was put back.
func (t telling) applied(ctx context.Context, saved *model.Ledger, s *apply.SetReport) {
	for _, notice := range s.Notices {
		t.o.Log.Warn("apply", "app", s.App, "notice", notice)
	}
	for i := range s.Results {
		switch res := &s.Results[i]; res.Action {
		case apply.Failed:
			t.o.Log.Error("apply failed", "app", s.App, "object", res.Ref.String(), "reason", res.Reason, "error", res.Message)
			t.event(ctx, saved, s.App, true, "ApplyFailed", res.Message)
		case apply.Corrected:
			t.o.Log.Warn("drift corrected", "app", s.App, "object", res.Ref.String(), "what", res.What())
			t.event(ctx, saved, s.App, true, "DriftCorrected", res.Ref.String()+": "+res.What())
		}
	}
}

// attributes are what the line of an announcement says.
func attributes(a *announce.Announcement) []slog.Attr {
	var list []slog.Attr
	add := func(name, value string) {
		if value != "" {
			list = append(list, slog.String(name, value))
		}
	}
	if a.App != (model.AppID{}) {
		list = append(list, slog.Any("app", a.App))
	}
	if a.Run > 0 {
		list = append(list, slog.Int("run", a.Run))
	} else if a.Instance > 0 {
		list = append(list, slog.Int("instance", a.Instance))
	}
	add("step", a.Step)
	add("type", a.Type)
	if a.Stage > 0 {
		list = append(list, slog.Int("stage", a.Stage))
	}
	if a.Kind != announce.Transition {
		add("kind", string(a.Kind))
	}
	add("from", a.From)
	add("to", a.To)
	add("by", a.By)
	add("reason", string(a.Reason))
	add("message", a.Message)
	if a.Kind != announce.Transition {
		add("commit", a.Commit)
	}
	add("key", a.Key.String())
	return list
}
