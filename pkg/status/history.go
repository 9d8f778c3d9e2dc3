package status

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// Entry is one commit of the branch that changed the record of an application.
type Entry struct {
	Commit       string
	Time         time.Time
	Subject      string
	SourceCommit string // of the fleet repo, from the trailer
	Changes      []announce.Announcement
}

// History returns the last n commits that changed the records of an application,
// latest first, as of a commit, "" for the newest one. A commit that is not on the
// branch is a *CommitError. It fetches the whole history of the branch, once, and
// what is new at later calls.
func (b *Branch) History(ctx context.Context, at string, app model.AppID, n int) ([]Entry, error) {
	if _, err := appDir(app); err != nil {
		return nil, err
	}
	store, from, err := b.historyFrom(ctx, at)
	if err != nil {
		return nil, fmt.Errorf("read status history: %w", err)
	}
	defer b.archive.read()()
	entries, err := walk(ctx, store, from, app, n)
	if err != nil {
		return nil, fmt.Errorf("read status history: %w", err)
	}
	return entries, nil
}

// historyFrom returns the history of the branch, and where it is read from.
func (b *Branch) historyFrom(ctx context.Context, at string) (*git.Store, git.Hash, error) {
	if at == "" {
		return b.recentHistory(ctx)
	}
	return b.onBranch(ctx, at)
}

// walk goes back along first parents. A directory with an equal digest is
// passed without reading it.
func walk(ctx context.Context, store *git.Store, tip git.Hash, app model.AppID, n int) ([]Entry, error) {
	var entries []Entry
	versions := newVersions(store)
	var later past
	var now version
	add := func(before version) {
		if later.hash != git.ZeroHash && now.dir != before.dir {
			e := later.entry()
			migrated := before.format != 0 && now.format != 0 && before.format != now.format // which changes no meaning
			if !before.damaged && !now.damaged && !migrated {
				e.Changes = announce.Application(&before.instance, &now.instance, later.time)
			}
			entries = append(entries, e)
		}
	}
	err := backwards(ctx, store, tip, func(p past) (bool, error) {
		v, err := versions.at(p.tree, app)
		if err != nil {
			return false, fmt.Errorf("commit %s: %w", p.hash, err)
		}
		add(v)
		later, now = p, v
		return len(entries) < n, nil
	})
	if err == nil && later.parent == git.ZeroHash && len(entries) < n {
		add(version{})
	}
	return entries, err
}

// trailer returns the value of a trailer of a commit message.
func trailer(message, key string) string {
	for line := range strings.Lines(message) {
		if value, ok := strings.CutPrefix(line, key+": "); ok {
			return text.Line(value, maxLine)
		}
	}
	return ""
}
