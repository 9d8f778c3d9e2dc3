package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/buildinfo"
	"github.com/d-aros/d-aros/pkg/status"
)

// versionView is what the version command prints, and its JSON.
type versionView struct {
	buildinfo.Info
	Fleet *status.Newest `json:"fleet,omitempty"` // newest commit of the status branch, with --repo
}

func newVersionCommand() *cobra.Command {
	var from ledgerFlags
	format := outputFormat("text")
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program, and of the one that runs the fleet",
		Long: `Version prints which build this program is. With --repo it also prints which program
wrote the newest commit of the status branch. Use the same version in CI, so that plan
decides as the reconciler of the fleet does.`,
		Example: `  reconciler version

  # who runs the fleet of this clone?
  reconciler version --repo .

  # for programs
  reconciler version --repo . -o json | jq -r .fleet.writtenBy`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			view := versionView{Info: buildinfo.Read()}
			if from.repo != "" {
				r, newest, err := from.newest(cmd.Context())
				if err != nil {
					return err
				}
				defer r.close()
				if note := r.note(); note != "" {
					fmt.Fprintln(cmd.ErrOrStderr(), note)
				}
				view.Fleet = &newest
			}
			return format.write(cmd.OutOrStdout(), view, func(p *printer) { p.version(&view) })
		},
	}
	from.add(cmd.Flags())
	repo := cmd.Flags().Lookup("repo")
	from.repo, repo.DefValue = "", ""
	repo.Usage += "; tells who runs the fleet"
	cmd.Flags().VarP(&format, "output", "o", outputUsage)
	return cmd
}

func (p *printer) version(v *versionView) {
	p.line("reconciler  %s", v.Version)
	p.line("commit      %s", cmp.Or(v.Commit, "unknown"))
	p.line("go          %s", v.Go)
	if v.Fleet != nil {
		by := cmp.Or(printable(v.Fleet.WrittenBy), "a program that does not write its version: one older than v0.1.0")
		p.line("fleet       run by %s (status commit %s, %s ago)", by, shortCommit(v.Fleet.Commit), age(p.now.Sub(v.Fleet.Time)))
	}
}
