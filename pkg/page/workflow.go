package page

import (
	"fmt"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// workflow shows the latest run: its steps, its wait, and the commands with which people
// can end the wait.
func (p *page) workflow(in *model.Instance) {
	spec := in.Spec
	if in.Run != nil {
		spec = in.RunSpec()
	}
	if in.Run == nil && (spec == nil || spec.Workflow == nil) {
		return
	}
	p.line("## Workflow\n")
	r := in.Run
	if r == nil {
		p.line("No run yet: it begins when the application has been granted its place.\n")
		r = &model.Run{}
	} else {
		p.run(in)
	}
	if spec != nil && spec.Workflow != nil && len(spec.Workflow.Steps) <= maxRows {
		p.line("```mermaid\n%s```\n", runGraph(r, spec.Workflow))
	}
	p.table("", []string{"Step", "Phase", "Since", "Attempt", "Reason", "What is to know", "By"}, rowsOf(r.Steps, func(s model.StepRun) []string {
		attempt := ""
		if s.Attempt > 0 {
			attempt = fmt.Sprint(s.Attempt)
		}
		return []string{code(s.Name), escape(string(s.Phase)), moment(s.Since), attempt, escape(string(s.Reason)), escape(stepNote(s)), escape(strings.Join(s.Actors, ", "))}
	}))
	p.table("What people asked of it", []string{"Run", "Action", "Step", "By", "Commit", "Outcome"}, rowsOf(r.Commands, func(c model.Handled) []string {
		outcome := "done"
		if c.Refused != "" {
			outcome = "refused: " + escape(c.Refused)
		}
		step := code(c.Step)
		if c.Stage > 0 {
			step += fmt.Sprintf(", stage %d", c.Stage)
		}
		return []string{code(r.Named(&c)), code(c.Action), step, escape(c.By), code(c.Commit[:min(len(c.Commit), 10)]), outcome}
	}))
}

// run describes the state of the run and what it waits for.
func (p *page) run(in *model.Instance) {
	r := in.Run
	p.line("Run %d (%s), of release %s: **%s** since %s%s\n", r.Number, code(r.ID.Short()), code(r.Spec.Short()), escape(string(r.Phase)), moment(r.Since), because("", r.Message))
	if r.Superseded != "" {
		p.line("Spec %s took its place.\n", code(r.Superseded.Short()))
	}
	waits := workflow.Waits(r, in.RunSpec())
	for _, w := range waits[:min(len(waits), maxRows)] {
		line := "- "
		if w.Step != "" {
			line += code(w.Step) + " "
		}
		line += "waits for " + escape(w.For)
		if !w.Until.IsZero() {
			line += ", until " + moment(w.Until)
		}
		if w.Action != "" {
			line += ". To end that: " + code(w.Command(in.App))
		}
		p.line("%s", line)
	}
	if len(waits) > 0 {
		p.line("")
	}
	if !r.Phase.Ended() {
		p.line("It ends by %s.\n", moment(r.Deadline))
	}
}

// stepNote is the message of a step, its output, and the state of its undo.
func stepNote(s model.StepRun) string {
	notes := make([]string, 0, 3)
	if s.Message != "" {
		notes = append(notes, s.Message)
	}
	for _, o := range s.Outputs {
		notes = append(notes, "left "+o.Name+" = "+o.Value)
	}
	if s.Undo != nil && s.Undo.Phase != model.StepPending {
		note := "taking back: " + string(s.Undo.Phase)
		if s.Undo.Message != "" {
			note += ", " + s.Undo.Message
		}
		notes = append(notes, note)
	}
	return strings.Join(notes, "; ")
}
