package status

import (
	"context"
	"fmt"
	"path/filepath"
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
// latest first. It fetches the whole history of the branch,
// once, and what is new at later calls.
func (b *Branch) History(ctx context.Context, app model.AppID, n int) ([]Entry, error) {
	if _, err := appDir(app); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	tip, err := b.fetchHistory(ctx)
	if err != nil {
		return nil, fmt.Errorf("read status history: %w", err)
	}
	entries, err := walk(ctx, b.store, tip, app, n)
	if err != nil {
		return nil, fmt.Errorf("read status history: %w", err)
	}
	return entries, nil
}

// fetchHistory brings the history store up to date and returns the tip.
func (b *Branch) fetchHistory(ctx context.Context) (tip git.Hash, err error) {
	if b.store == nil {
		if b.store, err = git.OpenStore(filepath.Join(b.o.Dir, "history")); err != nil {
			return git.ZeroHash, err
		}
	}
	err = retry(ctx, func() error {
		tip, err = b.fetchTip(ctx)
		return err
	})
	return tip, err
}

func (b *Branch) fetchTip(ctx context.Context) (git.Hash, error) {
	refs, err := b.remote.Refs(ctx)
	if err != nil {
		return git.ZeroHash, err
	}
	tip := refs[git.Branch(b.o.Branch)].Commit
	if b.store.Damaged() {
		if err := b.store.Reset(); err != nil {
			return git.ZeroHash, err
		}
	}
	if tip == git.ZeroHash || b.store.Has(tip) {
		return tip, nil
	}
	var have []git.Hash
	if h, ok := b.store.Tip(); ok {
		have = append(have, h)
	}
	if err := b.remote.Fetch(ctx, b.store, tip, have, 0); err != nil {
		return git.ZeroHash, err
	}
	return tip, b.store.SetTip(tip)
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
			subject, _, _ := strings.Cut(later.message, "\n")
			e := Entry{
				Commit:       later.hash.String(),
				Time:         later.time,
				Subject:      text.Line(subject, maxLine),
				SourceCommit: trailer(later.message, "Source-Commit"),
			}
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
