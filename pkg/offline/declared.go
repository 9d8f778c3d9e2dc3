package offline

import (
	"context"
	"errors"
	"fmt"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/turn"
)

// declared is the branch that declares the fleet, with all its commits.
type declared struct {
	*assessor
	repo *source.Repository
	tip  source.Snapshot
}

func openDeclared(ctx context.Context, o Options, repo *source.Repository) (declared, error) {
	tip, err := repo.Snapshot(ctx)
	if err != nil {
		return declared{}, err
	}
	a, err := newAssessor(ctx, o)
	return declared{a, repo, tip}, err
}

// caseOf returns the case of a pass that starts with a ledger and a source commit, without observation and time.
func (d declared) caseOf(ctx context.Context, commit string, ledger model.Ledger) (turn.Case, error) {
	snap, err := d.tip.At(commit)
	if err != nil {
		return turn.Case{}, fmt.Errorf("read the source commit: %w", err)
	}
	d.ledger = &ledger
	fleet, err := d.assess(ctx, revision{snap.Commit, snap.Files, func(commit string) (evaluate.Files, error) {
		older, err := snap.At(commit)
		return older.Files, err
	}})
	if err != nil {
		return turn.Case{}, err
	}
	if turn.Platform(fleet, ledger) == nil {
		return turn.Case{}, errors.New("the source commit has no valid platform, and there was none before")
	}
	return turn.Case{Fleet: fleet, Checked: d.rendered, Ledger: ledger, Requests: access.Requests{Removals: d.evaluator.Approvals(snap.Files).Removals}}, nil
}
