package reconcile

import (
	"context"
	"fmt"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
)

// unverified returns the refusal of a branch on which nothing verifies, or that somebody
// writes to again and again.
func unverified(foreign *status.ForeignError) *LedgerRefusedError {
	return &LedgerRefusedError{
		Reason: RefusedUnverified, keptIsLast: foreign.Many,
		instead: foreign.Error() + "; until then nothing is decided, started or stopped, and what runs goes on (docs/operations.md)",
	}
}

// tellForeign tells of the commits on the status branch that were found and not believed,
// or deleted: the log and an event name each, and the metrics count the former.
func (i *identification) tellForeign(ctx context.Context, o *Options) {
	if o.Recognition.Foreign == nil {
		return
	}
	latest, count := o.Recognition.Foreign()
	for _, f := range latest[max(0, len(latest)-(count-i.foreign)):] {
		reason, hint := "StatusBranchDeleted", deletedHint
		if f.Deleted {
			o.Log.Error("status branch deleted", "commit", f.Commit, "hint", hint)
		} else {
			reason, hint = "ForeignCommit", foreignHint
			o.Log.Error("foreign commit on the status branch", "commit", f.Commit, "why", f.Why, "hint", hint)
			o.Metrics.passes.foreign.Inc()
		}
		telling{o}.ofBranch(ctx, i.remembered(), "-foreign-"+f.Commit[:min(12, len(f.Commit))], announce.Event{
			At: f.At, Reason: reason, Text: fmt.Sprintf("commit %s of the status branch %s; %s", f.Commit, f.Why, hint),
		})
	}
	i.foreign = count
}

const (
	foreignHint = "nothing that it says was believed; find out who can push to the branch (docs/operations.md)"
	deletedHint = "the next save writes the branch again, without its history; find out who can push to the branch (docs/operations.md)"
)

// mustBeSigned returns why nothing may be decided on a ledger that nobody signs, nil if
// something may: commits of a fleet that enforces signatures are judged by what the
// ledger says was accepted.
func (r *Recognition) mustBeSigned(ledger *model.Ledger, fleet *model.Fleet) error {
	enforced := access.New(ledger.Platform, nil).Enforced() || access.New(fleet.Platform, nil).Enforced()
	if r.Signed || !enforced {
		return nil
	}
	return &LedgerRefusedError{Reason: RefusedUnsigned,
		instead: `the platform enforces signatures, and the status branch is not signed, so who can push to it decides which commits count; give the reconciler a key with --status-key; until then nothing is decided, started or stopped, and what runs goes on (docs/status-branch.md)`}
}
