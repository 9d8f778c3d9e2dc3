package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/pkg/view"
)

func newEventsCommand() *cobra.Command {
	var from ledgerFlags
	var begin since
	var number int
	format := outputFormat("text")
	cmd := &cobra.Command{
		Use:   "events [TENANT[/APPLICATION]]",
		Short: "List the transitions of all applications",
		Long: `Events lists the transitions of all or of the selected applications and the outcomes of
their workflows' runs and steps, by time, latest last. Each entry has a reason, the commit of
the source branch that caused it, and the commit of the status branch that recorded it.

It reads only the history of the status branch, which "reconciler compact" shortens.`,
		Example: `  reconciler events --since 2h
  reconciler events acme --since 2026-03-01 -n 1000

  # which applications were preempted today?
  reconciler events --since 24h -o json | jq '.[] | select(.reason == "Preempted")'`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			selected, err := view.ParseSelection(args...)
			if err != nil {
				return err
			}
			if number < 1 {
				return fmt.Errorf("-n %d: must be positive", number)
			}
			r, ledger, err := from.open(cmd)
			if err != nil {
				return err
			}
			defer r.close()
			events, err := r.branch.Events(cmd.Context(), status.EventFilter{Since: begin.Time, Tenant: selected.Tenant, App: selected.App})
			if err != nil {
				return err
			}
			if len(events) == 0 && selected.Tenant != "" && !selected.Known(&ledger) {
				return selected.Missing(&ledger)
			}
			events, left := view.Events(events, number)
			return format.write(cmd.OutOrStdout(), events, func(p *printer) { p.events(events, left) })
		},
	}
	fl := cmd.Flags()
	from.add(fl)
	fl.Var(&begin, "since", "list only entries since `WHEN`: a duration before now (30m, 12h, 7d), a date or an RFC 3339 time")
	fl.IntVarP(&number, "number", "n", 100, "number of entries to list")
	fl.VarP(&format, "output", "o", outputUsage)
	return cmd
}

func (p *printer) events(events []status.Event, left int) {
	if left > 0 {
		p.line("%s", p.paint(dim, fmt.Sprintf("(%d earlier ones are not listed; -n lists more)", left)))
	}
	var rows [][]cell
	for i := range events {
		e := &events[i]
		rows = append(rows, []cell{
			plain(moment(e.At)), plain(age(p.now.Sub(e.At))), plain(fmt.Sprintf("%s#%d", e.App, e.Instance)), {eventChange(e), eventStyle(e)},
			plain(shortCommit(e.Commit)), plain(shortCommit(e.Status)), plain(sentence(e.Reason, e.Message)),
		})
	}
	p.table("", []string{"WHEN", "AGE", "INSTANCE", "CHANGE", "SOURCE", "STATUS", "WHY"}, rows)
}

// eventChange describes the change of an application, a workflow run or a step.
func eventChange(e *status.Event) string {
	if e.Run == 0 {
		return change(e.Transition)
	}
	return stepChange(model.RunChange{Run: e.Run, Step: e.Step, From: string(e.From), To: string(e.To)})
}

func eventStyle(e *status.Event) style {
	if e.Run == 0 {
		return phaseStyle(e.To)
	}
	return stepStyle(string(e.To))
}

// since is the value of --since: a time, also given as an age.
type since struct{ time.Time }

func (s *since) Type() string { return "when" }

func (s *since) String() string {
	if s.IsZero() {
		return ""
	}
	return s.Format(time.RFC3339)
}

func (s *since) Set(value string) (err error) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if s.Time, err = time.Parse(layout, value); err == nil {
			return nil
		}
	}
	day := time.Duration(1)
	if digits, days := strings.CutSuffix(value, "d"); days {
		value, day = digits+"h", 24
	}
	d, err := time.ParseDuration(value)
	if err != nil || d <= 0 || d*day/day != d {
		return fmt.Errorf("write 30m, 12h, 7d, 2026-03-01 or 2026-03-01T12:00:00Z")
	}
	s.Time = present().Add(-d * day)
	return nil
}
