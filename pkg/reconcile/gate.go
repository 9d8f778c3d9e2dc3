package reconcile

import (
	"cmp"
	"fmt"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source"
)

// gate remembers what was logged about accepted and refused commits.
type gate struct {
	refused access.Violation // that was logged last
	trusted bool             // the commit that was trusted at first was logged
}

// admitted returns the accepted commit of a line, the fleet that it declares, and why
// the commit after it is refused. If not even the last accepted commit can be had any
// more, everything stays as the ledger says.
func (d *declared) admitted(line source.Line, ledger model.Ledger) (source.Snapshot, model.Fleet, *access.Violation, error) {
	layers := func(files *source.Files) model.Fleet { return d.o.Evaluator.Layers(files) }
	verdict, err := line.Judge(access.RecordedIn(&ledger), d.o.Now(), layers)
	if err != nil {
		return source.Snapshot{}, model.Fleet{}, nil, err
	}
	d.announceRefusal(verdict)
	if verdict.Unavailable {
		d.accepted = source.Snapshot{}
		return source.Snapshot{Commit: verdict.Commit}, access.Held(&ledger, verdict.Refused), verdict.Refused, nil
	}
	if d.accepted.Commit != verdict.Commit {
		accepted, err := line.At(verdict.Commit)
		if err != nil {
			return source.Snapshot{}, model.Fleet{}, nil, fmt.Errorf("read the last accepted commit: %w", err)
		}
		d.accepted = accepted
	}
	fleet := d.evaluate(d.accepted, &ledger)
	if ledger.Commit == "" && verdict.Refused == nil && !d.gate.trusted && access.New(fleet.Platform, nil).Enforced() {
		d.gate.trusted = true
		d.o.Log.Warn("no commit was accepted before: this one is trusted without a check, and later commits need signatures",
			"commit", cmp.Or(d.o.TrustRoot, verdict.Commit), "trust-root", d.o.TrustRoot != "")
	}
	return d.accepted, fleet, verdict.Refused, nil
}

// announceRefusal writes one line for each new reason to stay behind the branch.
func (d *declared) announceRefusal(verdict access.Verdict) {
	refused := verdict.Refused
	if refused == nil {
		d.gate.refused = access.Violation{}
		return
	}
	if *refused != d.gate.refused {
		d.o.Log.Warn("commit refused", "commit", refused.Commit, "code", refused.Code, "signer", refused.Signer, "path", refused.Path,
			"reason", refused.Reason, "hint", refused.Hint, "stays", verdict.Commit)
		d.gate.refused = *refused
	}
}
