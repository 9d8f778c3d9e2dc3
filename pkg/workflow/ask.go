package workflow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// Ask is what a person asks of the latest run of an application.
type Ask struct {
	Action string // one of the Command constants but that of a retry
	Run    string // how the digest of the run begins, "": whichever it is
	Step   string // "": the run, or the only step that waits for this
	Stage  int    // of the step, 0: the present one
}

// maxNamed bounds the steps that a sentence lists.
const maxNamed = 50

// AskOf returns the command by which a person asks something of the latest run of an
// instance, which has one, or why the run would refuse it at the time now. The command
// names the run, a step and a stage, so it has no effect on any other, however late it
// arrives. It takes the person to have the roles that a step demands.
func AskOf(inst *model.Instance, a Ask, now time.Time) (c model.Command, refused string) {
	ask := &question{inst: inst, Command: model.Command{Action: a.Action, Run: inst.Run.ID, Step: a.Step, Stage: a.Stage}}
	if a.Run != "" && (len(a.Run) < 4 || !strings.HasPrefix(string(inst.Run.ID), a.Run)) {
		return c, fmt.Sprintf("%q is not the latest run of %s: that is %s", text.Clean(a.Run), inst.App, described(inst.Run))
	}
	if refused = cmp.Or(ask.settleStep(), ask.settleStage()); refused != "" {
		return c, refused
	}
	if refused = refuses(inst, ask.Command, now); refused != "" {
		return c, fmt.Sprintf("%s: %s", inst.App, refused)
	}
	return ask.Command, ""
}

// question is a command that is not complete yet.
type question struct {
	inst *model.Instance
	model.Command
}

// described names a run for people.
func described(run *model.Run) string {
	return fmt.Sprintf("%s, number %d, %s", text.Clean(string(run.ID[:min(12, len(run.ID))])), run.Number, text.Clean(string(run.Phase)))
}

// settleStep checks the command against the phase of the run, and finds the step if none
// is named. It returns why the run would refuse it.
func (a *question) settleStep() string {
	run, app := a.inst.Run, a.inst.App
	switch {
	case run.Superseded != "":
		return fmt.Sprintf("run %s of %s was superseded by spec %s: it takes no commands any more", described(run), app, run.Superseded.Short())
	case run.Phase.Ended() && a.Action != model.CommandRestart:
		return fmt.Sprintf("the latest run of %s has ended: %s", app, described(run))
	case a.Action == model.CommandPause && run.Phase != model.RunRunning:
		return fmt.Sprintf("the run of %s is %s and cannot be paused", app, run.Phase)
	case a.Step != "":
		return a.check()
	}
	switch {
	case a.Action == model.CommandApprove || a.Action == model.CommandReject:
		return a.choose(model.CommandApprove, "waits for approval")
	case a.Action == model.CommandResume && run.Phase != model.RunPaused:
		return a.choose(model.CommandResume, "waits for somebody to resume it")
	}
	return ""
}

// check returns why the named step would refuse the command.
func (a *question) check() string {
	rec, ok := a.inst.Run.Step(a.Step)
	if !ok {
		return fmt.Sprintf("the workflow of %s has no step %s; it has %s", a.inst.App, text.Clean(a.Step), text.Enumerate(model.Names(a.inst.Run.Steps), maxNamed))
	}
	decides := a.Action == model.CommandApprove || a.Action == model.CommandReject
	declared := a.declared()
	switch {
	case decides && declared != nil && declared.Type != "approval":
		return fmt.Sprintf("step %s is of type %s and needs no approval", rec.Name, declared.Type)
	case a.Action != model.CommandRestart && rec.Phase.Ended():
		return fmt.Sprintf("step %s does not wait any more: it is %s", rec.Name, rec.Phase)
	}
	return ""
}

// choose finds the only step that waits for the action.
func (a *question) choose(action, what string) string {
	var steps []string
	waits := Waits(a.inst.Run, a.inst.RunSpec())
	people := slices.ContainsFunc(waits, func(w Wait) bool { return w.Action == action && w.People })
	for _, w := range waits {
		if w.Action == action && w.Step != "" && (w.People || !people) {
			steps = append(steps, w.Step)
		}
	}
	switch len(steps) {
	case 1:
		a.Step = steps[0]
		return ""
	case 0:
		return fmt.Sprintf("no step of %s %s now; its run is %s. Name a step to speak of one that has not begun", a.inst.App, what, described(a.inst.Run))
	}
	return fmt.Sprintf("more than one step of %s %s: name one of %s", a.inst.App, what, text.Enumerate(steps, maxNamed))
}

// settleStage checks the stage that the command names, and names the present one where it
// names none.
func (a *question) settleStage() string {
	stages, present := 0, 0
	if decl := a.declared(); decl != nil && a.Action == model.CommandResume {
		stages = Stages(decl)
	}
	if rec, ok := a.inst.Run.Step(a.Step); ok && rec.Phase == model.StepActive {
		present = min(rec.Stage+1, stages)
	}
	switch {
	case a.Stage == 0 && stages > 0 && present == 0:
		return fmt.Sprintf("step %s has not begun; name the stage to resume with --stage, from 1 to %d", a.Step, stages)
	case a.Stage == 0:
		a.Stage = present
	case a.Stage < 0 || a.Stage > stages:
		return fmt.Sprintf("%s has no stage %d to resume", cmp.Or(a.Step, "the run"), a.Stage)
	case a.Stage < present:
		return fmt.Sprintf("stage %d of step %s is over; it is in stage %d", a.Stage, a.Step, present)
	}
	return ""
}

// declared returns the step in the spec of the run, nil if the spec is unknown.
func (a *question) declared() *model.Step {
	return declared(a.inst.RunSpec(), a.inst.Run, a.Step)
}

// refuses returns why the latest run of an instance would refuse a command that came at
// the time now, "" if it would take it, now or when its step has begun. It takes the
// person to have the roles that a step demands.
func refuses(inst *model.Instance, c model.Command, now time.Time) string {
	turn := Turn{Run: *inst.Run, Spec: inst.RunSpec(), Gone: !inst.Phase.Active() || inst.Run.Instance != inst.Number}
	if !turn.Gone {
		turn.Wanted = inst.Release()
	}
	x := newExecution(&turn, now)
	if turn.Wanted != "" && turn.Wanted != x.run.Spec {
		x.supersede(turn.Wanted)
	}
	if refused := misdirected(&x.run, c); refused != "" {
		return refused
	}
	if s := x.steps.find(c.Step); s != nil {
		if a, ok := s.kind.(approvalStep); ok {
			c.Roles = a.Roles
		}
	}
	_, refused := x.obey(c)
	return refused
}
