package workflow

import (
	"fmt"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Wait is what keeps a run from going on, for people.
type Wait struct {
	Step   string    `json:"step,omitempty"`   // "": the run as a whole
	For    string    `json:"for"`              // as in "waits for …"
	Until  time.Time `json:"until,omitzero"`   // it waits no longer
	Action string    `json:"action,omitempty"` // the command that ends it, "" if people have no part in it
	People bool      `json:"people,omitempty"` // it does not end well by itself: a person has to act
}

// Command returns what people type to end a wait of an application.
func (w Wait) Command(app model.AppID) string {
	return strings.TrimSpace("reconciler " + w.Action + " " + app.String() + " " + w.Step)
}

// Waits returns what a run waits for, in the order of the workflow. Spec is what
// the run brings, nil if it is not known any more: then types of steps are not
// known either, and neither is what people can do.
func Waits(run *model.Run, spec *model.Application) (waits []Wait) {
	if run == nil || run.Phase.Ended() {
		return nil
	}
	if run.Phase == model.RunPaused {
		waits = append(waits, Wait{For: "somebody to resume the run", Until: run.Deadline, Action: model.CommandResume, People: true})
	}
	for i := range run.Steps {
		rec := &run.Steps[i]
		switch u := rec.Undo; {
		case rec.Phase == model.StepQueued:
			waits = append(waits, Wait{Step: rec.Name, For: "its turn" + after(": ", rec.Message), Until: run.Deadline})
		case rec.Phase == model.StepRetrying:
			waits = append(waits, Wait{
				Step: rec.Name, For: fmt.Sprintf("attempt %d%s", rec.Attempt+1, after(", after: ", rec.Message)),
				Until: rec.Next, Action: model.CommandResume,
			})
		case rec.Phase == model.StepActive:
			waits = append(waits, activeWait(rec, declared(spec, run, rec.Name)))
		case u != nil && run.Phase == model.RunRollingBack && u.Phase == model.StepRetrying:
			waits = append(waits, Wait{Step: rec.Name, For: "the next attempt to take it back" + after(": ", u.Message), Until: u.Next})
		case u != nil && run.Phase == model.RunRollingBack && u.Phase == model.StepActive:
			waits = append(waits, Wait{Step: rec.Name, For: "being taken back", Until: u.Deadline})
		}
	}
	return waits
}

// People reports whether a step cannot end well before a person acts: approves it,
// or resumes one of its stages.
func People(decl *model.Step) bool {
	return kindOf(decl).traits().people
}

// Stages is how many stages a step has, 0 if its type has none.
func Stages(decl *model.Step) int {
	k, _ := kindOf(decl).(stagedStep)
	return len(k.stages)
}

// activeWait is what a step waits for during an attempt.
func activeWait(rec *model.StepRun, decl *model.Step) Wait {
	w := Wait{For: "being done", Until: rec.Deadline}
	if decl != nil {
		w = kindOf(decl).wait(decl, rec)
	}
	w.Step = rec.Name
	return w
}

// declared returns a step of the spec of a run, nil if that is not known.
func declared(spec *model.Application, run *model.Run, name string) *model.Step {
	if spec == nil || spec.Release != run.Spec || spec.Workflow == nil {
		return nil
	}
	s, _ := model.Find(spec.Workflow.Steps, name)
	return s
}

func after(separator, text string) string {
	if text == "" {
		return ""
	}
	return separator + text
}
