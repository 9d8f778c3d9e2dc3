package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/view"
)

func newExplainCommand() *cobra.Command {
	var from ledgerFlags
	var level, branch string
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

It reads only the status branch, like "reconciler status".

With --why-not it decides again, now and without writing anything, and tells what stands
between the application and its full grant, the least that it can run with, or being let
in at all: the checks that fail, what is short and who holds it, and the changes each of
which would do. For that it reads the fleet repo too.`,
		Example: `  reconciler explain acme/shop
  reconciler explain acme/shop -o json | jq .decision.constraints
  reconciler explain acme/shop --why-not full`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			app, err := model.ParseAppID(args[0])
			if err != nil {
				return err
			}
			if level != "" {
				return whyNot(cmd, &from, app, offline.Level(level), branch)
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
	from.sign.addTrust(cmd.Flags(), "of the reconcilers: what they did not sign is marked (default: platform.access.ledger of the clone)")
	cmd.Flags().StringVar(&level, "why-not", "", "show what keeps the application from a `LEVEL`: full, minimum or admitted")
	cmd.Flags().StringVar(&branch, "branch", "main", "branch that declares the fleet, for --why-not")
	return withOutput(cmd, usualOutput)
}

// whyNot decides again, and answers what keeps an application from a level.
func whyNot(cmd *cobra.Command, from *ledgerFlags, app model.AppID, level offline.Level, branch string) error {
	if !slices.Contains(offline.Levels, level) {
		return fmt.Errorf("--why-not %s: use %s", level, text.Enumerate(offline.Levels, len(offline.Levels)))
	}
	return answer(cmd, from, func(r *ledgerReader, l *model.Ledger) (*offline.Obstacles, error) {
		if _, ok := l.Find(app); !ok {
			return nil, view.Of(app).Missing(l)
		}
		fleet, err := r.fleet(cmd.Context(), branch)
		if err != nil {
			return nil, err
		}
		defer fleet.Close()
		o, err := (&fleetFlags{fleet: "fleet"}).options(cmd.Context(), cmd.ErrOrStderr())
		if err != nil {
			return nil, err
		}
		v, err := offline.WhyNot(cmd.Context(), o, fleet, *l, app, level, present())
		return &v, err
	}, (*printer).whyNot)
}
