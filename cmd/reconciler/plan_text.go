package main

import (
	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/page"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/view"
)

// writePlan writes a plan as -o has it.
func writePlan(cmd *cobra.Command, v *view.Plan) error {
	if formatOf(cmd) == "markdown" {
		_, err := cmd.OutOrStdout().Write(page.Comment(&v.Comparison))
		return err
	}
	bounded := v.Bounded()
	return writeAnswer(cmd, &bounded, func(p *printer) { p.plan(v) })
}

// Limits of the text. JSON has more: see view.Plan.Bounded.
const (
	mostObjects = 100
	mostRuns    = 50
	mostFields  = 12
)

// plan prints a plan for people.
func (p *printer) plan(v *view.Plan) {
	p.line("%s, compared with %s", p.paint(bold, v.After.String()), v.Before)
	p.each(p.paint(yellow, "note:")+" %s", v.Notes)
	for _, q := range v.OverQuota {
		p.line("%s %s", p.paint(yellow, "warning:"), text.Clean(q.String()))
	}
	if len(v.Problems) > 0 {
		p.section("Problems")
		p.problems("  ", v.Problems)
	}
	if n := len(v.Solved); n > 0 {
		p.line("\n%s solved", text.Count(n, "problem"))
	}
	p.planRounds(v.Rounds)
	if len(v.Applications) > 0 {
		p.section("Applications")
		p.planTable(&v.Changes)
	}
	if v.Price.Before != v.Price.After {
		p.section("Price per hour")
		rows := rowsOf(v.Tenants, func(t plan.Tenant) []cell { return []cell{plain(t.Name), plain(t.Price.String())} })
		if len(rows) > 1 {
			rows = append(rows, []cell{{"all", bold}, plain(v.Price.String())})
		}
		p.table("  ", []string{"TENANT", "PER HOUR"}, rows)
	}
	p.planRuns(v.Runs)
	p.planObjects(v.Objects)
	p.line("\n%s", p.paint(bold, v.Summary()))
}

// planRounds prints what each round changes, and begins what differs in the end.
func (p *printer) planRounds(rounds []plan.Round) {
	if rounds == nil {
		return
	}
	for i := range rounds {
		p.section(rounds[i].String())
		if c := rounds[i].Changes(); c.Empty() {
			p.line("  nothing changes")
		} else {
			p.planTable(c)
			p.planRuns(c.Runs)
		}
	}
	p.section("The end state")
}

func (p *printer) planTable(c *plan.Changes) {
	list, more := c.Shown()
	p.table("  ", []string{"EFFECT", "APPLICATION", "GRANTS", "PER HOUR", "WHY"}, rowsOf(list, func(a plan.Row) []cell {
		return []cell{{string(a.Effect), effectStyle(a.Effect)}, plain(a.Name()), plain(a.GrantsText()), plain(a.Price.String()), plain(a.Why())}
	}))
	if more > 0 {
		p.line("  and %d more; -o json has all", more)
	}
}

func (p *printer) planRuns(list []plan.RunChange) {
	if len(list) == 0 {
		return
	}
	p.section("Workflows")
	for i := range list {
		if i == mostRuns {
			p.line("  and %d more; -o json has all", len(list)-i)
			return
		}
		r := &list[i]
		p.line("  %s", text.Clean(r.String()))
		p.table("    ", []string{"STEP", "TYPE", "PHASE", "WAITS FOR"}, rowsOf(r.Steps, func(s plan.RunStep) []cell {
			return []cell{plain(s.Name), plain(s.Type), {string(s.Phase), stepStyle(s.Phase)}, plain(s.WaitsFor())}
		}))
	}
}

func (p *printer) planObjects(list []plan.ObjectChange) {
	if len(list) == 0 {
		return
	}
	p.section("Objects")
	for i := range list {
		if i == mostObjects {
			p.line("  and %d more; -o json has all", len(list)-i)
			return
		}
		o := &list[i]
		mark := actionMarks[o.Action]
		p.line("  %s", p.paint(mark.style, mark.text+" "+text.Clean(o.String())))
		for n, f := range o.Fields {
			if n == mostFields {
				p.line("      and %s more", text.Count(len(o.Fields)-n, "field"))
				break
			}
			p.line("      %s", text.Clean(f.String()))
		}
	}
}

// actionMarks are how the objects of a plan begin.
var actionMarks = map[plan.Action]cell{plan.Add: {"+", green}, plan.Change: {"~", yellow}, plan.Remove: {"-", red}, plan.Keep: {"=", normal}}

func effectStyle(e plan.Effect) style {
	switch {
	case e.Bad():
		return red
	case e == plan.Degraded, e == plan.Waiting:
		return yellow
	case e == plan.Admitted, e == plan.Restored:
		return green
	}
	return normal
}
