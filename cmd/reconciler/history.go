package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/view"
)

func newHistoryCommand() *cobra.Command {
	var from ledgerFlags
	var number int
	var all bool
	cmd := &cobra.Command{
		Use:   "history TENANT/APPLICATION",
		Short: "List what changed of one application",
		Long: `History lists what changed of an application, latest first: its transitions, the runs, steps,
stages and undos of its workflow, what people asked of these, and releases on hold. Each entry names the commit of the status branch that recorded it and the
commit of the source branch that caused it.

In a clone that has the source commits, CAUSE shows their authors and subjects.

For the complete record see "git log status -- tenants/TENANT/APPLICATION".`,
		Example: `  reconciler history acme/shop
  reconciler history acme/shop -n 100 -o json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			app, err := model.ParseAppID(args[0])
			if err != nil {
				return err
			}
			if number < 1 {
				return fmt.Errorf("-n %d: must be positive", number)
			}
			return answer(cmd, &from, func(r *ledgerReader, l *model.Ledger) ([]view.HistoryEntry, error) {
				if _, ok := l.Find(app); !ok {
					return nil, view.Of(app).Missing(l)
				}
				doubt, err := from.doubts(cmd, r)
				if err != nil {
					return nil, err
				}
				return history(cmd.Context(), r, doubt, "", app, number, all)
			}, (*printer).history)
		},
	}
	fl := cmd.Flags()
	from.add(fl)
	from.sign.addTrust(fl, "of the reconcilers: what they did not sign is marked (default: platform.access.ledger of the clone)")
	fl.IntVarP(&number, "number", "n", 20, "maximum number of commits to list")
	fl.BoolVarP(&all, "all", "a", false, "also list commits that changed the record without a transition")
	return withOutput(cmd, usualOutput)
}

// history returns the last commits about an application as of a commit of the status branch, "" for the newest one, latest
// first.
func history(ctx context.Context, r *ledgerReader, doubt func(commit string) string, at string, app model.AppID, number int, all bool) ([]view.HistoryEntry, error) {
	var entries []view.HistoryEntry
	for most := 10 * min(number, 1<<30); ; most *= 10 { // most commits only record the state of a component
		list, err := r.branch.History(ctx, at, app, most)
		if err != nil {
			return nil, err
		}
		if entries = view.History(list, number, all); len(entries) == number || len(list) < most {
			break
		}
	}
	for i := range entries {
		entries[i].Unverified = doubt(entries[i].Commit)
	}
	if r.clone != "" { // the status branch has only the hashes, so that no foreign text gets there
		var commits []string
		for i := range entries {
			for _, t := range entries[i].Transitions {
				commits = append(commits, t.Commit)
			}
		}
		view.AddCauses(entries, clone.Subjects(ctx, r.clone, commits))
	}
	return entries, nil
}

func (p *printer) history(entries []view.HistoryEntry) {
	var rows [][]cell
	for _, e := range entries {
		if len(e.Transitions)+len(e.Steps) == 0 {
			rows = append(rows, []cell{
				plain(moment(e.Time)), plain(age(p.now.Sub(e.Time))), {}, {}, plain(shortCommit(e.SourceCommit)), plain(shortCommit(e.Commit)), {}, {text.Clean(e.Subject), dim},
			})
		}
		for _, list := range [][]announce.Announcement{e.Steps, e.Transitions} {
			for _, a := range slices.Backward(list) {
				instance := cell{}
				if a.Kind == announce.Transition || a.Kind == announce.Admission {
					instance = plain(fmt.Sprintf("#%d", a.Instance))
				}
				rows = append(rows, []cell{
					plain(moment(a.At)), plain(age(p.now.Sub(a.At))), instance, {text.Clean(a.What()), changeStyle(&a)},
					plain(shortCommit(a.Commit)), plain(shortCommit(e.Commit)), plain(e.Causes[a.Commit]), plain(a.Why()),
				})
			}
		}
	}
	p.table("", []string{"WHEN", "AGE", "INSTANCE", "CHANGE", "SOURCE", "STATUS", "CAUSE", "WHY"}, rows)
	for _, e := range entries {
		if e.Unverified != "" {
			p.line("%s status commit %s %s: nobody vouches for what it says", p.paint(yellow, "unverified:"), shortCommit(e.Commit), text.Clean(e.Unverified))
		}
	}
}
