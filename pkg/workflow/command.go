package workflow

import (
	"fmt"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// maxCommands bounds what is remembered of commands. A run takes no more.
const maxCommands = 400

// handle obeys or refuses commands, each once. A command that comes too early, such
// as an approval of a step that has not begun, is not handled yet.
func (x *execution) handle(commands []model.Command) {
	for _, c := range commands {
		if isHandled(&x.run, c) || len(x.run.Commands) >= maxCommands {
			continue
		}
		early, refused := false, misdirected(&x.run, c)
		if refused == "" {
			early, refused = x.obey(c)
		}
		if early {
			continue
		}
		x.run.Commands = append(x.run.Commands, model.Handled{
			ID: c.ID(), Run: c.Run, Action: c.Action, Step: c.Step, Stage: c.Stage, By: c.By, Commit: c.Commit, Refused: text.Line(refused, maxMessage), At: x.now,
		})
	}
}

// handleEarly handles commands that came before their step began.
func (x *execution) handleEarly() (changed bool) {
	before := len(x.run.Commands)
	x.handle(x.turn.Commands)
	if len(x.run.Commands) == before {
		return false
	}
	for _, s := range x.steps {
		if _, approves := s.kind.(approvalStep); s.rec.Phase == model.StepActive && (approves || s.rec.Resumed) {
			s.kind.progress(s)
		}
	}
	return true
}

// IsNew reports whether an instance or its run has not handled a command yet. It does not
// depend on who asks.
func IsNew(inst *model.Instance, c model.Command) bool {
	if c.Action == model.CommandRetry {
		return !c.HandledIn(inst.Retries)
	}
	return inst.Run != nil && !isHandled(inst.Run, c) || inst.Run == nil && begins(inst)
}

func isHandled(run *model.Run, c model.Command) bool { return c.HandledIn(run.Commands) }

// minPrefix is the least of a run's name that a command may give for the whole.
const minPrefix = 12

// misdirected returns why a command about another run has no effect, "" if it is
// about this run.
func misdirected(run *model.Run, c model.Command) string {
	if len(c.Run) >= minPrefix && strings.HasPrefix(string(run.ID), string(c.Run)) {
		return ""
	}
	return fmt.Sprintf("it names run %s, and the run of %s is now %s (number %d, spec %s): look at that one and decide anew",
		c.Run.Short(), run.App, run.ID.Short(), run.Number, run.Spec.Short())
}

// obey carries out one command. It returns why not, or that the command is early.
func (x *execution) obey(c model.Command) (early bool, refused string) {
	if x.run.Superseded != "" {
		return false, fmt.Sprintf("the run was superseded by spec %s", x.run.Superseded.Short())
	}
	if w := x.turn.Wanted; w != "" && w != x.run.Spec && c.Action == model.CommandRestart {
		return false, fmt.Sprintf("the application went back to release %s; \"reconciler retry %s\" has the other one tried again", w.Short(), x.run.App)
	}
	if x.turn.Gone || x.spec == nil {
		return false, "the application, as the run was to bring it, is not to run any more"
	}
	if c.Action == model.CommandRestart {
		return false, x.restart(c)
	}
	if x.run.Phase.Ended() {
		return false, fmt.Sprintf("the run has ended: %s", x.run.Phase)
	}
	switch c.Action {
	case model.CommandPause:
		if x.run.Phase != model.RunRunning {
			return false, fmt.Sprintf("the run is %s", x.run.Phase)
		}
		x.to(model.RunPaused, "by "+c.By)
	case model.CommandStop:
		x.stop("by " + c.By)
	case model.CommandResume, model.CommandApprove, model.CommandReject:
		return x.obeyStep(c)
	default:
		return false, fmt.Sprintf("there is no action %q; write approve, reject, pause, resume, stop or restart", c.Action)
	}
	return false, ""
}

// obeyStep carries out a command about a step, or resumes the run.
func (x *execution) obeyStep(c model.Command) (early bool, refused string) {
	if c.Action == model.CommandResume && c.Step == "" {
		if x.run.Phase != model.RunPaused {
			return false, fmt.Sprintf("the run is %s, not paused; name a step to resume that", x.run.Phase)
		}
		x.to(model.RunRunning, "")
		return false, ""
	}
	switch s := x.steps.find(c.Step); {
	case s == nil:
		return false, "the workflow has no step " + c.Step
	case c.Action == model.CommandResume:
		return s.resume(c)
	default:
		return s.decide(c)
	}
}

// resume ends the pause of a stage, of a wait, or between two attempts. One that names a
// stage waits for it, and ends the pause of no other.
func (s *step) resume(c model.Command) (early bool, refused string) {
	if c.Stage > 0 && !s.rec.Phase.Ended() {
		if k, ok := s.kind.(stagedStep); !ok || c.Stage > len(k.stages) {
			return false, fmt.Sprintf("step %s has no stage %d", c.Step, c.Stage)
		}
		if s.rec.Phase != model.StepActive || s.rec.Stage+1 < c.Stage {
			return true, ""
		}
		if s.rec.Stage+1 > c.Stage {
			return false, fmt.Sprintf("stage %d of step %s is over", c.Stage, c.Step)
		}
	}
	switch {
	case s.rec.Phase == model.StepPending || s.rec.Phase == model.StepQueued:
		return true, ""
	case s.rec.Phase == model.StepRetrying:
		s.rec.Next = s.x.now
	case s.rec.Phase != model.StepActive:
		return false, fmt.Sprintf("step %s waits for nothing: it is %s", c.Step, s.rec.Phase)
	case s.kind.traits().resumable:
		s.rec.Resumed = true
		s.rec.Actors = append(s.rec.Actors, c.By)
	default:
		return false, fmt.Sprintf("step %s is of type %s and cannot be resumed", c.Step, s.Type)
	}
	return false, ""
}
