package workflow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// maxCommands bounds what is remembered of commands. A run takes no more.
const maxCommands = 100

// handle obeys or refuses commands, each once. One that comes too early, as an
// approval of a step that has not begun, is kept for later by not being handled.
func (p *pass) handle(commands []model.Command) {
	for _, c := range commands {
		id := model.DigestOf(c)
		if c.Run != p.run.ID || len(p.run.Commands) >= maxCommands ||
			slices.ContainsFunc(p.run.Commands, func(h model.Handled) bool { return h.ID == id }) {
			continue
		}
		early, refused := p.obey(c)
		if early {
			continue
		}
		p.run.Commands = append(p.run.Commands, model.Handled{
			ID: id, Action: c.Action, Step: c.Step, By: c.By, Commit: c.Commit, Refused: bounded(refused, maxMessage),
		})
	}
}

// Misdirected returns the commands that name another run than run, the
// application's latest, each with why it has no effect.
func Misdirected(run *model.Run, commands []model.Command) (refused []model.Handled) {
	for _, c := range commands {
		if c.Run != run.ID {
			refused = append(refused, model.Handled{
				ID: model.DigestOf(c), Action: c.Action, Step: c.Step, By: c.By, Commit: c.Commit,
				Refused: fmt.Sprintf("it names run %s, and the run of %s is now %s (number %d, spec %s): look at that one and decide anew",
					c.Run.Short(), run.App, run.ID.Short(), run.Number, run.Spec.Short()),
			})
		}
	}
	return refused
}

// obey carries out one command. It returns why not, or that it is too early.
func (p *pass) obey(c model.Command) (early bool, refused string) {
	if p.run.Superseded != "" {
		return false, fmt.Sprintf("the run was superseded by spec %s", p.run.Superseded.Short())
	}
	if c.Action == model.CommandRestart {
		return false, p.restart(c)
	}
	if p.run.Phase.Ended() {
		return false, fmt.Sprintf("the run has ended: %s", p.run.Phase)
	}
	switch c.Action {
	case model.CommandPause:
		if p.run.Phase != model.RunRunning {
			return false, fmt.Sprintf("the run is %s", p.run.Phase)
		}
		p.to(model.RunPaused, "by "+c.By)
	case model.CommandStop:
		p.stop("by " + c.By)
	case model.CommandResume:
		return p.resume(c)
	case model.CommandApprove, model.CommandReject:
		return p.decide(c)
	default:
		return false, fmt.Sprintf("there is no action %q; write approve, reject, pause, resume, stop or restart", c.Action)
	}
	return false, ""
}

// resume ends the pause of a run, of a stage, of a wait, or between two attempts.
func (p *pass) resume(c model.Command) (early bool, refused string) {
	if c.Step == "" {
		if p.run.Phase != model.RunPaused {
			return false, fmt.Sprintf("the run is %s, not paused; name a step to resume that", p.run.Phase)
		}
		p.to(model.RunRunning, "")
		return false, ""
	}
	s := p.step(c.Step)
	switch {
	case s == nil:
		return false, "the workflow has no step " + c.Step
	case s.rec.Phase == model.StepPending || s.rec.Phase == model.StepQueued:
		return true, ""
	case s.rec.Phase == model.StepRetrying:
		s.rec.Next = p.now
	case s.rec.Phase != model.StepActive:
		return false, fmt.Sprintf("step %s waits for nothing: it is %s", c.Step, s.rec.Phase)
	case s.Type == "wait" || s.Type == "canary" || s.Type == "blue-green":
		s.rec.Resumed = true
		s.rec.Actors = append(s.rec.Actors, c.By)
	default:
		return false, fmt.Sprintf("step %s is of type %s and cannot be resumed", c.Step, s.Type)
	}
	return false, ""
}

// decide takes an approval or a rejection.
func (p *pass) decide(c model.Command) (early bool, refused string) {
	s := p.step(c.Step)
	switch {
	case s == nil:
		return false, "the workflow has no step " + c.Step
	case s.Type != "approval":
		return false, fmt.Sprintf("step %s is of type %s and needs no approval", c.Step, s.Type)
	case s.rec.Phase.Ended():
		return false, fmt.Sprintf("step %s does not wait any more: it is %s %s", c.Step, s.rec.Phase, s.rec.Message)
	case s.rec.Phase != model.StepActive || !p.now.Before(s.rec.Deadline):
		return true, ""
	}
	var a approvalProperties
	if err := read(s.Step, &a); err != nil {
		return false, err.Error()
	}
	if len(a.Roles) > 0 && !slices.ContainsFunc(c.Roles, func(r string) bool { return slices.Contains(a.Roles, r) }) {
		return false, fmt.Sprintf("step %s needs the role %s, and %s has %s",
			c.Step, strings.Join(a.Roles, " or "), c.By, cmp.Or(strings.Join(c.Roles, ", "), "none"))
	}
	if slices.Contains(s.rec.Actors, c.By) {
		return false, fmt.Sprintf("%s has approved step %s before", c.By, c.Step)
	}
	if c.Action == model.CommandReject {
		s.rec.Actors = []string{c.By}
		p.fail(s, ClassRejected, strings.TrimSuffix(fmt.Sprintf("by %s: %s", c.By, c.Why), ": "))
		return false, ""
	}
	s.rec.Actors = append(s.rec.Actors, c.By)
	return false, ""
}
