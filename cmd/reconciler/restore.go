package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/status"
)

func newRestoreCommand() *cobra.Command {
	var from ledgerFlags
	var stateDir string
	var write bool
	var cluster remainsFlags
	cmd := &cobra.Command{
		Use:   "restore",
		Short: "Write a lost status branch again",
		Long: `Restore writes the copy of the ledger that a reconciler keeps in its state directory back to
the status branch, in one commit: as the next save of the same ledger. No record changes, so
nothing starts, stops or runs again. The reconciler recognizes the branch at its next pass;
it need not be stopped.

The branch must be missing, hold no ledger, or hold an older save of the same ledger. The
commits before are not restored. Without --write the command only shows what it would do.

With --from-cluster it makes the ledger again, under a new id, from the objects in the
cluster and the commits that they name, where no copy is left: what runs is the accepted
release of its application and has succeeded, and half a canary is paused. It lists what
cannot come back. Stop the reconciler before. The cluster is that of --kubeconfig, else of
$KUBECONFIG, else the one that the program runs in; your own kubeconfig counts only if
--context names a context of it.

The exit code is 0, or 1 without --write if there is something to restore.`,
		Example: `  # in the pod of the reconciler, whose state directory is not elsewhere
  kubectl -n daros-system exec deployment/reconciler -- reconciler restore --state-dir /var/lib/d-aros --repo https://git.example.com/acme/fleet.git --token-file /etc/d-aros/git/token --write
  reconciler restore --repo /srv/git/fleet.git --write

  # no copy is left
  reconciler restore --repo /srv/git/fleet.git --from-cluster
  reconciler restore --repo /srv/git/fleet.git --from-cluster --write`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := from.connect(cmd, func(*status.Branch) (exists bool, err error) { return true, nil })
			if err != nil {
				return err
			}
			defer r.close()
			var done restorationView
			if cluster.from {
				done, err = cluster.restore(cmd, r, write)
			} else {
				done.Restoration, err = r.branch.Restore(cmd.Context(), filepath.Join(stateDir, "status"), write)
			}
			if err != nil {
				return err
			}
			return orDiffers(writeAnswer(cmd, done, func(p *printer) { p.restoration(&done, from.branch) }), done.Needed && !write)
		},
	}
	fl := cmd.Flags()
	from.add(fl)
	from.sign.add(fl)
	from.sign.addTrust(fl, "whose commits of the status branch are believed, too")
	fl.StringVar(&stateDir, "state-dir", defaultStateDir(), "state directory of the reconciler, which keeps the copy")
	fl.BoolVar(&write, "write", false, "write the branch")
	cluster.add(fl)
	return withOutput(cmd, usualOutput)
}

func (p *printer) restoration(r *restorationView, branch string) {
	p.line("Branch %s: %s.", branch, r.Found)
	end := "."
	if !r.Needed {
		end = ": there is nothing to restore."
	}
	if r.Cluster != nil {
		p.line("From the cluster: ledger %s, of source commit %s, with %d applications.", r.Ledger.ID[:8], shortCommit(r.SourceCommit), r.Applications)
		p.remains(r.Cluster)
	} else {
		p.line("The copy holds save %d of ledger %s, of source commit %s, with %d applications%s", r.Ledger.Sequence, r.Ledger.ID[:8], shortCommit(r.SourceCommit), r.Applications, end)
	}
	switch {
	case !r.Needed:
	case r.Commit == "":
		p.line("--write would restore it. The commits before are not restored.")
	default:
		p.line("Commit %s restored it. The commits before were not restored.", shortCommit(r.Commit))
	}
}
