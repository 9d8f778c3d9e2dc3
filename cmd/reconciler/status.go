package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/view"
)

func newStatusCommand() *cobra.Command {
	var from ledgerFlags
	var all, follow bool
	var wait waitFlags
	cmd := &cobra.Command{
		Use:   "status [TENANT[/APPLICATION]]",
		Short: "Show which applications run, and why the others do not",
		Long: `Status shows every application with its phase, its grant and the reason; then the
applications that wait, those that are refused, and the errors in Git with file and line.

It reads only the status branch and needs no access to the cluster. In a clone it reads
the branch from the origin of the clone.

With --wait it ends when all selected applications are in one of the given phases
(exit code 0) or at the timeout (exit code 1). Add --commit to wait for the verdict on a
commit that was just pushed: a refusal then ends the wait at once.

With --watch it shows the status again whenever the branch changes, until it is
interrupted or until --timeout.

GRANT is the number of replicas granted, of the number that the application asks for.`,
		Example: `  # in a clone of the fleet repo, or anywhere
  reconciler status
  reconciler status --repo https://git.example.com/acme/fleet.git --token-file token

  # one tenant, one application, for programs
  reconciler status acme
  reconciler status acme/shop -o json

  # live
  reconciler status -w

  # after a push, in CI: did it arrive?
  reconciler status acme/shop --wait Running --commit "$(git rev-parse HEAD)" --timeout 5m`,
		Args: cobra.MaximumNArgs(1),
		RunE: withSelection(func(cmd *cobra.Command, selected view.Selection) error {
			if err := wait.check(); err != nil {
				return err
			}
			r, ledger, err := from.open(cmd)
			if err != nil {
				return err
			}
			defer r.close()
			doubt, err := from.doubts(cmd, r)
			if err != nil {
				return err
			}
			show := func(l *model.Ledger) error {
				answer := view.StatusOf(l, selected)
				if why := doubt(r.branch.Tip()); why != "" {
					answer.Unverified = fmt.Sprintf("commit %s %s", r.branch.Tip(), why)
				}
				return writeAnswer(cmd, answer, func(p *printer) { p.status(&answer, selected, all || selected.App != "") })
			}
			if follow {
				if wait.wanted() {
					return errors.New("--watch and --wait exclude each other")
				}
				if selected.Tenant != "" && !selected.Known(&ledger) {
					return selected.Missing(&ledger)
				}
				timeout := wait.timeout
				if !cmd.Flags().Changed("timeout") {
					timeout = 0
				}
				return watch(cmd.Context(), r, ledger, timeout, cmd.OutOrStdout(), show)
			}
			var waited error
			if wait.wanted() {
				ledger, waited = wait.run(cmd.Context(), r, ledger, selected, cmd.ErrOrStderr())
				if ended := (*exitCode)(nil); waited != nil && !errors.As(waited, &ended) {
					return waited
				}
			}
			answer := view.StatusOf(&ledger, selected)
			if len(answer.Applications) == 0 && len(answer.Problems) == 0 && selected.Tenant != "" {
				return selected.Missing(&ledger)
			}
			if err := show(&ledger); err != nil {
				return err
			}
			return waited
		}),
	}
	fl := cmd.Flags()
	from.add(fl)
	from.sign.addTrust(fl, "of the reconcilers: what they did not sign is marked (default: platform.access.ledger of the clone)")
	fl.BoolVarP(&all, "all", "a", false, "show terminated applications too")
	fl.BoolVarP(&follow, "watch", "w", false, "show the status again whenever it changes")
	wait.add(fl)
	return withOutput(cmd, usualOutput)
}

// status prints the answer for people.
func (p *printer) status(v *view.Status, selected view.Selection, all bool) {
	p.heading(v, selected, all)
	if v.Unverified != "" {
		p.line("%s %s: nobody vouches for what follows", p.paint(yellow, "unverified:"), text.Clean(v.Unverified))
	}
	for _, q := range v.OverQuota {
		p.line("%s", p.paint(yellow, text.Clean(q.String())))
	}
	p.applications(v, all)
	p.waiting(v)
	p.refused(v)
	p.peopleWaits(v)
	if len(v.Problems) > 0 {
		p.section("Not usable as it stands in Git")
		p.problems("  ", v.Problems)
	}
	if n := len(v.Orphans); n > 0 {
		p.section("Objects that no record knows")
		p.line("  of %s; they stay until a file confirms their removal: \"reconciler orphans\" lists them", text.Count(n, "application"))
	}
}

