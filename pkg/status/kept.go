package status

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
)

// What is kept is a cache. Where it cannot be read or written, the branch is fetched
// the next time, so no error of it matters. But it may be the last copy of a branch
// that was lost, so no read changes it: only what was accepted or saved is kept.

// In the directory of the branch, keptDir holds the copy and keptFile names it.
const (
	keptDir  = "kept"
	keptFile = "kept.json"
)

// keptSave is the content of keptFile: the save that the copy holds. It is written
// after the remote has the save.
type keptSave struct {
	Remote   model.Digest         `json:"remote"` // of the address
	Commit   string               `json:"commit"`
	Tree     string               `json:"tree,omitempty"`
	Identity model.LedgerIdentity `json:"ledger"`
}

// KeptIdentity returns which save this machine keeps a copy of: the last one that was
// accepted or made. It is zero if there is none.
func (b *Branch) KeptIdentity() model.LedgerIdentity {
	return b.shown.Load().copied.Identity
}

// Kept returns the ledger that this machine keeps a copy of. It reports false if there
// is none, or the copy is damaged.
func (b *Branch) Kept() (model.Ledger, bool) {
	defer b.work()()
	tip, ok := git.ParseHash(b.copied.Commit)
	if b.kept == nil || !ok {
		return model.Ledger{}, false
	}
	store, ok := b.kept.Store(tip)
	if !ok {
		return model.Ledger{}, false
	}
	s := b.readBelieved(store, tip)
	if s == nil || s.ledger.Identity != b.copied.Identity || recall(context.Background(), store, tip, &s.ledger, nil) != nil {
		return model.Ledger{}, false
	}
	return s.ledger, true
}

// Accept takes what Load returned last for the ledger, and keeps it in place of what was
// kept.
func (b *Branch) Accept() {
	defer b.work()()
	b.taken = b.state != nil
	if b.asked.IsZero() {
		b.asked = time.Now()
	}
	if b.kept == nil || b.state == nil || b.state.head == git.ZeroHash || b.state.foreign {
		return
	}
	b.kept.Accept()
	b.noteKept()
}

// noteKept writes which save the copy holds.
func (b *Branch) noteKept() {
	now := keptSave{model.DigestOf(b.remote.String()), b.state.head.String(), b.state.tree.hash.String(), b.state.ledger.Identity}
	if b.kept == nil || now == b.copied {
		return
	}
	b.copied = now
	content, err := json.Marshal(now)
	file := filepath.Join(b.o.Dir, keptFile)
	if err == nil && os.WriteFile(file+".new", content, 0o600) == nil {
		_ = os.Rename(file+".new", file)
	}
}

// readKept reads which save the copy in dir holds. It is zero if that is no copy of
// this repository.
func (b *Branch) readKept(dir string) (kept keptSave) {
	content, err := os.ReadFile(filepath.Join(dir, keptFile))
	if err != nil || json.Unmarshal(content, &kept) != nil ||
		kept.Remote != model.DigestOf(b.remote.String()) || !model.ValidLedgerID(kept.Identity.ID) {
		return keptSave{}
	}
	return kept
}
