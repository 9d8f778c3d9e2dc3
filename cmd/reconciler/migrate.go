package main

import (
	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/status"
)

func newMigrateCommand() *cobra.Command {
	var from ledgerFlags
	var to int
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Write the status branch in another format",
		Long: `Migrate writes the state on the status branch in another major format, in one commit that
changes no meaning. The first save of a reconciler does the same for a branch in the
format before its own, so this command is for a rollback: --to 1 writes the format that
the older program reads, and lists what that format cannot hold.

Stop every reconciler of the fleet first: a reconciler of this version would migrate the
branch again at its next save. The branch is moved by compare-and-swap; when the push is
refused, nothing has changed.`,
		Example: `  # roll back an upgrade
  kubectl -n d-aros scale deployment reconciler --replicas=0
  reconciler migrate --to 1 --repo https://git.example.com/acme/fleet.git --token-file token`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := from.openToWrite(cmd)
			if err != nil {
				return err
			}
			defer r.close()
			done, err := r.branch.Migrate(cmd.Context(), to)
			if err != nil {
				return err
			}
			return writeAnswer(cmd, done, func(p *printer) { p.migration(&done) })
		},
	}
	fl := cmd.Flags()
	from.add(fl)
	from.sign.add(fl)
	from.sign.addTrust(fl, "whose commits of the status branch are believed, too")
	fl.IntVar(&to, "to", status.Current.Major, "major format to write")
	cmd.AddCommand(newMigrateAllotmentsCommand())
	return withOutput(cmd, usualOutput)
}

func (p *printer) migration(m *status.Migration) {
	if m.From == m.To {
		p.line("The status branch has format %s already.", m.To)
		return
	}
	p.line("The status branch went from format %s to %s with commit %s.", m.From, m.To, shortCommit(m.Commit))
	for _, field := range m.Lacks {
		p.line("  lacks  %s", field)
	}
}
