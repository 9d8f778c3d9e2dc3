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
	People bool      `json:"people,omitempty"` // it does not end well by itself: somebody has to act
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

// SpecOf returns what the latest run of an instance brings, nil if there is no run
// or its record does not hold that spec any more.
func SpecOf(inst *model.Instance) *model.Application {
	for _, spec := range []*model.Application{inst.Spec, inst.Previous} {
		if spec != nil && inst.Run != nil && spec.Digest == inst.Run.Spec {
			return spec
		}
	}
	return nil
}

// activeWait is what a step waits for while an attempt is on its way.
func activeWait(rec *model.StepRun, s *model.Step) Wait {
	w := Wait{Step: rec.Name, For: "being done", Until: rec.Deadline}
	if s == nil {
		return w
	}
	switch s.Type {
	case "deploy":
		w.For = "its components to be ready"
	case "job":
		w.For = "the job " + s.Component + " to end"
	case "notify":
		w.For = "the receiver to take the message"
	case "wait":
		w.For, w.Until, w.Action = "its time to pass", rec.Until, model.CommandResume
	case "approval":
		w.For, w.Action, w.People = missingApprovals(rec, s), model.CommandApprove, true
	case "check":
		var c checkProperties
		_ = read(s, &c) // it was checked when the step began
		w.For = goodAnswers(rec, &c)
	case "canary", "blue-green":
		stagedWait(rec, s, &w)
	}
	return w
}

func missingApprovals(rec *model.StepRun, s *model.Step) string {
	var a approvalProperties
	_ = read(s, &a)
	text := "an approval"
	if missing := max(1, a.Count) - len(rec.Actors); missing > 1 {
		text = fmt.Sprintf("%d approvals", missing)
	} else if len(rec.Actors) > 0 {
		text = "one more approval"
	}
	if len(a.Roles) > 0 {
		text += " of a " + strings.Join(a.Roles, " or ")
	}
	return text
}

func goodAnswers(rec *model.StepRun, c *checkProperties) string {
	return fmt.Sprintf("good answers: %d of %d so far", rec.Passed, c.times())
}

func stagedWait(rec *model.StepRun, s *model.Step, w *Wait) {
	stages, check, err := plan(&step{Step: s, rec: rec})
	if err != nil {
		return
	}
	if rec.Stage >= len(stages) {
		w.For = "the new version to be ready alone"
		return
	}
	at := fmt.Sprintf("stage %d of %d", rec.Stage+1, len(stages))
	st := stages[rec.Stage]
	switch {
	case rec.Until.IsZero():
		w.For = at + " to be ready"
	case check != nil && rec.Passed < check.times():
		w.For = goodAnswers(rec, check) + ", in " + at
	case st.Manual && !rec.Resumed:
		w.For, w.Action, w.People = "somebody to resume it in "+at, model.CommandResume, true
	default:
		w.For, w.Until, w.Action = "the pause of "+at, rec.Until, model.CommandResume
	}
}

// declared returns what the spec of a run says about a step, nil if that is not known.
func declared(spec *model.Application, run *model.Run, name string) *model.Step {
	if spec == nil || spec.Digest != run.Spec || spec.Workflow == nil {
		return nil
	}
	for i := range spec.Workflow.Steps {
		if s := &spec.Workflow.Steps[i]; s.Name == name {
			return s
		}
	}
	return nil
}

func after(separator, text string) string {
	if text == "" {
		return ""
	}
	return separator + text
}
