package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/d-aros/d-aros/pkg/model"
)

// answerFlags are the flags of a command that answers from the status branch.
type answerFlags struct {
	ledgerFlags
	format outputFormat
}

func (f *answerFlags) add(fl *pflag.FlagSet) {
	f.ledgerFlags.add(fl)
	f.format = "text"
	fl.VarP(&f.format, "output", "o", outputUsage)
}

// answer opens the status branch, asks, and writes the answer; print writes it for people.
func answer[T any](cmd *cobra.Command, from *answerFlags, ask func(*ledgerReader, *model.Ledger) (T, error), print func(*printer, T)) error {
	r, ledger, err := from.open(cmd)
	if err != nil {
		return err
	}
	defer r.close()
	v, err := ask(r, &ledger)
	if err != nil {
		return err
	}
	return from.format.write(cmd.OutOrStdout(), v, func(p *printer) { print(p, v) })
}
