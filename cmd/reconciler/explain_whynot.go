package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/arbitration"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/turn"
	"github.com/d-aros/d-aros/pkg/view"
)

// The levels that --why-not accepts.
const (
	levelFull     = "full"     // everything that the application asks for
	levelMinimum  = "minimum"  // the least that it can run with
	levelAdmitted = "admitted" // quota, limits and policy let it in, with or without room
)

var whyNotLevels = []string{levelFull, levelMinimum, levelAdmitted}

// whyNotView shows what keeps an application from a level, as JSON.
type whyNotView struct {
	App      model.AppID         `json:"application"`
	Level    string              `json:"level"`
	Reached  bool                `json:"reached"`
	Verdict  model.Verdict       `json:"verdict"`
	Reason   model.Reason        `json:"reason"`
	Message  string              `json:"message"`
	Position int                 `json:"position,omitempty"`
	Standing model.Standing      `json:"standing,omitempty"`
	Shares   []model.TenantShare `json:"shares,omitempty"`
	Failing  []model.Constraint  `json:"failing"`
	Ahead    []model.AppID       `json:"ahead"` // who holds most of what is short
	Ways     []string            `json:"ways"`  // changes, each sufficient alone
}

// withWhyNot adds --why-not to the explain command.
func withWhyNot(cmd *cobra.Command, from *ledgerFlags, format *outputFormat) *cobra.Command {
	var level string
	f := replayFlags{fleet: "fleet"}
	cmd.Flags().StringVar(&level, "why-not", "", "show what keeps the application from a `LEVEL`: full, minimum or admitted")
	cmd.Flags().StringVar(&f.branch, "branch", "main", "branch that declares the fleet, for --why-not")
	cmd.Long += `

With --why-not it decides again, now and without writing anything, and tells what stands
between the application and its full grant, the least that it can run with, or being let
in at all: the checks that fail, what is short and who holds it, and the changes each of
which would do. For that it reads the fleet repo too.`
	cmd.Example += `
  reconciler explain acme/shop --why-not full`
	explain := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if level == "" {
			return explain(cmd, args)
		}
		if !slices.Contains(whyNotLevels, level) {
			return fmt.Errorf("--why-not %s: use %s", level, strings.Join(whyNotLevels, ", "))
		}
		app, err := model.ParseAppID(args[0])
		if err != nil {
			return err
		}
		f.ledgerFlags = *from
		view, err := f.whyNot(cmd.Context(), app, level, cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		return format.write(cmd.OutOrStdout(), view, func(p *printer) { p.whyNot(view) })
	}
	return cmd
}

// whyNot decides again on what the branches say now.
func (f *replayFlags) whyNot(ctx context.Context, app model.AppID, level string, notesTo io.Writer) (*whyNotView, error) {
	r, err := f.openReplayer(ctx, notesTo)
	if err != nil {
		return nil, err
	}
	defer r.close()
	for _, note := range r.notes {
		fmt.Fprintln(notesTo, text.Clean(note))
	}
	ledger, err := ledgerAt(r.store, r.tip)
	if err != nil {
		return nil, err
	}
	if _, ok := ledger.Find(app); !ok {
		return nil, view.Of(app).Missing(&ledger)
	}
	c, err := r.caseOf(ctx, ledger.Commit, ledger)
	if err != nil {
		return nil, err
	}
	c.Seen, c.Now = model.Observation{Pools: ledger.Pools, Workloads: asRecorded(&ledger)}, present()
	return whyNot(c, app, level)
}

