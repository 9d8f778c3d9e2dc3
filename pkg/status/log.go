package status

import (
	"context"
	"fmt"
	"strings"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/text"
)

// CommitError reports a commit that cannot be read as one of the status branch.
type CommitError struct{ Commit, Why string }

func (e *CommitError) Error() string {
	return fmt.Sprintf("commit %s %s", text.Line(e.Commit, 80), e.Why)
}

// Log returns the commits of the branch before one of them, latest first and at most
// limit, with the changes that each was the first to record. Before "" it begins with the
// tip. It returns also what to pass as before for those that follow, "" where the history
// begins. No older commit is read than the last one returned and the one before it.
//
// A commit that is not on the branch is a *CommitError. History that this process has
// read is not asked for again.
func (b *Branch) Log(ctx context.Context, before string, limit int) (entries []Entry, next string, err error) {
	store, from, err := b.logFrom(ctx, before)
	if err != nil {
		return nil, "", fmt.Errorf("read status history: %w", err)
	}
	defer b.archive.read()()
	versions := newVersions(store)
	err = backwards(ctx, store, from, func(p past) (bool, error) {
		if len(entries) >= limit {
			return false, nil
		}
		old, now, err := versions.around(p, EventFilter{})
		if err != nil {
			return false, fmt.Errorf("commit %s: %w", p.hash, err)
		}
		e := p.entry()
		e.Changes = announce.Between(&old, &now, p.time)
		entries = append(entries, e)
		if next = ""; p.parent != git.ZeroHash {
			next = e.Commit
		}
		return true, nil
	})
	if err != nil {
		return nil, "", fmt.Errorf("read status history: %w", err)
	}
	return entries, next, nil
}

// logFrom returns the first commit that Log returns.
func (b *Branch) logFrom(ctx context.Context, before string) (*git.Store, git.Hash, error) {
	store, h, err := b.historyFrom(ctx, before)
	if err != nil || before == "" {
		return store, h, err
	}
	defer b.archive.read()()
	p, err := readPast(store, h)
	return store, p.parent, err
}

// entry returns what a commit says of itself.
func (p *past) entry() Entry {
	subject, _, _ := strings.Cut(p.message, "\n")
	return Entry{
		Commit:       p.hash.String(),
		Time:         p.time,
		Subject:      text.Line(subject, maxLine),
		SourceCommit: trailer(p.message, "Source-Commit"),
	}
}
