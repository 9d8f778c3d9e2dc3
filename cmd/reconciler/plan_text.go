package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/page"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/view"
)

// planFormat is the value of -o of plan and what-if.
type planFormat string

const planUsage = "`FORMAT`: text, markdown, json or yaml"

func (f *planFormat) String() string { return string(*f) }
func (f *planFormat) Type() string   { return "format" }

func (f *planFormat) Set(s string) error {
	var other outputFormat
	if s != "markdown" && other.Set(s) != nil {
		return fmt.Errorf("use text, markdown, json or yaml")
	}
	*f = planFormat(s)
	return nil
}

func (f planFormat) write(out io.Writer, v *view.Plan) error {
	if f == "markdown" {
		_, err := out.Write(page.Comment(commentOf(v)))
		return err
	}
	return outputFormat(f).write(out, v, func(p *printer) { p.plan(v) })
}

// Limits of the text. JSON has everything.
const (
	mostApplications = 200
	mostAside        = 10 // that only have another explanation or place in line
	mostObjects      = 100
	mostRuns         = 50
	mostFields       = 12
)

// plan prints a plan for people.
func (p *printer) plan(v *view.Plan) {
	p.line("%s, compared with %s", p.paint(bold, sideText(v.After)), sideText(v.Before))
	for _, note := range v.Notes {
		p.line("%s %s", p.paint(yellow, "note:"), text.Clean(note))
	}
	if len(v.Problems) > 0 {
		p.section("Problems")
		for i := range v.Problems {
			p.problem("  ", &v.Problems[i])
		}
	}
	if n := len(v.Solved); n > 0 {
		p.line("\n%s solved", count(n, "problem"))
	}
	if len(v.Applications) > 0 {
		p.section("Applications")
		var rows [][]cell
		list, more := shownOf(v)
		for _, a := range list {
			rows = append(rows, []cell{{string(a.Effect), effectStyle(a.Effect)}, plain(a.App.String()), plain(grantsText(a)), plain(priceText(a.Price)), plain(whyText(a))})
		}
		p.table("  ", []string{"EFFECT", "APPLICATION", "GRANTS", "PER HOUR", "WHY"}, rows)
		if more > 0 {
			p.line("  and %d more; -o json has all", more)
		}
	}
	if v.Price.Before != v.Price.After {
		p.section("Price per hour")
		rows := [][]cell{}
		for _, t := range v.Tenants {
			rows = append(rows, []cell{plain(t.Name), plain(priceText(t.Price))})
		}
		if len(rows) > 1 {
			rows = append(rows, []cell{{"all", bold}, plain(priceText(v.Price))})
		}
		p.table("  ", []string{"TENANT", "PER HOUR"}, rows)
	}
	p.planRuns(v.Runs)
	p.planObjects(v.Objects)
	p.line("\n%s", p.paint(bold, summaryOf(v)))
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
		p.line("  %s", text.Clean(runText(r)))
		var rows [][]cell
		for _, s := range r.Steps {
			rows = append(rows, []cell{plain(s.Name), plain(s.Type), {string(s.Phase), stepStyle(string(s.Phase))}, plain(stepText(s))})
		}
		p.table("    ", []string{"STEP", "TYPE", "PHASE", "WAITS FOR"}, rows)
	}
}

// runText describes the effect of the change on a run: "acme/shop begins run 2".
func runText(r *plan.RunChange) string {
	text := fmt.Sprintf("%s %s run %d", r.App, r.Effect, r.Number)
	switch {
	case r.Effect == plan.RunBegins && r.Supersedes > 0:
		text += fmt.Sprintf(" and supersedes run %d, which has not ended", r.Supersedes)
	case r.Effect != plan.RunBegins:
		text += ": " + string(r.Phase)
	}
	return text
}

// stepText describes what a step waits for, now or once it has begun.
func stepText(s plan.RunStep) string {
	switch {
	case s.Waits != "":
		return s.Waits
	case s.People:
		return "people, once it has begun"
	}
	return ""
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
		p.line("  %s", p.paint(actionStyle(o.Action), actionSign(o.Action)+" "+text.Clean(objectName(o))))
		for n, f := range o.Fields {
			if n == mostFields {
				p.line("      and %s more", count(len(o.Fields)-n, "field"))
				break
			}
			p.line("      %s", text.Clean(fieldText(f)))
		}
	}
}

func sideText(s plan.Side) string {
	switch {
	case s.Commit == "":
		return text.Clean(s.Name)
	case strings.HasPrefix(s.Commit, s.Name):
		return shortCommit(s.Commit)
	}
	return text.Clean(s.Name) + " (" + shortCommit(s.Commit) + ")"
}

