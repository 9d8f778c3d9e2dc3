package offline

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/plan"
)

// Base is a fleet that was evaluated and decided on once, about which many questions are asked: each costs one decision. It
// is for one caller at a time.
type Base struct {
	c    Case
	head string
	a    *assessor

	rec    Recorded
	source string // identifies the files, "" if nothing was read yet
	was    decided
	notes  notes
}

// SettingError is an error of a setting or of a change of capacity. Nothing else is wrong.
type SettingError struct{ Err error }

func (e *SettingError) Error() string { return e.Err.Error() }

// Unwrap returns the error without the blame.
func (e *SettingError) Unwrap() error { return e.Err }

// OpenBase starts the evaluators of a base of a revision, "" for the files as they lie on disk, with the capacity of the case. It has nothing to answer from
// before Follow has succeeded. The context bounds all that the evaluators do. The caller closes the base.
func OpenBase(ctx context.Context, o Options, c Case, head string) (*Base, error) {
	a, err := newAssessor(ctx, o)
	return &Base{c: c, head: head, a: a}, err
}

// Close ends the evaluators.
func (b *Base) Close() { b.a.close() }

// maxAge is how old a decision may be that answers follow from: holds end and deadlines pass.
const maxAge = time.Minute

// Follow brings the base up to date with a status branch, the files of the clone and the time: it decides again if one of the
// first two has changed, or if the last decision is old. What did not change is not evaluated again. The context also bounds
// the questions that follow, which read files.
func (b *Base) Follow(ctx context.Context, rec Recorded, now time.Time) error {
	source, err := b.identify(ctx)
	if err != nil {
		return err
	}
	if source == b.source && b.recent(rec.Commit, now) {
		return nil
	}
	b.rec, b.c.Now, b.source, b.notes, b.a.ledger = rec, now, "", nil, &b.rec.Ledger
	noteRecord(b.c.StatusBranch, &b.rec, &b.notes)
	is, err := headSide(ctx, b.c.Tree, b.a, b.head, &b.notes)
	if err != nil {
		return err
	}
	if b.was, err = decide(is, rec.Ledger, now, b.c.Capacity, &b.notes); err != nil {
		return err
	}
	if b.was.Fleet.Platform != nil {
		b.was.inputs = inputsOfObjects(&b.was.Outcome)
	}
	b.source = source
	return nil
}

// FollowClone is Follow with the status branch that the case names, at the time of the case.
func (b *Base) FollowClone(ctx context.Context) error {
	rec, err := b.c.recorded(ctx)
	if err != nil {
		return err
	}
	return b.Follow(ctx, rec, b.c.Now)
}

// identify returns what identifies the files.
func (b *Base) identify(ctx context.Context) (string, error) {
	w := b.c.Tree
	if b.head != "" || w.Clean(ctx) {
		return w.Revision(ctx, cmp.Or(b.head, "HEAD"))
	}
	files, err := w.Files(ctx)
	if err != nil {
		return "", err
	}
	digest, err := files.Digest(".")
	return digest + " after " + w.Head(ctx), err // whose approvals count
}

// recent reports whether the last decision is about a commit of the status branch, and not old.
func (b *Base) recent(status string, now time.Time) bool {
	return b.source != "" && status == b.rec.Commit && now.Sub(b.c.Now) < maxAge
}

// Unlooked reports whether Follow would have nothing to do but look at the files on disk, which were those of a commit. To look
// at thousands of files takes as long as a part of an answer. So a caller may ask at once, and look with Unchanged meanwhile.
func (b *Base) Unlooked(status string, now time.Time) bool {
	return b.head == "" && b.was.commit == b.source && b.recent(status, now)
}

// Unchanged reports whether the files on disk still are those of the commit that the base is about. WhatIf may be called at the
// same time.
func (b *Base) Unchanged(ctx context.Context) bool {
	return b.c.Tree.Clean(ctx) && b.c.Tree.Head(ctx) == b.source
}

// WhatIf compares the fleet with itself after some settings and changes of capacity. It gives up between two steps when ctx
// has ended.
func (b *Base) WhatIf(ctx context.Context, settings []Setting, capacity []Capacity) (plan.Comparison, error) {
	is := b.was.side
	for _, s := range settings {
		if err := s.apply(&is.fleet); err != nil {
			return plan.Comparison{}, &SettingError{err}
		}
	}
	n := slices.Clone(b.notes)
	after, err := decide(is, b.rec.Ledger, b.c.Now, capacity, &n)
	if err != nil {
		return plan.Comparison{}, &SettingError{err} // only the capacity can be wrong
	}
	if err := ctx.Err(); err != nil {
		return plan.Comparison{}, err
	}
	made := b.c.differences(b.a, b.rec, b.was, after, n)
	made.After = plan.Side{Name: "with these changes"}
	return made, nil
}
