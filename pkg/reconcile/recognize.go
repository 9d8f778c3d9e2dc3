package reconcile

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// Reasons why the branch does not hold the ledger that the fleet follows: the values
// of the label reason of daros_ledger_refused.
const (
	RefusedMissing = "missing" // there is no branch
	RefusedEmpty   = "empty"   // the branch holds no ledger
	RefusedForeign = "foreign" // it is another ledger
	RefusedOlder   = "older"   // it is an older save of the ledger
	RefusedAnchor  = "anchor"  // the cluster does not remember clearly which ledger it is

	RefusedUnverified = "unverified" // no trusted key signed it
	RefusedUnsigned   = "unsigned"   // this process signs nothing, and the fleet enforces signatures
)

var refusals = []string{RefusedMissing, RefusedEmpty, RefusedForeign, RefusedOlder, RefusedAnchor, RefusedUnverified, RefusedUnsigned}

// LedgerRefusedError reports that the branch does not hold the ledger that the fleet
// follows. Nothing may be decided on it, written to it, started or stopped.
type LedgerRefusedError struct {
	Reason string
	what   string

	keptIsLast bool   // nobody is known to have saved after the copy on this machine
	instead    string // the whole sentence, where another one fits better
}

func (e *LedgerRefusedError) Error() string {
	if e.instead != "" {
		return e.instead
	}
	return "the status branch is not the ledger of this fleet: " + e.what + `; nothing is decided, started or stopped. ` +
		`Bring the branch back, from a clone or with "reconciler restore --write", or begin from the branch as it is with "reconciler run --adopt" (docs/operations.md)`
}

// memory is what is remembered of the ledger of a fleet, apart from the branch.
type memory struct {
	fleet, branch string
	last          model.LedgerIdentity // that this process saved or accepted
	anchor        model.Anchor         // what the cluster remembers …
	anchored      bool                 // … if it does
	kept          model.LedgerIdentity // on this machine
	signed        bool                 // only saves that verify are loaded
	objects       []string             // ids of the ledgers that the objects in the cluster belong to
}

// judge returns why a ledger that was loaded is not the one of the fleet, nil if it
// is. Where nothing is remembered, the ledger is the first one.
func (m *memory) judge(l *model.Ledger) *LedgerRefusedError {
	if m.anchored && (!model.ValidLedgerID(m.anchor.ID) || m.anchor.Sequence < 1 || m.anchor.Fleet != m.fleet) {
		return &LedgerRefusedError{Reason: RefusedAnchor, what: fmt.Sprintf(
			"ConfigMap daros-%s, in which the cluster remembers it, is damaged; delete the ConfigMap if the branch is right", m.fleet)}
	}
	reason, what := m.differs(l)
	if reason == "" {
		return nil
	}
	return &LedgerRefusedError{Reason: reason, what: what, keptIsLast: m.keptIsLast()}
}

// keptIsLast reports whether nobody is known to have saved after the copy on this machine.
func (m *memory) keptIsLast() bool {
	last := !m.anchored || m.kept.Same(m.anchor.LedgerIdentity) && m.kept.Sequence >= m.anchor.Sequence
	return m.kept.Fleet == m.fleet && last
}

// differs returns how a ledger differs from the one that is remembered.
func (m *memory) differs(l *model.Ledger) (reason, what string) {
	want, who := m.remembered()
	found := l.Identity
	if found.ID != "" && found.Fleet != m.fleet {
		return RefusedForeign, fmt.Sprintf("branch %q holds the ledger of fleet %q, and this is fleet %q", m.branch, found.Fleet, m.fleet)
	}
	follows := fmt.Sprintf("%s remembers save %d of ledger %s", who, want.Sequence, brief(want.ID))
	if want.ID == "" {
		if len(m.objects) == 0 {
			return "", ""
		}
		follows = "the cluster has objects of fleet " + m.fleet
	}
	switch {
	case l.Revision == model.Revision{}:
		return RefusedMissing, fmt.Sprintf("branch %q does not exist, and %s", m.branch, follows)
	case found.ID == "" && l.Commit == "" && len(l.Instances) == 0:
		return RefusedEmpty, fmt.Sprintf("branch %q holds no ledger, and %s", m.branch, follows)
	case want.ID == "" && !slices.Contains(m.objects, found.ID) && !slices.Contains(m.objects, ""):
		return RefusedForeign, fmt.Sprintf("branch %q holds ledger %s, and the objects in the cluster belong to %s", m.branch, brief(found.ID), brief(m.objects[0]))
	case m.anchored && found.ID == m.anchor.ID && m.anchor.Branch != "" && m.anchor.Branch != m.branch && m.last.ID == "":
		return RefusedForeign, fmt.Sprintf("branch %q holds ledger %s, and the cluster follows it on branch %q; name that with --status-branch or, if it was renamed, delete ConfigMap daros-%s",
			m.branch, brief(found.ID), text.Clean(m.anchor.Branch), m.fleet)
	case want.ID == "":
		return "", "" // the ledger, or one of a version that named none
	case found.ID != want.ID:
		return RefusedForeign, fmt.Sprintf("branch %q holds ledger %s, and %s", m.branch, brief(found.ID), follows)
	case m.signed && m.anchored && m.anchor.Tree != "" && m.anchor.LedgerIdentity == found && m.anchor.Tree != treeOf(l):
		return RefusedForeign, fmt.Sprintf("branch %q holds another save %d of ledger %s than the cluster remembers", m.branch, found.Sequence, brief(found.ID))
	case found.Sequence < want.Sequence:
		return RefusedOlder, fmt.Sprintf("branch %q holds save %d of ledger %s, and %s", m.branch, found.Sequence, brief(found.ID), follows)
	}
	return "", ""
}

// remembered returns the latest save that is remembered, and who remembers it. The
// cluster is believed before a machine that may have been away.
func (m *memory) remembered() (model.LedgerIdentity, string) {
	const machine = "the state directory"
	switch {
	case m.last.ID != "":
		return m.last, "this process"
	case m.anchored && m.kept.Same(m.anchor.LedgerIdentity) && m.kept.Sequence > m.anchor.Sequence:
		return m.kept, machine
	case m.anchored:
		return m.anchor.LedgerIdentity, "the cluster"
	case m.kept.Fleet == m.fleet:
		return m.kept, machine
	}
	return model.LedgerIdentity{}, ""
}

// treeOf names the content of a save.
func treeOf(l *model.Ledger) string { return hex.EncodeToString(l.Revision[:]) }

// brief names a ledger for people.
func brief(id string) string { return cmp.Or(id[:min(8, len(id))], "without an id") }
