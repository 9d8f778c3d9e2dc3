package reconcile

import (
	"cmp"
	"context"
	"log/slog"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
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
		e, worthy := a.Event()
		level := slog.LevelInfo
		if e.Warning && (a.Kind == announce.Outcome || a.Kind == announce.Drift) {
			level = slog.LevelWarn
		}
		t.o.Log.LogAttrs(ctx, level, a.Kind.Row().Log, attributes(a)...)
		if worthy {
			t.event(ctx, saved, a.App, e)
		}
	}
}

// event creates an event about an application, or about the fleet. An application that
// never had a place in a runtime has none.
func (t telling) event(ctx context.Context, saved *model.Ledger, id model.AppID, e announce.Event) {
	if t.o.Events == nil {
		return
	}
	if id == (model.AppID{}) {
		t.o.Events.Event(ctx, nil, e)
	} else if inst, ok := saved.Find(id); ok && inst.Spec != nil {
		t.o.Events.Event(ctx, inst, e)
	}
}

// ofBranch tells what is wrong with the branch. No ledger says so: the save that is
// remembered gives the event its key.
func (t telling) ofBranch(ctx context.Context, remembered model.LedgerIdentity, what string, e announce.Event) {
	key := announce.Key{Ledger: cmp.Or(remembered.ID, "no-ledger"), Save: remembered.Sequence}
	e.Key, e.Warning = key.String()+what, true
	t.event(ctx, nil, model.AppID{}, e)
}

// applied logs what the ledger has no place for: what became of the objects of tenants
// and of what the ledger does not know, and objects about which the API server said nothing.
func (t telling) applied(saved *model.Ledger, s *runtime.Outcome) {
	for _, notice := range s.Notices {
		t.o.Log.Warn("apply", "app", s.App, "notice", notice)
	}
	_, recorded := saved.Find(s.App)
	for i := range s.Results {
		switch res := &s.Results[i]; {
		case res.Action == runtime.Failed && (!recorded || res.Reason == ""):
			t.o.Log.Error("apply failed", "app", s.App, "object", res.Object, "reason", res.Reason, "error", res.Message)
		case res.Action == runtime.Corrected && !recorded:
			t.o.Log.Warn("drift corrected", "app", s.App, "object", res.Object, "what", res.Message)
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
	add("object", a.Object)
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
