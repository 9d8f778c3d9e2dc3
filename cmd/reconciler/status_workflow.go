package main

import (
	"fmt"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// workflowView is the latest run of an application's workflow at a glance.
type workflowView struct {
	Run     model.Digest    `json:"run"`
	Number  int             `json:"number"`
	Phase   model.RunPhase  `json:"phase"`
	Message string          `json:"message,omitempty"`
	Waits   []workflow.Wait `json:"waits,omitempty"`
}

func viewWorkflow(in *model.Instance) *workflowView {
	r := in.Run
	if r == nil {
		return nil
	}
	return &workflowView{Run: r.ID, Number: r.Number, Phase: r.Phase, Message: r.Message, Waits: workflow.Waits(r, workflow.SpecOf(in))}
}

// peopleWaits prints what goes on only if somebody acts, and what to type.
func (p *printer) peopleWaits(v *statusView) {
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
			p.line("     %s", commandFor(a.App, w))
		}
	}
}

// commandFor is what people type to end a wait.
func commandFor(app model.AppID, w workflow.Wait) string {
	return text.Clean(strings.TrimSpace(fmt.Sprintf("reconciler %s %s %s", w.Action, app, w.Step)))
}

// stepChange writes what became of a run or of a step.
func stepChange(c model.RunChange) string {
	what := fmt.Sprintf("run %d: ", c.Run)
	if c.Step != "" {
		what = "step " + c.Step + ": "
	}
	if c.From != "" {
		what += c.From + " → "
	}
	return text.Clean(what + c.To)
}

// stepStyle colours phases of runs and of steps.
func stepStyle(phase string) style {
	switch phase {
	case string(model.StepSucceeded):
		return green
	case string(model.StepFailed), string(model.RunFailing), string(model.RunRollingBack), string(model.RunRolledBack), string(model.RunStopped):
		return red
	case string(model.StepActive), string(model.StepRetrying), string(model.StepQueued), string(model.RunPaused):
		return yellow
	}
	return dim
}
