package offline

import (
	"context"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source"
)

// noteRefusals notes why access refuses the base branch or the change. A change that does not follow from the last
// accepted commit on first parents still has to be merged: then the signer of the merge counts.
func noteRefusals(ctx context.Context, c Case, e *evaluate.Evaluator, ledger *model.Ledger, base string, head side, n *notes) error {
	if !access.New(ledger.Platform, nil).Enforced() {
		return nil
	}
	tip, err := c.Tree.BranchTip(ctx, base)
	if err != nil {
		return err
	}
	objects := source.OpenClone(ctx, c.Tree.Root)
	defer objects.Close()
	var said access.Violation
	for _, s := range []struct{ name, commit string }{{base, tip}, {head.name, head.commit}} {
		if s.commit == "" || s.commit == uncommitted {
			continue
		}
		line, err := objects.LineTo(s.commit, ledger.Commit)
		if err != nil {
			n.add("who signed %s cannot be checked: %v; if this clone is shallow, \"git fetch --unshallow\" completes it", s.name, err)
			continue
		}
		if s.commit == head.commit && line.TipIs != access.Follows {
			continue
		}
		line.Branch = base
		verdict, err := line.Judge(access.RecordedIn(ledger), c.Now, func(f *source.Files) model.Fleet { return e.Layers(f) })
		if err != nil {
			return err
		}
		if verdict.Refused != nil && *verdict.Refused != said {
			said = *verdict.Refused
			n.add("%s is refused: %s", s.name, verdict.Refused.Error())
		}
	}
	return nil
}
