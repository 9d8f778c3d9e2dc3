package main

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"

	"github.com/d-aros/d-aros/pkg/dashboard"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/view"
)

// uiBranch is the status branch as the dashboard reads it.
type uiBranch struct {
	reader *ledgerReader
	name   string
	doubt  func(commit string) string
	last   dashboard.Moment // that Load returned
}

// Load returns the newest commit. Where the origin of the clone cannot be read, that is the one of the last "git fetch", with
// the reason.
func (b *uiBranch) Load(ctx context.Context) (dashboard.Moment, error) {
	if b.reader.stale != nil {
		if err := clone.CopyTracked(ctx, b.reader.clone, b.name, b.reader.url); err != nil {
			return dashboard.Moment{}, err
		}
	}
	ledger, err := b.reader.branch.Load(ctx)
	if err != nil {
		return dashboard.Moment{}, err
	}
	if tip := b.reader.branch.Tip(); b.last.Ledger == nil || tip != b.last.Commit {
		b.last = b.moment(tip, &ledger)
	}
	return b.last, b.reader.stale
}

// moment returns what a commit says, and whether anybody vouches for it.
func (b *uiBranch) moment(commit string, l *model.Ledger) dashboard.Moment {
	m := dashboard.Moment{Commit: commit, Time: b.reader.branch.Committed(commit), Ledger: l}
	if why := b.doubt(commit); commit != "" && why != "" {
		m.Unverified = fmt.Sprintf("commit %s %s", commit, why)
	}
	return m
}

// At returns a commit of the branch.
func (b *uiBranch) At(ctx context.Context, commit string) (dashboard.Moment, error) {
	l, err := b.reader.branch.At(ctx, commit)
	if err != nil {
		return dashboard.Moment{}, err
	}
	return b.moment(commit, &l), nil
}

// Log returns commits of the branch.
func (b *uiBranch) Log(ctx context.Context, before string, limit int) (view.Timeline, error) {
	read, next, err := b.reader.branch.Log(ctx, before, limit)
	if err != nil {
		return view.Timeline{}, err
	}
	return view.TimelineOf(read, next, b.doubt), nil
}

// History returns what changed of an application as of a moment.
func (b *uiBranch) History(ctx context.Context, m dashboard.Moment, app model.AppID, limit int) ([]view.HistoryEntry, error) {
	return history(ctx, b.reader, b.doubt, m.Commit, app, limit, false)
}

// hints tells when the branch may have moved, nil where that cannot be seen.
func (r *ledgerReader) hints(ctx context.Context, branch string) <-chan struct{} {
	repo, err := source.Open(ctx, source.Options{URL: r.url, Branch: branch, Dir: filepath.Join(r.dir.Name, "hints"), Auth: r.auth})
	if err != nil {
		return nil
	}
	defer repo.Close()
	return repo.Changes(ctx)
}

// shownRepo names a repo for people, without credentials.
func shownRepo(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return address
	}
	u.User = nil
	return u.String()
}
