package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/view"
)

// workflow prints the latest run: its phase, its waits, its steps and the requests of people.
func (p *printer) workflow(x *view.Explanation) {
	r := x.Run
	if r == nil {
		return
	}
	p.section("Workflow")
	phase := p.paint(stepStyle(r.Phase), text.Clean(string(r.Phase)))
	line := fmt.Sprintf("run %d of spec %s is %s since %s", r.Number, r.Spec.Short(), phase, p.ago(r.Since))
	if r.Message != "" {
		line += ": " + text.Clean(r.Message)
	}
	p.line("  %s", line)
	for _, w := range x.Waits {
		subject := "it"
		if w.Step != "" {
			subject = "step " + w.Step
		}
		line := text.Clean(subject + " waits for " + w.For)
		if !w.Until.IsZero() {
			line += ", until " + moment(w.Until)
		}
		p.line("  %s", line)
		if w.Action != "" {
			p.line("     %s", text.Clean(w.Command(x.App)))
		}
	}
	p.table("  ", []string{"STEP", "PHASE", "SINCE", "ATTEMPT", "WHY", "BY"}, rowsOf(r.Steps, p.stepRow))
	for _, c := range r.Commands {
		what := fmt.Sprintf("%s %s by %s", c.Action, c.Step, c.By)
		if run := r.Named(&c); run != "" {
			what = "run " + run + ": " + what
		}
		line := text.Clean(strings.Join(strings.Fields(what), " ")) + ", commit " + shortCommit(c.Commit)
		if c.Refused != "" {
			line += ", " + p.paint(red, "refused: "+text.Clean(c.Refused))
		}
		p.line("  %s", line)
	}
}

func (p *printer) stepRow(s model.StepRun) []cell {
	attempt, since := "", ""
	if s.Attempt > 0 {
		attempt = fmt.Sprint(s.Attempt)
	}
	if !s.Since.IsZero() {
		since = age(p.now.Sub(s.Since))
	}
	return []cell{
		plain(s.Name), {text.Clean(string(s.Phase)), stepStyle(s.Phase)}, plain(since), plain(attempt),
		plain(s.Reason.With(s.Message)), plain(strings.Join(s.Actors, ", ")),
	}
}

// peopleWaits prints the waits that only people can end, with the command for each.
func (p *printer) peopleWaits(v *view.Status) {
	first := true
	for i := range v.Applications {
		a := &v.Applications[i]
		if a.Workflow == nil {
			continue
		}
		for _, w := range a.Workflow.Waits {
			if !w.People {
				continue
			}
			if first {
				p.section("Waiting for people")
				first = false
			}
			p.line("  %s waits for %s", text.Clean(strings.TrimSuffix(a.App.String()+" step "+w.Step, " step ")), text.Clean(w.For))
			p.line("     %s", text.Clean(w.Command(a.App)))
		}
	}
}

// stepStyles are the looks of phases of runs and of steps; the others are dim.
var stepStyles = map[string]style{
	string(model.StepSucceeded): green, string(model.StepFailed): red,
	string(model.RunFailing): red, string(model.RunRollingBack): red, string(model.RunRolledBack): red, string(model.RunStopped): red,
	string(model.StepActive): yellow, string(model.StepRetrying): yellow, string(model.StepQueued): yellow, string(model.RunPaused): yellow,
}

func stepStyle[P ~string](phase P) style { return cmp.Or(stepStyles[string(phase)], dim) }
