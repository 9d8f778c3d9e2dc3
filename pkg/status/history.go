package status

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
)

// Entry is one commit of the branch that changed the record of an application.
type Entry struct {
	Commit       string
	Time         time.Time
	Subject      string
	SourceCommit string // of the fleet repo, from the trailer
	Transitions  []model.Transition
}

// History returns the last n commits that changed what the branch says about
// an application, latest first. It fetches the whole history of the branch,
// once, and what is new at later calls.
func (b *Branch) History(ctx context.Context, app model.AppID, n int) ([]Entry, error) {
	dir, err := appDir(app)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	tip, err := b.fetchHistory(ctx)
	if err != nil {
		return nil, fmt.Errorf("read status history: %w", err)
	}
	entries, err := walk(ctx, b.store, tip, app, dir, n)
	if err != nil {
		return nil, fmt.Errorf("read status history: %w", err)
	}
	return entries, nil
}

// fetchHistory brings the history store up to date and returns the tip.
func (b *Branch) fetchHistory(ctx context.Context) (git.Hash, error) {
	if b.store == nil {
		store, err := git.OpenStore(filepath.Join(b.dir, "history"))
		if err != nil {
			return git.ZeroHash, err
		}
		b.store = store
	}
	refs, err := b.remote.Refs(ctx)
	if err != nil {
		return git.ZeroHash, err
	}
	tip := refs[git.Branch(b.name)].Commit
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

// version is what one commit says about the application.
type version struct {
	digest string // of its directory, "" if there is none
	known  []model.Transition
}

// walk goes back along first parents. A directory with an equal digest is
// passed without reading it.
func walk(ctx context.Context, store *git.Store, tip git.Hash, app model.AppID, dir string, n int) ([]Entry, error) {
	var entries []Entry
	if tip == git.ZeroHash {
		return nil, nil
	}
	now, err := versionAt(store, tip, app, dir)
	if err != nil {
		return nil, err
	}
	for at := tip; at != git.ZeroHash && len(entries) < n; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c, err := store.Commit(at)
		if err != nil {
			return nil, err
		}
		var before version
		parent := git.ZeroHash
		if len(c.ParentHashes) > 0 {
			parent = c.ParentHashes[0]
			if before, err = versionAt(store, parent, app, dir); err != nil {
				return nil, err
			}
		}
		if now.digest != before.digest {
			subject, _, _ := strings.Cut(c.Message, "\n")
			entries = append(entries, Entry{
				Commit:       at.String(),
				Time:         c.Committer.When.UTC(),
				Subject:      git.Printable(subject),
				SourceCommit: trailer(c.Message, "Source-Commit"),
				Transitions:  news(before.known, now.known),
			})
		}
		at, now = parent, before
	}
	return entries, nil
}

func versionAt(store *git.Store, commit git.Hash, app model.AppID, dir string) (version, error) {
	c, err := store.Commit(commit)
	if err != nil {
		return version{}, err
	}
	files, err := store.Files(c.TreeHash, limits)
	if err != nil {
		return version{}, err
	}
	digest, err := files.Digest(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return version{}, nil // the application was not known then
	}
	if err != nil {
		return version{}, err
	}
	r, err := readRecord(files, app)
	if err != nil {
		return version{}, fmt.Errorf("commit %s: %w", commit, err)
	}
	v := version{digest: digest}
	if r.instance != nil {
		v.known = r.instance.History
	}
	return v, nil
}

// trailer returns the value of a trailer of a commit message.
func trailer(message, key string) string {
	for line := range strings.Lines(message) {
		if value, ok := strings.CutPrefix(line, key+": "); ok {
			return git.Printable(value)
		}
	}
	return ""
}