// shownOf returns the applications that the text lists, and the number of the others.
func shownOf(v *view.Plan) (list []*plan.Application, more int) {
	aside := 0
	for i := range v.Applications {
		a := &v.Applications[i]
		if a.Effect == plan.Requeued || a.Effect == plan.Reworded {
			aside++
		}
		if aside > mostAside || len(list) == mostApplications {
			return list, len(v.Applications) - i
		}
		list = append(list, a)
	}
	return list, 0
}

// summaryOf returns the effect of the change in one line.
func summaryOf(v *view.Plan) string {
	switch v.Result {
	case view.PlanSame:
		return "nothing changes"
	case view.PlanRefused:
		return "refused: " + countsOf(v)
	}
	return countsOf(v)
}

func countsOf(v *view.Plan) string {
	var parts []string
	if n := len(v.Problems); n > 0 {
		parts = append(parts, count(n, "problem"))
	}
	for i := 0; i < len(v.Applications); {
		n := i
		for n < len(v.Applications) && v.Applications[n].Effect == v.Applications[i].Effect {
			n++
		}
		parts = append(parts, fmt.Sprintf("%d %s", n-i, v.Applications[i].Effect))
		i = n
	}
	if n := len(v.Runs); n > 0 {
		parts = append(parts, count(n, "run")+" of workflows")
	}
	actions := map[plan.Action]int{}
	for i := range v.Objects {
		actions[v.Objects[i].Action]++
	}
	for _, a := range []struct {
		action plan.Action
		text   string
	}{{plan.Add, "to add"}, {plan.Change, "to change"}, {plan.Remove, "to remove"}, {plan.Keep, "to leave behind"}} {
		if n := actions[a.action]; n > 0 {
			parts = append(parts, count(n, "object")+" "+a.text)
		}
	}
	if len(parts) == 0 {
		return "only what is told about the fleet changes"
	}
	return strings.Join(parts, ", ")
}

// grantsText describes the grants that differ: "web 2 → 4, db 1 → 0".
func grantsText(a *plan.Application) string {
	var parts []string
	for _, g := range a.Grants {
		text := g.Component + " " + amountOf(g.Before) + " → " + amountOf(g.After)
		if amountOf(g.Before) == amountOf(g.After) { // the number of replicas is the same
			text = g.Component + " " + grantText(g.Before) + " → " + grantText(g.After)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

func amountOf(g *model.Grant) string {
	if g == nil {
		return "0"
	}
	return strconv.Itoa(g.Replicas)
}

// grantText describes a grant in full: "2× 500m cpu, 1Gi memory, burstable, pool general".
func grantText(g *model.Grant) string {
	if g == nil {
		return "nothing"
	}
	text := fmt.Sprintf("%d× %s, %s", g.Replicas, g.Requests, g.QoS)
	if g.Pool != "" {
		text += ", pool " + g.Pool
	}
	return text
}

// whyText returns the reason for the effect.
func whyText(a *plan.Application) string {
	switch {
	case a.Effect == plan.Refused && a.Refused != nil:
		return sentence(a.Refused.Reason, a.Refused.Message)
	case a.Effect == plan.Removed:
		return "Git does not want it any more"
	case a.After == nil:
		return ""
	}
	return sentence(a.After.Reason, a.After.Message)
}

// priceText describes a price that differs: "1.25 → 2.50".
func priceText(x plan.Price) string {
	if x.Before == x.After {
		return ""
	}
	return money(x.Before) + " → " + money(x.After)
}

// money formats millionths of the currency with four decimals.
func money(n int64) string { return fmt.Sprintf("%d.%04d", n/1e6, n%1e6/100) }

func objectName(o *plan.ObjectChange) string {
	name := o.Name
	if o.Namespace != "" {
		name = o.Namespace + "/" + name
	}
	text := o.Kind + " " + name
	if o.Action == plan.Keep {
		text += " is declared no more and stays"
	}
	return text
}

func fieldText(f plan.FieldChange) string {
	switch {
	case f.Before == nil:
		return f.Path + ": " + shortJSON(f.After) + " is new"
	case f.After == nil:
		return f.Path + ": " + shortJSON(f.Before) + " goes"
	}
	return f.Path + ": " + shortJSON(f.Before) + " → " + shortJSON(f.After)
}

// shortJSON cuts a long value.
func shortJSON(v json.RawMessage) string {
	const most = 80
	text := []rune(string(v))
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}

func actionSign(a plan.Action) string {
	return map[plan.Action]string{plan.Add: "+", plan.Change: "~", plan.Remove: "-", plan.Keep: "="}[a]
}

func actionStyle(a plan.Action) style {
	return map[plan.Action]style{plan.Add: green, plan.Change: yellow, plan.Remove: red}[a]
}

func effectStyle(e plan.Effect) style {
	switch e {
	case plan.Rejected, plan.Refused, plan.Evicted, plan.Removed:
		return red
	case plan.Degraded, plan.Waiting:
		return yellow
	case plan.Admitted, plan.Restored:
		return green
	}
	return normal
}
