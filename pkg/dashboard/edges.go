package dashboard

import (
	"context"
	"io"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/view"
)

// Moment is what one commit of the status branch says. It never changes.
type Moment struct {
	Commit     string    // "": there is no status branch yet
	Time       time.Time // of the commit
	Ledger     *model.Ledger
	Unverified string // the commit and why no key vouches for it, "" if one does or none is known

	whole *model.Ledger // of which Ledger is what somebody may read
}

// Branch is the status branch. It is safe for concurrent use.
type Branch interface {
	// Load returns the newest commit. An error with a moment tells why the moment may be old, one with a zero moment that
	// there is none.
	Load(ctx context.Context) (Moment, error)

	// At returns a commit of the branch, or a *status.CommitError.
	At(ctx context.Context, commit string) (Moment, error)

	// Log returns a page of the commits before one, or of the newest ones. For one that is not on the branch it returns a
	// *status.CommitError.
	Log(ctx context.Context, before string, limit int) (view.Timeline, error)

	// History returns what changed of an application as of a moment, the latest first, at most so many entries.
	History(ctx context.Context, m Moment, app model.AppID, limit int) ([]view.HistoryEntry, error)
}

// Worker answers questions about the files of the fleet repo: outside of this process, so that neither what an answer costs nor how it
// ends concerns the pages. Nobody asks two at a time.
type Worker interface {
	// Follow brings what a question is about up to date, which may take long after a change.
	Follow(ctx context.Context, q Question) error

	// Ask answers a question. It also returns the CPU time that this took, whatever the error. Once ctx has ended it gives up at the next step.
	Ask(ctx context.Context, q Question) (a Answer, worked time.Duration, err error)
}

// Questions are what can be asked about the files of the fleet repo as they lie on disk. Nobody asks two at a time.
type Questions interface {
	// Follow brings the files and the status branch up to date, which may take long after a change.
	Follow(ctx context.Context, recorded offline.Recorded, now time.Time) error

	// Unlooked reports whether Follow would only look at the files, with that commit of the status branch.
	Unlooked(status string, now time.Time) bool

	// Unchanged reports whether the files are those that were followed. It may be called beside WhatIf.
	Unchanged(ctx context.Context) bool

	// WhatIf returns what some settings and amounts of capacity would change. An *offline.SettingError blames these.
	WhatIf(ctx context.Context, settings []offline.Setting, capacity []offline.Capacity) (plan.Comparison, error)
}

// Plans are what the merges of heads would do.
type Plans interface {
	// Plan returns what that of one head would do. An *offline.UnrelatedError blames the head.
	Plan(ctx context.Context, recorded offline.Recorded, now time.Time, head string) (plan.Comparison, error)
}

// Proposals are the changes of the fleet repo that people propose. They are safe for concurrent use.
type Proposals interface {
	// Heads returns what may be merged.
	Heads(ctx context.Context) (view.Heads, error)

	// Find returns the head of a name, with its name as git resolves it, and the commit that its plan compares it with. An error blames
	// the name.
	Find(ctx context.Context, name string) (head view.Head, base string, err error)

	// Touches returns, for each commit, the files of the fleet repo that its merge would change, or the directories of tenants that they
	// are in, and none where Git cannot tell. A list of heads asks once for all of them.
	Touches(ctx context.Context, commits []string) ([][]string, error)
}

// Drafts are the changes of the fleet repo that people edit, on the last commit of the clone. Nobody asks two at a time.
type Drafts interface {
	// Follow brings the commit and the status branch up to date, which may take long after a change.
	Follow(ctx context.Context, recorded offline.Recorded, now time.Time) error

	// Source returns what the files in the directory of a layer say, none if there are none.
	Source(ctx context.Context, dir string) (offline.Source, error)

	// Offers returns what a declaration can name.
	Offers(tenant string) (offline.Offers, error)

	// Schema returns a layer as JSON Schema, with what a tenant can use.
	Schema(layer, tenant string) ([]byte, error)

	// Preview returns what a draft would do. An *offline.DraftError blames the draft.
	Preview(ctx context.Context, d offline.Draft) (offline.Preview, error)
}

// Saver saves drafts. It is safe for concurrent use.
type Saver interface {
	// Save commits changes of a commit onto a new branch, in the name of who asks where several people do. Nothing else changes, in the
	// clone or at its origin. A *clone.RefusedError is what the origin says.
	Save(ctx context.Context, commit string, changes []clone.Change, message string, onto clone.DraftBranch) (clone.Saved, error)

	// Write writes changes into the work tree of the clone, and commits nothing. It writes nothing if one of the files has changes that are
	// not committed.
	Write(ctx context.Context, changes ...clone.Change) error
}

// Saving is where drafts become branches.
type Saving string

// Places where a draft is saved.
const (
	SavesHere     Saving = "here"    // in the clone alone
	SavesPushed   Saving = "push"    // in the clone and at its origin, by whoever has the clone
	SavesProposed Saving = "propose" // at the origin alone, by whoever has signed in
)

// Cluster is what runs. It is safe for concurrent use.
type Cluster interface {
	// Follow prepares to watch an application for a person. Who follows closes what it returns.
	Follow(app model.AppID, of runtime.Person) (Followed, error)
}

// Followed is an application that is watched. It is safe for concurrent use.
type Followed interface {
	// Look returns what there is now, compared with what a ledger wants. An error is that nothing could be seen.
	Look(ctx context.Context, ledger *model.Ledger) (runtime.Live, error)

	// Changed returns a number that grows with each change, and a channel that is closed at the next one.
	Changed() (version int, next <-chan struct{})

	// Logs opens the log of a container, with a time before each line. A *runtime.NotLiveError blames the query.
	Logs(ctx context.Context, q runtime.LogQuery) (io.ReadCloser, error)

	Close()
}
