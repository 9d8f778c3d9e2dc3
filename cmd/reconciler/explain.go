package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/view"
)

func newExplainCommand() *cobra.Command {
	var from ledgerFlags
	cmd := &cobra.Command{
		Use:   "explain TENANT/APPLICATION",
		Short: "Explain the decision about one application",
		Long: `Explain shows everything that the status branch records about one application:

  - its phase and the reason
  - each check: the amount requested, used and allowed, and where the limit is declared
  - its grant, and each policy in force with the layer that set it
  - the applications that block it, and the changes that would admit it
  - newer versions in Git, and why they are not in use
  - the latest run of its workflow: the steps, and the command that ends a wait

It reads only the status branch, like "reconciler status".`,
		Example: `  reconciler explain acme/shop
  reconciler explain acme/shop -o json | jq .decision.constraints`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			app, err := model.ParseAppID(args[0])
			if err != nil {
				return err
			}
			return answer(cmd, &from, func(r *ledgerReader, l *model.Ledger) (*view.Explanation, error) {
				x, err := view.Explain(l, app)
				if err != nil {
					return nil, err
				}
				doubt, err := from.doubts(cmd, r)
				if err != nil {
					return nil, err
				}
				if why := doubt(r.branch.Tip()); why != "" {
					x.Unverified = fmt.Sprintf("commit %s %s", r.branch.Tip(), why)
				}
				return &x, nil
			}, (*printer).explanation)
		},
	}
	from.add(cmd.Flags())
	addOutput(cmd, usualOutput)
	from.sign.addTrust(cmd.Flags(), "of the reconcilers: what they did not sign is marked (default: platform.access.ledger of the clone)")
	return withWhyNot(cmd, &from)
}
