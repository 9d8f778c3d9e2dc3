package workflow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// maxCommands bounds what is remembered of commands. A run takes no more.
const maxCommands = 400

// handle obeys or refuses commands, each once. One that comes too early, as an
// approval of a step that has not begun, is kept for later by not being handled.
func (p *pass) handle(commands []model.Command) {
	for _, c := range commands {
		if isHandled(&p.run, c) || len(p.run.Commands) >= maxCommands {
			continue
		}
		early, refused := false, p.misdirected(c)
		if refused == "" {
			early, refused = p.obey(c)
		}
		if early {
			continue
		}
		p.run.Commands = append(p.run.Commands, model.Handled{
			ID: commandID(c), Run: c.Run, Action: c.Action, Step: c.Step, By: c.By, Commit: c.Commit, Refused: bounded(refused, maxMessage),
		})
	}
}

// handleEarly takes up what was asked before the step began that it is about.
func (p *pass) handleEarly() (changed bool) {
	before := len(p.run.Commands)
	p.handle(p.turn.Commands)
	if len(p.run.Commands) == before {
		return false
	}
	for i := range p.steps {
		if s := &p.steps[i]; s.Type == "approval" && s.rec.Phase == model.StepActive {
			s.kind.progress(p, s)
		}
	}
	return true
}

// commandID is what makes two commands the same. Of one that a commit brought, who
// asks and what may be asked by them is told by the commit: when access changes,
// the command is still the one that was handled.
func commandID(c model.Command) model.Digest {
	c.Why, c.Roles = "", nil
	if c.Commit != "" {
		c.By = ""
	}
	return model.DigestOf(c)
}

func isHandled(run *model.Run, c model.Command) bool {
	id := commandID(c)
	return slices.ContainsFunc(run.Commands, func(h model.Handled) bool { return h.ID == id })
}

// minPrefix is the least of a run's name that a command may give for the whole.
const minPrefix = 12

// misdirected says why a command about another run has no effect, "" if it is
// about this one.
func (p *pass) misdirected(c model.Command) string {
	if len(c.Run) >= minPrefix && strings.HasPrefix(string(p.run.ID), string(c.Run)) {
		return ""
	}
	return fmt.Sprintf("it names run %s, and the run of %s is now %s (number %d, spec %s): look at that one and decide anew",
		c.Run.Short(), p.run.App, p.run.ID.Short(), p.run.Number, p.run.Spec.Short())
}

// obey carries out one command. It returns why not, or that it is too early.
func (p *pass) obey(c model.Command) (early bool, refused string) {
	if p.run.Superseded != "" {
		return false, fmt.Sprintf("the run was superseded by spec %s", p.run.Superseded.Short())
	}
	if p.turn.Gone || p.spec == nil {
		return false, "the application, as the run was to bring it, is not to run any more"
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
