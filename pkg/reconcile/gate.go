package reconcile

import (
	"cmp"
	"fmt"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source"
)

// gate is where commits are let in: the trust root, and what the log has heard.
type gate struct {
	root    string // Options.TrustRoot
	said    access.Violation
	trusted bool // the log has heard what was trusted at first
}

// admitted returns the accepted commit of a line, the fleet that it declares, and why
// the commit after it is refused. If not even the last accepted commit can be had any
// more, everything stays as the ledger says.
func (l *Loop) admitted(line source.Line, ledger model.Ledger) (source.Snapshot, model.Fleet, *access.Violation, error) {
	layers := func(files *source.Files) model.Fleet { return l.evaluator.Layers(files) }
	verdict, err := line.Judge(access.RecordedIn(&ledger), l.now(), layers)
	if err != nil {
		return source.Snapshot{}, model.Fleet{}, nil, err
	}
	l.announceRefusal(verdict)
	if verdict.Unavailable {
		l.accepted = source.Snapshot{}
		return source.Snapshot{Commit: verdict.Commit}, access.Held(&ledger, verdict.Refused), verdict.Refused, nil
	}
	if l.accepted.Commit != verdict.Commit {
		if l.accepted, err = line.At(verdict.Commit); err != nil {
			return source.Snapshot{}, model.Fleet{}, nil, fmt.Errorf("read the last accepted commit: %w", err)
		}
	}
	fleet := l.evaluate(l.accepted)
	if ledger.Commit == "" && verdict.Refused == nil && !l.gate.trusted && access.New(fleet.Platform, nil).Enforced() {
		l.gate.trusted = true
		l.log.Warn("nothing was accepted before; a first commit is trusted as it is, and signatures are checked after it",
			"commit", cmp.Or(l.gate.root, verdict.Commit), "trust-root", l.gate.root != "")
	}
	return l.accepted, fleet, verdict.Refused, nil
}

// announceRefusal writes one line for each new reason to stay behind the branch.
func (l *Loop) announceRefusal(verdict access.Verdict) {
	refused := verdict.Refused
	if refused == nil {
		l.gate.said = access.Violation{}
		return
	}
	if *refused != l.gate.said {
		l.log.Warn("commit refused", "commit", refused.Commit, "code", refused.Code, "signer", refused.Signer, "path", refused.Path,
			"reason", refused.Reason, "hint", refused.Hint, "stays", verdict.Commit)
		l.gate.said = *refused
	}
}
