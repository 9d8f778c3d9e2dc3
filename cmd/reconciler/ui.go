package main

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/buildinfo"
	"github.com/d-aros/d-aros/pkg/dashboard"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/web"
)

// uiGarbage is how much garbage the server holds, in percent of what it needs: it lives long, does little, and keeps moments of the past.
const uiGarbage = 10

func newUICommand() *cobra.Command {
	var from ledgerFlags
	var of fleetFlags
	var serving uiServing
	var base, export, writer string
	var which dashboard.Selection
	var interval time.Duration
	var saving uiSaving
	var live liveFlags
	cmd := &cobra.Command{
		Use:   "ui",
		Short: "Show the fleet in a browser on this machine",
		Long: `UI serves a dashboard of the fleet to browsers on this machine, and prints its URL: what runs,
what does not and why, who is ahead, what would admit it, and the history of all that. Its
answers are those of status, explain, history, what-if and plan, byte for byte.

It reads only the status branch, in intervals. In a clone of the fleet repo it answers what-if,
too, from the files as they lie on disk, shows what the merge of each branch there would do,
and has an editor: what is saved there is a commit on a new branch ui/NAME of the clone, and with
--push of its origin, too, or a change of its files if you say so. Nothing else is ever written.

With --live it also shows what a cluster has of applications: objects with their owners, events,
logs, and what differs from what is wanted. It changes nothing there.

The URL holds a token that lets a browser in. Only addresses of this machine are served, unless
several people share the dashboard: with --auth oidc they sign in at an issuer of OpenID
Connect, with --auth proxy a reverse proxy signs them in. Each reads the tenants that access in
the fleet gives them. With --propose they save changes, too: each is pushed to the origin of the
clone as a new branch ui/LOGIN/NAME, with them as its author.

With --export it writes the same pages and what they show of one moment as files, which any
server of files shows below any path, and ends.`,
		Example: `  # in a clone of the fleet repo
  reconciler ui

  # anywhere, without what-if
  reconciler ui --repo https://git.example.com/acme/fleet.git --token-file token

  # for several people, behind a proxy that signs them in
  reconciler ui --auth proxy --listen unix:/run/daros/ui.sock --host fleet.example.com

  # for several people, who sign in at an issuer
  reconciler ui --auth oidc --auth-issuer https://id.example.com --auth-client-id fleet \
    --auth-client-secret-file secret --host fleet.example.com --listen :443 --tls-cert tls.crt --tls-key tls.key

  # with objects, events and logs of the cluster
  reconciler ui --live --context production

  # for an incident report, or the pages of a Git host
  reconciler ui --export public`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if interval < time.Second {
				return fmt.Errorf("--interval %s: at least 1s", interval)
			}
			var o dashboard.Options
			if err := serving.complete(&o); err != nil {
				return err
			}
			if err := saving.complete(&o); err != nil {
				return err
			}
			if export == "" && which != (dashboard.Selection{}) {
				return errors.New("--at and --tenant select what --export writes; in the browser, pages have a timeline and filters")
			}
			if writer != "" {
				c, err := dashboard.NewReconciler(writer)
				if err != nil {
					return fmt.Errorf("--reconciler: %w", err)
				}
				o.Reconciler = c
			}
			cluster, err := live.open(cmd.Context(), of, export != "", serving.auth != "token")
			if err != nil {
				return err
			}
			r, err := from.connect(cmd, func(b *status.Branch) (exists bool, err error) {
				_, err = b.Load(cmd.Context())
				return true, err // the branch may come later
			})
			if err != nil {
				return err
			}
			defer r.close()
			doubt, err := from.doubts(cmd, r)
			if err != nil {
				return err
			}
			o.Branch, o.Pages, o.Cluster = &uiBranch{reader: r, name: from.branch, doubt: doubt}, web.Files(), cluster
			o.Token, o.Version = rand.Text(), buildinfo.Read().String()
			o.Repo, o.Name, o.Links = shownRepo(r.url), from.branch, model.LinksOf(cmp.Or(r.fleetURL, r.url), from.branch)
			o.Proposal = func(branch string) string { return model.ProposalURL(cmp.Or(r.fleetURL, r.url), base, branch) }
			o.Interval, o.Hints, o.Now = interval, r.hints(cmd.Context(), from.branch), present
			if export != "" {
				m, err := dashboard.Export(cmd.Context(), o, which, export)
				if err != nil {
					return fmt.Errorf("--export: %w", err)
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s shows the fleet as of status commit %s\n", export, m.Commit)
				return nil
			}
			if tree, err := clone.Open(cmd.Context(), from.repo); err == nil {
				defer tree.Close()
				workers, end, err := openWorkers(cmd)
				if err != nil {
					return err
				}
				defer end()
				o.Workers, o.Proposals = workers, &uiProposals{tree: tree, base: base, status: from.branch}
				if err := saving.open(cmd.Context(), &from, tree); err != nil {
					return err
				}
				if tree.Git {
					o.Saver, o.Head = &saving, tree.Head
				}
			} else if saving.push || saving.propose {
				return errors.New("--push and --propose need a clone of the fleet repo: start in one, or name it with --repo DIR")
			}
			debug.SetGCPercent(uiGarbage)
			server, err := dashboard.New(o)
			if err != nil {
				return err
			}
			listener, said, err := serving.open(o.Token)
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), said)
			return server.Serve(cmd.Context(), listener)
		},
	}
	fl := cmd.Flags()
	from.add(fl)
	from.sign.addTrust(fl, "of the reconcilers: what they did not sign is marked (default: platform.access.ledger of the clone)")
	of.add(fl)
	live.add(fl)
	addUIBase(fl, &base)
	saving.add(fl)
	serving.add(fl)
	fl.StringVar(&writer, "reconciler", "", "`URL` of the reconciler, as --listen of run has it: pages say when its last pass ended, even while the branch is silent")
	fl.StringVar(&export, "export", "", "write the pages of one moment into this `DIR`, for any server of files, and end")
	fl.StringVar(&which.At, "at", "", "with --export: the `COMMIT` of the status branch (default: the newest)")
	fl.StringVar(&which.Tenant, "tenant", "", "with --export: only the applications of this `TENANT`")
	fl.DurationVar(&interval, "interval", 5*time.Second, "time from one look at the branch to the next")
	return cmd
}
