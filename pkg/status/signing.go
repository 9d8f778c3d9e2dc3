package status

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
)

// Signing says who signs the saves of the branch, and whose saves are believed. A save
// says which ledger, branch and number it is of, so it counts nowhere else and never
// again after a later one.
type Signing struct {
	Key    git.Signer  // signs what this process saves; nil: it saves nothing
	Trust  access.Keys // whose saves are believed, those of Key among them
	Accept string      // a commit that is believed as it is at the first load; "": none

	// Adopt lets the first load believe an older save than the one that is kept.
	Adopt bool
}

// The trailers that a signed save has besides.
const (
	ledgerTrailer   = "Ledger"   // of which ledger it is, and on which branch
	sequenceTrailer = "Sequence" // which save of it
)

// seals returns the trailers of a save.
func (b *Branch) seals(of model.LedgerIdentity) string {
	return fmt.Sprintf(ledgerTrailer+": %s/%s\n"+sequenceTrailer+": %d\n", of.ID, b.o.Branch, of.Sequence)
}

// sealed returns which save a signed commit says it is, as far as a branch is concerned.
func sealed(c git.Signed, branch string) (of model.LedgerIdentity, err error) {
	_, message, _ := bytes.Cut(c.Payload, []byte("\n\n"))
	ledger, on, _ := strings.Cut(trailer(string(message), ledgerTrailer), "/")
	of.ID = ledger
	of.Sequence, err = strconv.ParseInt(trailer(string(message), sequenceTrailer), 10, 64)
	switch {
	case !model.ValidLedgerID(ledger) || err != nil || of.Sequence < 1:
		return of, errors.New("does not say which save of which ledger it is")
	case on != branch:
		return of, fmt.Errorf("is a save of branch %s", branchName(on))
	}
	return of, nil
}

// branchName is a name from a commit, fit for an error.
func branchName(name string) string {
	if git.CheckRefName(name) != nil {
		return "with a malformed name"
	}
	return name
}

// unbelieved is the tip of the branch if no trusted key signed it for this branch, or if
// it is an older save than the last one.
type unbelieved struct {
	commit, parent git.Hash
	why            string // a clause: "is not signed"
}

func (e *unbelieved) Error() string { return fmt.Sprintf("commit %s %s", e.commit, e.why) }

// verify returns which save a commit is, zero without signing and for the commit that is
// accepted as it is. The error is *unbelieved.
func (b *Branch) verify(commit git.Hash, c git.Signed) (model.LedgerIdentity, error) {
	s := b.o.Signing
	if s == nil || s.Accept == commit.String() {
		return model.LedgerIdentity{}, nil
	}
	return s.check(commit, c, b.o.Branch)
}

func (s *Signing) check(commit git.Hash, c git.Signed, branch string) (model.LedgerIdentity, error) {
	found := &unbelieved{commit: commit}
	if len(c.Parents) > 0 {
		found.parent = c.Parents[0]
	}
	if found.why = c.Refused; found.why != "" {
		return model.LedgerIdentity{}, found
	}
	_, err := s.Trust.Verify(c.Payload, c.Signature)
	var of model.LedgerIdentity
	if err == nil {
		of, err = sealed(c, branch)
	}
	if err != nil {
		found.why = err.Error()
		return of, found
	}
	return of, nil
}

// verifyTip verifies the tip, which must not be older than what this process takes for the
// ledger or, before it takes any, keeps.
func (b *Branch) verifyTip(tip git.Hash, c git.Signed) error {
	s := b.o.Signing
	if s == nil || !b.taken && s.Accept == tip.String() {
		return nil
	}
	of, err := s.check(tip, c, b.o.Branch)
	if err != nil {
		return err
	}
	last, tree := b.copied.Identity, b.copied.Tree
	if b.taken {
		last, tree = b.state.ledger.Identity, b.state.tree.hash.String()
	} else if s.Adopt || of.ID != last.ID {
		return nil
	}
	found := &unbelieved{commit: tip}
	switch {
	case last.ID == "":
		return nil
	case of.ID != last.ID:
		found.why = fmt.Sprintf("is of ledger %s, and this is ledger %s", of.ID, last.ID)
	case of.Sequence < last.Sequence:
		found.why = fmt.Sprintf("is save %d of the ledger, and save %d came before it", of.Sequence, last.Sequence)
	case of.Sequence == last.Sequence && tree != "" && c.Tree.String() != tree:
		found.why = fmt.Sprintf("is another save %d of the ledger", of.Sequence)
	default:
		return nil
	}
	return found
}

