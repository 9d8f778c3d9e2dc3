package main

import (
	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/model"
)

// answer opens the status branch, asks, and writes the answer; print writes it for people.
func answer[T any](cmd *cobra.Command, from *ledgerFlags, ask func(*ledgerReader, *model.Ledger) (T, error), print func(*printer, T)) error {
	r, ledger, err := from.open(cmd)
	if err != nil {
		return err
	}
	defer r.close()
	v, err := ask(r, &ledger)
	if err != nil {
		return err
	}
	return writeAnswer(cmd, v, func(p *printer) { print(p, v) })
}
