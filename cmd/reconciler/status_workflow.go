package main

import (
	"fmt"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/view"
	"github.com/d-aros/d-aros/pkg/workflow"
)

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
			p.line("     %s", commandFor(a.App, w))
		}
	}
}

// commandFor returns the command that ends a wait.
func commandFor(app model.AppID, w workflow.Wait) string {
	return text.Clean(strings.TrimSpace(fmt.Sprintf("reconciler %s %s %s", w.Action, app, w.Step)))
}

// stepStyle returns the colour of a phase of a run or of a step.
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