// heading prints what was selected, and how many of its applications are in each phase.
func (p *printer) heading(v *view.Status, selected view.Selection, all bool) {
	title := selected.String()
	switch {
	case v.Fleet == "": // no platform was ever valid
	case selected.Tenant == "":
		title += " " + v.Fleet
	default:
		title += " of fleet " + v.Fleet
	}
	title = text.Clean(strings.ToUpper(title[:1]) + title[1:])
	var parts []string
	if selected.App == "" || len(v.Applications) == 0 {
		parts = append(parts, text.Count(len(v.Applications), "application"))
	}
	for _, phase := range model.Phases {
		n := v.Phases[phase]
		if n == 0 {
			continue
		}
		count := string(phase)
		if selected.App == "" {
			count = fmt.Sprintf("%d %s", n, phase)
		}
		parts = append(parts, p.paint(phaseStyles[phase], count))
	}
	p.line("%s at %s: %s", p.paint(bold, title), shortCommit(v.Commit), strings.Join(parts, " · "))
	if n := v.Phases[model.PhaseTerminated]; n > 0 && !all {
		p.line("%s", p.paint(dim, "(terminated ones are not listed; --all lists them)"))
	}
}

func (p *printer) applications(v *view.Status, all bool) {
	var rows [][]cell
	for i := range v.Applications {
		a := &v.Applications[i]
		if a.Phase == model.PhaseTerminated && !all {
			continue
		}
		why := plain(whyOf(a))
		if a.Refused != nil || a.Damaged != nil {
			why.style = red
		}
		rows = append(rows, []cell{
			plain(a.App.String()), plain(fmt.Sprintf("#%d", a.Instance)), {string(a.Phase), phaseStyles[a.Phase]},
			plain(age(p.now.Sub(a.Since))), plain(readyOf(a)), plain(grantsOf(a)), why,
		})
	}
	if len(rows) > 0 {
		p.line("")
		p.table("", []string{"APPLICATION", "INSTANCE", "PHASE", "SINCE", "READY", "GRANT", "WHY"}, rows)
	}
}

func (p *printer) waiting(v *view.Status) {
	line := waitingLine(v)
	if len(line) == 0 {
		return
	}
	p.section("Waiting for capacity")
	for _, a := range line {
		p.line("  %d. %s: %s", a.Waiting.Position, text.Clean(a.App.String()), text.Clean(a.Message))
		if len(a.Waiting.BlockedBy) > 0 {
			p.line("     behind %s", text.Enumerate(a.Waiting.BlockedBy, 6))
		}
		p.each("     would admit it: %s", a.Waiting.WouldAdmit[:min(3, len(a.Waiting.WouldAdmit))])
	}
}

// problems prints the parts of the fleet repo that cannot be used.
func (p *printer) problems(indent string, problems []model.Problem) {
	for i := range problems {
		p.problem(indent, &problems[i])
	}
}

// problem prints a problem with both of its places.
func (p *printer) problem(indent string, x *model.Problem) {
	path := text.Clean(x.Path)
	if path != "" {
		path += ": "
	}
	p.line("%s%s %s%s", indent, p.paint(red, text.Clean(x.Code)), path, text.Clean(x.Message))
	width := 0
	for _, place := range x.Places {
		width = max(width, displayWidth(text.Clean(place.At)))
	}
	for _, place := range x.Places {
		at := text.Clean(place.At)
		p.line("%s", strings.TrimRight(indent+"  "+p.paint(cyan, at)+strings.Repeat(" ", width-displayWidth(at)+3)+text.Clean(place.Note), " "))
	}
}

// phaseStyles are the looks of phases; the others are as usual.
var phaseStyles = map[model.Phase]style{
	model.PhaseRunning: green, model.PhaseDegraded: yellow, model.PhaseScheduled: yellow, model.PhaseAdmitted: yellow, model.PhaseRejected: red, model.PhaseTerminated: dim,
}

// ago formats a time with its age.
func (p *printer) ago(t time.Time) string {
	return fmt.Sprintf("%s (%s ago)", moment(t), age(p.now.Sub(t)))
}
