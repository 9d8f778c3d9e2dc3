package reconcile

import (
	"context"
	"log/slog"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
)

// announce tells what was saved: a line in the log and the metrics each, and an event
// for people who look at the cluster. Nothing else tells of what the ledger says.
func (l *Loop) announce(ctx context.Context, list []announce.Announcement) {
	l.o.Metrics.announce(list)
	for i := range list {
		a := &list[i]
		if !a.Kind.Told() {
			continue
		}
		l.o.Log.LogAttrs(ctx, slog.LevelInfo, a.Kind.Row().Log, attributes(a)...)
		if reason, text, warning := a.Event(); reason != "" && a.App != (model.AppID{}) {
			l.event(ctx, a.App, warning, reason, text)
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