// arrived is a commit that was fetched.
type arrived struct {
	commit git.Hash
	signed git.Signed
}

// Doubt returns why none of the keys vouches for a commit of the branch that was read, ""
// if one does: a clause that follows the name of the commit. It is for people who read a
// branch; nothing is decided on it.
func (b *Branch) Doubt(keys access.Keys, commit string) string {
	h, ok := git.ParseHash(commit)
	c, read, err := b.signed(h)
	if !ok || !read {
		return "was not read"
	}
	if err != nil {
		return "cannot be read"
	}
	found := (*unbelieved)(nil)
	if _, err := (&Signing{Trust: keys}).check(h, c, b.o.Branch); errors.As(err, &found) {
		return found.why
	}
	return ""
}

// Committed returns when a commit of the branch was made that Load, At, Log or History read. It is the zero time for any other
// one.
func (b *Branch) Committed(commit string) time.Time {
	h, _ := git.ParseHash(commit)
	c, _, _ := b.signed(h)
	return c.Time
}

// signed returns a commit for its signature, and whether it was read, or the history was.
func (b *Branch) signed(commit git.Hash) (c git.Signed, read bool, err error) {
	if at := b.shown.Load().arrived; at.commit == commit {
		return at.signed, true, nil
	}
	store, _ := b.archive.held()
	if store == nil || commit == git.ZeroHash {
		return c, false, nil
	}
	defer b.archive.read()()
	c, err = store.Signed(commit)
	return c, true, err
}

// believes reports whether a commit in a store verifies.
func (b *Branch) believes(store *git.Store, commit git.Hash) bool {
	if b.o.Signing == nil {
		return true
	}
	c, err := store.Signed(commit)
	if err == nil {
		_, err = b.verify(commit, c)
	}
	return err == nil
}

// readBelieved reads the state at a commit that verifies; nil if it does not, or cannot
// be read.
func (b *Branch) readBelieved(store *git.Store, commit git.Hash) *state {
	if !b.believes(store, commit) {
		return nil
	}
	s, _ := readState(store, commit, b.limits())
	return s
}

// readTip reads the state at the tip of the branch, if that verifies.
func (b *Branch) readTip(store *git.Store, tip git.Hash) (*state, error) {
	c, err := store.Signed(tip)
	if err == nil {
		err = b.verifyTip(tip, c)
	}
	if err != nil {
		return nil, err
	}
	return readState(store, tip, b.limits())
}

// maxBehind bounds how many foreign commits are passed on the way to a save.
const maxBehind = 100

// savedBehind returns the newest save that verifies from a commit on, nil if there is
// none. It asks for one commit after the other, and unpacks nothing of those that do not
// verify. A server that gives no commit behind the tip has to give the whole history,
// which goes to the disk.
func (b *Branch) savedBehind(ctx context.Context, at git.Hash) (*state, error) {
	for range maxBehind {
		if at == git.ZeroHash {
			return nil, nil
		}
		store := git.NewMemoryStore()
		err := b.remote.FetchCommit(ctx, store, at, func(c git.Signed) error {
			_, err := b.verify(at, c)
			return err
		})
		found := (*unbelieved)(nil)
		switch {
		case err == nil:
			return readState(store, at, b.limits())
		case !errors.As(err, &found):
			return b.savedInHistory(ctx, at)
		}
		at = found.parent
	}
	return nil, nil
}

func (b *Branch) savedInHistory(ctx context.Context, from git.Hash) (last *state, err error) {
	store, _, err := b.archive.fetch(ctx)
	if err != nil {
		return nil, err
	}
	err = backwards(ctx, store, from, func(p past) (bool, error) {
		if b.believes(store, p.hash) {
			last, err = readState(store, p.hash, b.limits())
		}
		return last == nil, err
	})
	return last, err
}
