package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/view"
)

func newEventsCommand() *cobra.Command {
	var from ledgerFlags
	var begin since
	var number int
	cmd := &cobra.Command{
		Use:   "events [TENANT[/APPLICATION]]",
		Short: "List what changed in the fleet",
		Long: `Events lists what changed, of all or of the selected applications, by time, latest last:
transitions, runs, steps, stages and undos of workflows, what people asked and whether that
was refused, and releases that are on hold. Each entry has a reason, who did it if that is
known, the commit of the source branch that caused it, and the commit of the status branch
that recorded it. Without a selection it also lists the commits that the fleet followed.

It reads only the history of the status branch, which "reconciler compact" shortens.`,
		Example: `  reconciler events --since 2h
  reconciler events acme --since 2026-03-01 -n 1000

  # which applications were preempted today?
  reconciler events --since 24h -o json | jq '.[] | select(.reason == "Preempted")'`,
		Args: cobra.MaximumNArgs(1),
		RunE: withSelection(func(cmd *cobra.Command, selected view.Selection) error {
			if number < 1 {
				return fmt.Errorf("-n %d: must be positive", number)
			}
			earlier := 0
			return answer(cmd, &from, func(r *ledgerReader, l *model.Ledger) ([]status.Event, error) {
				events, err := r.branch.Events(cmd.Context(), status.EventFilter{
					Since: begin.Time, Tenant: selected.Tenant, App: selected.App, Last: number + 1, // one more, to know whether there are more
				})
				if err != nil {
					return nil, err
				}
				if len(events) == 0 && selected.Tenant != "" && !selected.Known(l) {
					return nil, selected.Missing(l)
				}
				events, earlier = view.Events(events, number)
				return events, nil
			}, func(p *printer, events []status.Event) { p.events(events, earlier > 0) })
		}),
	}
	fl := cmd.Flags()
	from.add(fl)
	fl.Var(&begin, "since", "list only entries since `WHEN`: a duration before now (30m, 12h, 7d), a date or an RFC 3339 time")
	fl.IntVarP(&number, "number", "n", 100, "number of entries to list")
	return withOutput(cmd, usualOutput)
}

func (p *printer) events(events []status.Event, earlier bool) {
	if earlier {
		p.line("%s", p.paint(dim, "(earlier ones are not listed; -n lists more)"))
	}
	p.table("", []string{"WHEN", "AGE", "INSTANCE", "CHANGE", "SOURCE", "STATUS", "WHY"}, rowsOf(events, func(e status.Event) []cell {
		return []cell{
			plain(moment(e.At)), plain(age(p.now.Sub(e.At))), plain(aboutWhat(&e)), {text.Clean(e.What()), changeStyle(&e.Announcement)},
			plain(shortCommit(e.Commit)), plain(shortCommit(e.Status)), plain(e.Why()),
		}
	}))
}

// aboutWhat names what an event is about.
func aboutWhat(e *status.Event) string {
	switch {
	case e.App == model.AppID{}:
		return "fleet"
	case e.Instance == 0:
		return e.App.String()
	}
	return fmt.Sprintf("%s#%d", e.App, e.Instance)
}

// changeStyle returns the colour of an announcement.
func changeStyle(a *announce.Announcement) style {
	switch a.Kind {
	case announce.Transition, announce.Admission:
		return phaseStyles[model.Phase(a.To)]
	case announce.Run, announce.Step, announce.Undo:
		return stepStyle(a.To)
	case announce.Hold, announce.Refusal, announce.Outcome, announce.Drift:
		return yellow
	}
	return dim
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
