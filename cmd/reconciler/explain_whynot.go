package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/view"
)

// withWhyNot adds --why-not to the explain command.
func withWhyNot(cmd *cobra.Command, from *ledgerFlags) *cobra.Command {
	var level string
	var branch string
	cmd.Flags().StringVar(&level, "why-not", "", "show what keeps the application from a `LEVEL`: full, minimum or admitted")
	cmd.Flags().StringVar(&branch, "branch", "main", "branch that declares the fleet, for --why-not")
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
		if !slices.Contains(offline.Levels, offline.Level(level)) {
			return fmt.Errorf("--why-not %s: use %s", level, text.Enumerate(offline.Levels, len(offline.Levels)))
		}
		app, err := model.ParseAppID(args[0])
		if err != nil {
			return err
		}
		return answer(cmd, from, func(r *ledgerReader, l *model.Ledger) (*offline.Obstacles, error) {
			if _, ok := l.Find(app); !ok {
				return nil, view.Of(app).Missing(l)
			}
			fleet, err := r.fleet(cmd.Context(), branch)
			if err != nil {
				return nil, err
			}
			defer fleet.Close()
			o, err := (&fleetFlags{fleet: "fleet"}).options(cmd.Context(), cmd.ErrOrStderr())
			if err != nil {
				return nil, err
			}
			v, err := offline.WhyNot(cmd.Context(), o, fleet, *l, app, offline.Level(level), present())
			return &v, err
		}, (*printer).whyNot)
	}
	return cmd
}

// whyNot prints what keeps an application from a level.
func (p *printer) whyNot(v *offline.Obstacles) {
	app := p.paint(bold, text.Clean(v.App.String()))
	what := map[offline.Level]string{offline.LevelFull: "run in full", offline.LevelMinimum: "run at its minimum", offline.LevelAdmitted: "get in"}[v.Level]
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

// sharesText describes the shares of all capacity that a tenant and its groups have.
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
