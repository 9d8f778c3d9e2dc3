package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/view"
)

func newOrphansCommand() *cobra.Command {
	var from ledgerFlags
	cmd := &cobra.Command{
		Use:   "orphans [TENANT[/APPLICATION]]",
		Short: "List applications with objects that no record knows",
		Long: `Orphans lists applications that have objects of this fleet in the cluster and no record on
the status branch: they were dropped from Git while the ledger was lost, or are of another
ledger. Each has the number of objects that its inventory lists, the source commit that they
name, and the ledger that it was written for. They stay until "reconciler confirm-removal"
confirms their removal.`,
		Example: `  reconciler orphans
  reconciler orphans acme -o json`,
		Args: cobra.MaximumNArgs(1),
		RunE: withSelection(func(cmd *cobra.Command, selected view.Selection) error {
			return answer(cmd, &from, func(_ *ledgerReader, l *model.Ledger) ([]model.Inventory, error) {
				return view.OrphansOf(l, selected), nil
			}, (*printer).orphans)
		}),
	}
	from.add(cmd.Flags())
	return withOutput(cmd, usualOutput)
}

func (p *printer) orphans(list []model.Inventory) {
	if len(list) == 0 {
		p.line("no record is missing: every application in the cluster has one")
		return
	}
	p.table("", []string{"INSTANCE", "OBJECTS", "COMMIT", "LEDGER", "REMOVAL"}, rowsOf(list, func(o model.Inventory) []cell {
		ledger, removal := cmp.Or(o.Ledger, "none named"), "not confirmed"
		if o.Confirmed {
			removal = "confirmed"
		}
		return []cell{plain(o.ID().String()), plain(fmt.Sprint(o.Objects)), plain(shortCommit(text.Clean(o.Commit))), plain(ledger[:min(10, len(ledger))]), plain(removal)}
	}))
}
