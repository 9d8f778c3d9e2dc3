package status

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"

	"github.com/d-aros/d-aros/pkg/model"
)

// NewLedgerID returns a random id for a ledger that has none.
func NewLedgerID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	return hex.EncodeToString(b[:])
}

// readIdentity reads which ledger this is. A branch that no reconciler of this
// version has saved does not say.
func (r *reader) readIdentity() (identity model.LedgerIdentity, err error) {
	if r.same(ledgerFile) {
		return r.since.held.ledger.Identity, nil
	}
	found, err := r.read(ledgerFile, &identity)
	if !found || err != nil {
		return model.LedgerIdentity{}, err
	}
	switch {
	case !model.ValidLedgerID(identity.ID):
		err = fmt.Errorf("%q is not the id of a ledger, which has 32 hexadecimal digits", identity.ID)
	case identity.Sequence < 1:
		err = fmt.Errorf("sequence %d: saves count from 1", identity.Sequence)
	case !label.MatchString(identity.Fleet):
		err = fmt.Errorf("%q cannot name a fleet", identity.Fleet)
	}
	if err != nil {
		return model.LedgerIdentity{}, damaged(r.format.name(ledgerFile), err)
	}
	return identity, nil
}

// identity plans the record of which ledger this is. A ledger never loses its id.
func (p *plan) identity(next model.LedgerIdentity) error {
	if next.ID == "" {
		return nil
	}
	saved, err := write(p, ledgerFile, &p.base.ledger.Identity, &next)
	if err == nil {
		p.ledger.Identity = *saved
	}
	return err
}

// following returns the identity with which next is saved: that of the ledger that
// the branch has, unless next has another id, and one more save.
func (s *state) following(next model.LedgerIdentity) model.LedgerIdentity {
	if next.ID == "" {
		next = s.ledger.Identity
	}
	if next.ID != "" {
		next.Sequence = s.ledger.Identity.Sequence + 1
	}
	return next
}