// whyNot tells what stands between an application and a level.
func whyNot(c turn.Case, app model.AppID, level string) (*whyNotView, error) {
	out := turn.Take(c)
	c.Fleet = out.Fleet
	d, ok := out.Ruling.Find(app)
	if !ok {
		return nil, fmt.Errorf("%s is not to run: Git says so, or it ended for good with the spec that Git has", app)
	}
	v := &whyNotView{App: app, Level: level, Reached: reached(d, level), Failing: []model.Constraint{}, Ahead: []model.AppID{}, Ways: []string{}}
	if !v.Reached && level == levelFull && d.Verdict != model.VerdictRejected {
		// What would be decided if it took all or nothing.
		c.Fleet, c.Ledger = allOrNothing(c.Fleet, c.Ledger, app)
		again := turn.Take(c)
		if full, ok := again.Ruling.Find(app); ok && full.Verdict != model.VerdictGranted {
			full.Grants = d.Grants
			d = full
		}
	}
	v.Verdict, v.Reason, v.Message, v.Position = d.Verdict, d.Reason, d.Message, d.Position
	v.Standing, v.Shares = d.Standing, d.Shares
	if v.Reached {
		return v, nil
	}
	for _, limit := range d.Constraints {
		if !limit.OK {
			v.Failing = append(v.Failing, limit)
		}
	}
	v.Ahead = append(v.Ahead, d.BlockedBy...)
	v.Ways = append(v.Ways, arbitration.Counterfactuals(c.Fleet, c.Seen, c.Ledger, c.Now, app)...)
	return v, nil
}

// reached reports whether a decision gives what a level asks for.
func reached(d *model.Decision, level string) bool {
	switch level {
	case levelFull:
		return d.Verdict == model.VerdictGranted && !d.Degraded && d.Refused == nil
	case levelMinimum:
		return d.Verdict == model.VerdictGranted
	}
	return d.Verdict == model.VerdictGranted || d.Verdict == model.VerdictWaiting
}

// allOrNothing is the same fleet where one application cannot be degraded and asks
// for its place anew.
func allOrNothing(fleet model.Fleet, ledger model.Ledger, app model.AppID) (model.Fleet, model.Ledger) {
	fleet.Applications = slices.Clone(fleet.Applications)
	for i := range fleet.Applications {
		if a := *fleet.Applications[i]; a.ID == app {
			a.Policy.Degradation = false
			fleet.Applications[i] = &a
		}
	}
	ledger.Instances = slices.Clone(ledger.Instances)
	for i := range ledger.Instances {
		if in := &ledger.Instances[i]; in.App == app && in.Phase.Active() {
			*in = model.Instance{App: app, Number: in.Number, Phase: model.PhaseAdmitted, Since: in.Since, Declared: in.Declared}
		}
	}
	ledger.Decisions = slices.DeleteFunc(slices.Clone(ledger.Decisions), func(d model.Decision) bool { return d.App == app })
	return fleet, ledger
}

// whyNot prints what stands in the way, for people.
func (p *printer) whyNot(v *whyNotView) {
	app := p.paint(bold, text.Clean(v.App.String()))
	what := map[string]string{levelFull: "run in full", levelMinimum: "run at its minimum", levelAdmitted: "get in"}[v.Level]
	if v.Reached {
		p.line("nothing: %s does %s (%s)", app, what, text.Clean(sentence(v.Reason, v.Message)))
		return
	}
	p.line("%s does not %s: %s", app, what, text.Clean(sentence(v.Reason, v.Message)))
	if v.Standing != "" {
		p.line("  its minimum counts as %s%s", text.Clean(string(v.Standing)), sharesText(v.Shares))
	}
	p.checks(v.Failing)
	if len(v.Ahead) > 0 {
		p.section("Who holds most of what is short")
		for _, id := range v.Ahead {
			p.line("  %s", text.Clean(id.String()))
		}
	}
	p.section("Any one of these would do")
	for _, way := range v.Ways {
		p.line("  - %s", text.Clean(way))
	}
	if len(v.Ways) == 0 {
		p.line("  no single change of requests, quota, limits, weight, priority or capacity that was tried")
	}
}

// sharesText tells the shares of all capacity that a tenant and its groups have.
func sharesText(shares []model.TenantShare) string {
	var parts []string
	for _, s := range shares {
		parts = append(parts, fmt.Sprintf("%s uses %s of all capacity and has a fair share of %s", text.Clean(s.Of), permille(s.Used), permille(s.FairShare)))
	}
	if parts == nil {
		return ""
	}
	return "; " + strings.Join(parts, "; ")
}

func permille(n int) string { return fmt.Sprintf("%d.%d %%", n/10, n%10) }
