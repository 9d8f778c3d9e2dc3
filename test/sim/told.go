package sim

import (
	"context"
	"log/slog"
	"time"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
)

// hearing is a model of announcements: what was saved is told, and nothing else, each
// once, by whoever saved it. It reads the log of every process.
type hearing struct {
	saved map[string]*news      // by key
	owed  map[*process][]string // keys of the last save of a process
}

// news is something that was saved.
type news struct {
	save    int64            // that changed it
	tellers map[*branch]bool // who told it; each life of a process is another
	owed    bool             // the cluster remembers how far was told, so nobody who follows can miss it; of an adopted branch only its adopter tells the first save
}

func newHearing() hearing { return hearing{map[string]*news{}, map[*process][]string{}} }

// save takes what a push changes as it arrives.
func (h hearing) save(p *process, before, after *model.Ledger, anchored bool) {
	h.owed[p] = nil
	for _, a := range announce.Between(before, after, begin) {
		if a.Kind.Told() {
			h.saved[a.Key.String()] = &news{after.Identity.Sequence, map[*branch]bool{}, anchored && (before.Identity.ID == "" || before.Identity.ID == after.Identity.ID)}
			h.owed[p] = append(h.owed[p], a.Key.String())
		}
	}
}

const ruleTold = "what is told was saved, once"

// tells judges a line of the log about an announcement.
func (w *World) tells(p *process, key string) {
	n := w.hearing.saved[key]
	switch {
	case n == nil:
		w.violate(ruleTold, "%s tells %s, and the branch does not say so", p.name, key)
	case n.tellers[p.branch]:
		w.violate(ruleTold, "%s tells %s again", p.name, key)
	case len(n.tellers) > 0 && p.told >= n.save:
		w.violate(ruleTold, "%s tells %s again, and the cluster remembers that it was told", p.name, key)
	}
	n.tellers[p.branch] = true
}

// everythingIsTold: a process that saved and went on has told all of the save.
func (w *World) everythingIsTold(p *process) {
	for _, key := range w.hearing.owed[p] {
		if !w.hearing.saved[key].tellers[p.branch] {
			w.violate("what was saved is told", "%s saved %s, and tells nobody", p.name, key)
		}
	}
}

// everythingWasTold: at rest, what was saved was told: where a process ended between the two, by another. One that first
// saw a save under a clock that was ahead has waited long for it, and has seen later saves only then: they are due a minute later.
func (w *World) everythingWasTold(alive []*process) {
	for n := 0; n < 2*len(alive) && w.untold() != ""; n++ {
		w.tick(time.Minute)
		_, _ = alive[n%len(alive)].pass(0, nil)
	}
	if key := w.untold(); key != "" {
		w.violate("what was saved is told", "nobody has told %s of save %d", key, w.hearing.saved[key].save)
	}
}

// untold is the first key of what was saved and nobody has told, "" if there is none.
func (w *World) untold() (key string) {
	for k, n := range w.hearing.saved {
		if n.owed && len(n.tellers) == 0 && (key == "" || k < key) {
			key = k
		}
	}
	return key
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
		if a.Key == "commit" && r.Message == "foreign commit on the status branch" {
			l.named[a.Value.String()] = true
		}
		return true
	})
	return nil
}
