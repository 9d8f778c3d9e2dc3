package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/view"
)

// uiProposals plans what the heads of a clone would do to the branch that declares the fleet.
type uiProposals struct {
	tree         *clone.Tree
	options      offline.Options
	base, status string
}

// openProposals prepares plans. They read the clone by themselves, as they are made beside other questions.
func openProposals(cmd *cobra.Command, from *ledgerFlags, o offline.Options, base string) (*uiProposals, error) {
	tree, err := clone.Open(cmd.Context(), from.repo)
	return &uiProposals{tree: tree, options: o, base: base, status: from.branch}, err
}

// Heads returns what may be merged. It asks for more: branches come twice, here and at the origin, and some are left out.
func (p *uiProposals) Heads(ctx context.Context) (view.Heads, error) {
	all, err := p.tree.Proposals(ctx, 2*view.MaxHeads+4)
	return view.HeadsOf(all, p.base, p.status), err
}

// Find returns the name of a head, and the commits that its plan compares.
func (p *uiProposals) Find(ctx context.Context, name string) (head, commits string, err error) {
	found, err := p.tree.Proposal(ctx, name)
	if err != nil {
		return "", "", err
	}
	base, err := p.tree.BranchTip(ctx, p.base)
	return found.Name, found.Commit + " " + base, err
}

// Plan returns what the merge of a head would do. Evaluators of its own make it, so a head that is heavy keeps no question
// waiting.
func (p *uiProposals) Plan(ctx context.Context, recorded offline.Recorded, head string) (made plan.Comparison, worked time.Duration, err error) {
	var by uiEvaluators
	c := offline.Case{Tree: p.tree, StatusBranch: p.status, Elsewhere: &recorded, Now: present().UTC().Round(0)}
	made, err = offline.Plan(ctx, by.of(p.options), c, p.base, head)
	return made, by.Worked(), err
}
