package sim

import (
	"context"
	"log/slog"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
)

// hearing is a model of announcements: what was saved is told, and nothing else, each
// once, by whoever saved it. It reads the log of every process.
type hearing struct {
	saved map[string]bool       // by key: it was told
	owed  map[*process][]string // keys of the last save of a process
}

func newHearing() hearing { return hearing{map[string]bool{}, map[*process][]string{}} }

// save takes what a push changes as it arrives.
func (h hearing) save(p *process, before, after *model.Ledger) {
	h.owed[p] = nil
	for _, a := range announce.Between(before, after, begin) {
		if a.Kind.Told() {
			h.saved[a.Key.String()] = false
			h.owed[p] = append(h.owed[p], a.Key.String())
		}
	}
}

const ruleTold = "what is told was saved, once"

// tells judges a line of the log about an announcement.
func (w *World) tells(p *process, key string) {
	told, saved := w.hearing.saved[key]
	switch {
	case !saved:
		w.violate(ruleTold, "%s tells %s, and the branch does not say so", p.name, key)
	case told:
		w.violate(ruleTold, "%s tells %s again", p.name, key)
	}
	w.hearing.saved[key] = true
}

// everythingIsTold: a process that saved and went on has told all of the save.
func (w *World) everythingIsTold(p *process) {
	for _, key := range w.hearing.owed[p] {
		if !w.hearing.saved[key] {
			w.violate("what was saved is told", "%s saved %s, and tells nobody", p.name, key)
		}
	}
}

// log is the log of a process. It hears the lines that have a key.
type log struct{ *process }

func (log) Enabled(context.Context, slog.Level) bool { return true }
func (l log) WithAttrs([]slog.Attr) slog.Handler     { return l }
func (l log) WithGroup(string) slog.Handler          { return l }

func (l log) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "key" {
			l.world.tells(l.process, a.Value.String())
		}
		return true
	})
	return nil
}
