package status

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
)

// Restoration describes how a branch that was lost is written again.
type Restoration struct {
	Ledger       model.LedgerIdentity `json:"ledger"`           // the save that the copy holds
	SourceCommit string               `json:"sourceCommit"`     // that it was decided on
	Applications int                  `json:"applications"`     // that it has a record of
	Found        string               `json:"found"`            // what the branch holds: a phrase
	Needed       bool                 `json:"needed"`           // the copy is newer than the branch
	Commit       string               `json:"commit,omitempty"` // that was written
}

// Restore writes the copy of the ledger that a reconciler keeps in dir, the directory of
// its branch, to the branch: in one commit, on top of what is there, as the next save
// of the same ledger. Nothing of the ledger changes. It writes only to a branch that is
// missing, holds no ledger or an older save of this one, and only if write is set. The
// reconciler may be running.
func (b *Branch) Restore(ctx context.Context, dir string, write bool) (Restoration, error) {
	if _, err := b.Load(ctx); err != nil {
		return Restoration{}, err
	}
	defer b.work()()
	from, err := b.copyIn(ctx, dir)
	if err != nil {
		return Restoration{}, fmt.Errorf("restore status branch: %w", err)
	}
	kept, found := &from.ledger, b.state.ledger.Identity
	r := Restoration{Ledger: kept.Identity, SourceCommit: kept.Commit, Applications: len(kept.Instances), Needed: true}
	switch {
	case b.state.head == git.ZeroHash:
		r.Found = "it does not exist"
	case found.ID == "" && b.state.ledger.Commit == "":
		r.Found = "it holds no ledger"
	case found.Same(kept.Identity) && found.Sequence < kept.Identity.Sequence:
		r.Found = fmt.Sprintf("it holds save %d of this ledger", found.Sequence)
	case found.Same(kept.Identity):
		r.Found, r.Needed = fmt.Sprintf("it holds save %d of this ledger", found.Sequence), false
	default:
		return r, fmt.Errorf("restore status branch: branch %s holds another ledger; keep it under another name, delete the branch, then try again", b.o.Branch)
	}
	if !r.Needed || !write {
		return r, nil
	}
	saved, objects, err := b.restored(from)
	if err == nil {
		r.Commit = saved.head.String()
		_, err = b.push(ctx, saved, objects)
	}
	return r, unpushed("restore", "look at it", err)
}

// NoCopyError reports that a state directory keeps no copy of the ledger of a repository.
type NoCopyError struct{ dir, remote string }

func (e *NoCopyError) Error() string {
	return fmt.Sprintf("%s keeps no ledger of %s; name the --state-dir and the --repo of the reconciler, or add --from-cluster", e.dir, e.remote)
}

// Begin writes a ledger that was made anew, under another id, to a branch that is
// missing or holds no ledger, and only if write is set. It returns the ledger that was
// saved.
func (b *Branch) Begin(ctx context.Context, next model.Ledger, write bool) (saved model.Ledger, r Restoration, err error) {
	found, err := b.Load(ctx)
	if err != nil {
		return found, r, err
	}
	r = Restoration{Ledger: next.Identity, SourceCommit: next.Commit, Applications: len(next.Instances), Needed: true}
	switch {
	case found.Identity.ID != "" || found.Commit != "" || len(found.Instances) > 0:
		return found, r, fmt.Errorf("restore status branch: branch %s holds a ledger; if it is the right one, begin from it with \"reconciler run --adopt\", else keep it under another name, delete the branch, then try again", b.o.Branch)
	case found.Revision == model.Revision{}:
		r.Found = "it does not exist"
	default:
		r.Found = "it holds no ledger"
	}
	if !write {
		return found, r, nil
	}
	if saved, _, err = b.Commit(ctx, found, next); err != nil {
		return saved, r, fmt.Errorf("restore status branch: %w; nothing has changed", err)
	}
	r.Ledger, r.Commit = saved.Identity, b.Tip()
	return saved, r, nil
}

// copyIn reads the copy that a reconciler keeps in dir.
func (b *Branch) copyIn(ctx context.Context, dir string) (*state, error) {
	kept := b.readKept(dir)
	tip, ok := git.ParseHash(kept.Commit)
	if !ok {
		return nil, &NoCopyError{filepath.Dir(dir), b.remote.String()}
	}
	store, ok := git.ReadCopy(filepath.Join(dir, keptDir), git.Limits{}, tip)
	if !ok {
		return nil, fmt.Errorf("the copy in %s is damaged", dir)
	}
	if !b.believes(store, tip) {
		return nil, fmt.Errorf("the copy in %s is not signed by a trusted key", dir)
	}
	from, err := readState(store, tip, b.limits())
	if err == nil {
		err = recall(ctx, store, tip, &from.ledger, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("read the copy in %s: %w", dir, err)
	}
	return from, nil
}

// restored makes the commit that writes a state on top of what the branch holds.
func (b *Branch) restored(from *state) (*state, *git.Objects, error) {
	base, objects := from.deleted(), git.NewObjects()
	base.head = b.state.head
	next := base.ledger
	next.Identity.Sequence++
	p, err := base.plan(&next)
	if err != nil {
		return nil, nil, err
	}
	saved := p.apply(objects)
	message := fmt.Sprintf("restore save %d of the ledger\n\nWhat the copy of a reconciler says, commit %s.\n\nSource-Commit: %s\nTransitions: 0\n",
		from.ledger.Identity.Sequence, from.head, word(from.ledger.Commit))
	if b.o.WrittenBy != "" {
		message += fmt.Sprintf(writtenBy+": %s\n", b.o.WrittenBy)
	}
	return saved, objects, b.commit(objects, base.head, saved, message)
}
