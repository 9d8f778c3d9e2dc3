package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/text"
)

func newReplayCommand() *cobra.Command {
	var from ledgerFlags
	var of fleetFlags
	var branch string
	var number int
	cmd := &cobra.Command{
		Use:   "replay [STATUS-COMMIT] [TENANT/APPLICATION]",
		Short: "Compute recorded decisions again and compare",
		Long: `Replay computes the decisions of a commit of the status branch again. The inputs are on
the branch: the ledger before the commit, the capacity that was observed, the time, and
the source commit, which replay reads from the fleet repo. Equal inputs give equal
decisions: replay reports each decision as equal, or shows both.

Without STATUS-COMMIT it starts with the newest commit. A decision that a commit took over
unchanged was made by an earlier commit and is compared there. With an application, replay
goes back to the commit that made its last decision.

Replay decides as this version of the program does. Another version may decide otherwise,
and replay shows where. The exit code is 0 if all decisions are equal, 1 if one differs or
cannot be computed again, 2 if replay itself failed.`,
		Example: `  # was the last decision about shop correct?
  reconciler replay acme/shop

  # the last hundred commits, after an upgrade, on a test machine
  reconciler replay --repo https://git.example.com/acme/fleet.git -n 100

  reconciler replay 3f2a91c acme/shop -o json`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if number < 1 {
				return fmt.Errorf("-n %d: must be positive", number)
			}
			commit, app, err := replayArgs(args)
			if err != nil {
				return err
			}
			r, latest, err := from.latest(cmd)
			if err != nil {
				return err
			}
			defer r.close()
			fleet, err := r.fleet(cmd.Context(), branch)
			if err != nil {
				return err
			}
			defer fleet.Close()
			o, err := of.options(cmd.Context(), cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			view, err := offline.Replay(cmd.Context(), o, fleet, latest, commit, app, number)
			doubt, unread := from.doubts(cmd, r)
			if unread != nil {
				return unread
			}
			for _, c := range view.Commits {
				c.Doubt = doubt(c.Commit)
			}
			for _, note := range view.Notes {
				fmt.Fprintln(cmd.ErrOrStderr(), text.Clean(note))
			}
			if err != nil {
				return err
			}
			return orDiffers(writeAnswer(cmd, view, func(p *printer) { p.replay(&view) }), view.Differs+view.Unknown > 0)
		},
	}
	fl := cmd.Flags()
	from.add(fl)
	from.sign.addTrust(fl, "of the reconcilers: what they did not sign is marked (default: platform.access.ledger of the clone)")
	of.add(fl)
	fl.StringVar(&branch, "branch", "main", "branch that declares the fleet")
	fl.IntVarP(&number, "number", "n", 1, "number of commits with decisions to replay")
	return withOutput(cmd, usualOutput)
}

// replayArgs reads a commit and an application, in any order.
func replayArgs(args []string) (commit string, app model.AppID, err error) {
	for _, arg := range args {
		if isApp := slices.Contains([]byte(arg), '/'); isApp && app == (model.AppID{}) {
			if app, err = model.ParseAppID(arg); err != nil {
				return "", app, err
			}
			continue
		}
		if commit != "" {
			return "", app, errors.New("give one commit and one application at most")
		}
		commit = arg
	}
	return commit, app, nil
}

// replay prints the fields of decisions that differ, and one line for each equal decision.
func (p *printer) replay(v *offline.Replayed) {
	for _, c := range v.Commits {
		p.line("status %s, of source %s: %s", p.paint(bold, shortCommit(c.Commit)), shortCommit(c.Source), text.Count(len(c.Decisions), "decision"))
		if c.Doubt != "" {
			p.line("  %s it %s", p.paint(yellow, "unverified:"), text.Clean(c.Doubt))
		}
		if c.Problem != "" {
			p.line("  %s %s", p.paint(yellow, "cannot be made again:"), text.Clean(c.Problem))
			continue
		}
		for i := range c.Decisions {
			d := &c.Decisions[i]
			if d.Outcome == offline.ReplayEqual {
				p.line("  %s  %s  %s", p.paint(green, "equal  "), text.Clean(d.App.String()), d.Recorded.Short())
				continue
			}
			p.line("  %s  %s  recorded %s, now %s", p.paint(red, "differs"), text.Clean(d.App.String()), d.Recorded.Short(), d.Recomputed.Short())
			for n, f := range differencesOf(d) {
				if n == mostFields {
					p.line("      …")
					break
				}
				p.line("      %s", text.Clean(f.String()))
			}
		}
	}
	text := text.Count(v.Equal, "decision") + " equal"
	if v.Differs > 0 {
		text += fmt.Sprintf(", %d differ", v.Differs)
	}
	if v.Unknown > 0 {
		text += fmt.Sprintf(", %d cannot be made again", v.Unknown)
	}
	p.line("%s", p.paint(bold, text))
}

// differencesOf returns the fields in which two decisions differ.
func differencesOf(d *offline.ReplayedDecision) []plan.FieldChange {
	was, _ := json.Marshal(d.Was) // records can be encoded
	is, _ := json.Marshal(d.Is)
	return plan.Fields(was, is)
}
