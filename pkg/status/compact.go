package status

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/git"
)

// Compaction reports what compacting the branch did, or would do.
type Compaction struct {
	Folded     int       `json:"folded"`               // commits that the checkpoint replaces
	Kept       int       `json:"kept"`                 // commits after it
	Checkpoint string    `json:"checkpoint,omitempty"` // the first commit of the branch; "" if there is nothing to fold
	Time       time.Time `json:"time,omitzero"`        // of the checkpoint: that of the last commit that it replaces
	Before     string    `json:"before"`               // where the branch was
	After      string    `json:"after"`                // where it is
}

// CompactOptions select the commits to keep.
type CompactOptions struct {
	Since  time.Time  // commits from then on are kept, and the last one before them as the checkpoint
	Signer git.Signer // of the checkpoint of a branch that is not signed; nil: nobody
	DryRun bool       // compute and change nothing
}

// Compact removes the history of the branch before a moment: one commit without
// parents, the checkpoint, has the content that the branch had then, and the commits
// after it follow with the same content, message and time. The ledger does not
// change, so no decision does.
//
// Nothing else moves the branch other than forward. It is one compare-and-swap: when
// somebody writes meanwhile, Compact starts again.
func (b *Branch) Compact(ctx context.Context, o CompactOptions) (Compaction, error) {
	defer b.work()()
	var err error
	for range attempts {
		var c Compaction
		if c, err = b.compact(ctx, o); !errors.Is(err, git.ErrRefMoved) {
			if err != nil {
				return c, fmt.Errorf("compact status branch: %w", err)
			}
			return c, nil
		}
	}
	return Compaction{}, fmt.Errorf("compact status branch: others write to it all the time: %w; try again later", err)
}

func (b *Branch) compact(ctx context.Context, o CompactOptions) (Compaction, error) {
	store, tip, err := b.archive.fetch(ctx)
	if err != nil {
		return Compaction{}, err
	}
	if tip != git.ZeroHash && !b.believes(store, tip) {
		return Compaction{}, errors.New("its last commit is not signed by a trusted key; let the reconciler save once more")
	}
	if s, _, err := savedAt(store, tip); err == nil && tip != git.ZeroHash {
		if c, err := store.Signed(tip); err == nil && b.o.Signing == nil && len(c.Signature) > 0 && trailer(s.past.message, sequenceTrailer) != "" {
			return Compaction{}, errors.New("it is signed; name the key of the reconciler with --status-key")
		}
		if l, _, err := s.Read(ctx); err == nil && len(l.Damaged) > 0 {
			return Compaction{}, fmt.Errorf("the history has the last readable record of %s, which would be lost: %s", l.Damaged[0].App, &l.Damaged[0])
		}
	}
	c := Compaction{Before: tip.String(), After: tip.String()}
	kept, base, older, err := split(ctx, store, tip, o.Since)
	if err != nil {
		return c, err
	}
	if c.Kept, c.Folded = len(kept), older; older < 2 {
		c.Kept, c.Folded = len(kept)+older, 0 // the first commit cannot become shorter
		return c, nil
	}
	objects := git.NewObjects()
	checkpoint := git.NewCommit{
		Tree: base.tree, Name: b.o.Author.Name, Email: b.o.Author.Email, Time: base.time, Message: checkpointMessage(base, older),
	}
	signer := o.Signer
	if b.o.Signing != nil {
		signer = b.signerOf(store, base)
	}
	at, err := objects.AddSignedCommit(checkpoint, signer)
	if err != nil {
		return c, err
	}
	c.Checkpoint, c.Time = at.String(), base.time
	for _, k := range slices.Backward(kept) {
		again := git.NewCommit{Tree: k.tree, Parent: at, Name: k.name, Email: k.email, Time: k.time, Message: k.message}
		if at, err = objects.AddSignedCommit(again, b.signerOf(store, k)); err != nil {
			return c, err
		}
	}
	if c.After = at.String(); o.DryRun {
		return c, nil
	}
	return c, b.rewrite(ctx, tip, at, objects)
}

// signerOf returns who signs a commit again: nobody, if it did not verify.
func (b *Branch) signerOf(store *git.Store, p past) git.Signer {
	if b.o.Signing == nil || !b.believes(store, p.hash) {
		return nil
	}
	return b.o.Signing.Key
}

// rewrite moves the branch from one commit to another that does not follow it.
// git.ErrRefMoved says that somebody else was first.
func (b *Branch) rewrite(ctx context.Context, from, to git.Hash, objects *git.Objects) error {
	err := b.remote.Push(ctx, git.Branch(b.o.Branch), from, to, objects)
	if err == nil || errors.Is(err, git.ErrRefMoved) {
		return err
	}
	// Servers report a lost race in many ways, and answers get lost.
	refs, asked := b.remote.Refs(ctx)
	if asked != nil {
		return err
	}
	switch refs[git.Branch(b.o.Branch)].Commit {
	case to:
		return nil
	case from:
		return fmt.Errorf("%w; the repository must allow this credential to rewrite the branch %s", err, b.o.Branch)
	}
	return git.ErrRefMoved
}

// past is a commit of the branch.
type past struct {
	hash, tree, parent git.Hash // the first parent: the branch has no others
	name, email        string
	time               time.Time
	message            string
}

func readPast(store *git.Store, h git.Hash) (past, error) {
	c, err := store.Commit(h)
	if err != nil {
		return past{}, err
	}
	p := past{hash: h, tree: c.TreeHash, name: c.Committer.Name, email: c.Committer.Email, time: c.Committer.When.UTC(), message: c.Message}
	if len(c.ParentHashes) > 0 {
		p.parent = c.ParentHashes[0]
	}
	return p, nil
}

// backwards calls visit for a commit and those before it, until visit returns false.
func backwards(ctx context.Context, store *git.Store, from git.Hash, visit func(past) (goOn bool, err error)) error {
	for at := from; at != git.ZeroHash; {
		if err := ctx.Err(); err != nil {
			return err
		}
		p, err := readPast(store, at)
		if err != nil {
			return err
		}
		if goOn, err := visit(p); err != nil || !goOn {
			return err
		}
		at = p.parent
	}
	return nil
}

// split returns the commits since a moment, latest first, the last one before
// them, and how many there are from that one on, itself counted.
func split(ctx context.Context, store *git.Store, tip git.Hash, since time.Time) (kept []past, base past, older int, err error) {
	err = backwards(ctx, store, tip, func(p past) (bool, error) {
		switch {
		case older > 0:
			older++
		case p.time.Before(since):
			base, older = p, 1
		default:
			kept = append(kept, p)
		}
		return true, nil
	})
	return kept, base, older, err
}

// checkpointMessage names the last commit that the checkpoint replaces, so that people
// who keep a copy of the old history find where it continues.
func checkpointMessage(base past, folded int) string {
	var m strings.Builder
	fmt.Fprintf(&m, "checkpoint: %d commits\n\nWhat the branch said at commit %s.\n\n", folded, base.hash)
	if source := trailer(base.message, "Source-Commit"); source != "" {
		fmt.Fprintf(&m, "Source-Commit: %s\n", word(source))
	}
	fmt.Fprintf(&m, "Checkpoint-Of: %s\n", base.hash)
	for _, key := range []string{writtenBy, ledgerTrailer, sequenceTrailer} { // of the content and what is signed, not of this commit
		if value := trailer(base.message, key); value != "" {
			fmt.Fprintf(&m, "%s: %s\n", key, value)
		}
	}
	return m.String()
}
