package announce

import (
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// run returns what changed of the latest run of an application: what people asked, and
// what became of the run and its steps. The steps that a new run has yet to come to
// have not changed.
func run(old, now *model.Instance) []Announcement {
	r, before := now.Run, old.Run
	if r == nil || r == before {
		return nil
	}
	if before == nil || before.ID != r.ID {
		before = &model.Run{}
	}
	c := runs{now, before, nil}
	begins := before.Phase == ""
	if begins {
		c.phase()
	}
	c.commands()
	for i := range r.Steps {
		c.step(&r.Steps[i])
	}
	if !begins {
		c.phase()
	}
	return c.list
}

// runs compares the latest run of an application with the same run before.
type runs struct {
	now    *model.Instance
	before *model.Run
	list   []Announcement
}

func (c *runs) add(kind Kind, s Subject, change Change, took time.Duration) {
	s.Instance, s.Run = c.now.Run.Instance, c.now.Run.Number
	c.list = append(c.list, Announcement{Kind: kind, Subject: s, Change: change, Times: Times{Took: took}})
}

// phase announces another phase of the run.
func (c *runs) phase() {
	r := c.now.Run
	if r.Phase == c.before.Phase {
		return
	}
	var took time.Duration
	if begun := beginOf(r); r.Phase.Ended() && !begun.IsZero() {
		took = r.Since.Sub(begun)
	}
	c.add(Run, Subject{}, Change{At: r.Since, From: string(c.before.Phase), To: string(r.Phase), Message: r.Message}, took)
}

// beginOf is when the first step of a run began, zero if none did.
func beginOf(r *model.Run) (first time.Time) {
	for i := range r.Steps {
		if at := r.Steps[i].Started; !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first
}

// ReasonRefused is the reason of a command that had no effect.
const ReasonRefused model.Reason = "Refused"

// commands announces what people asked of the run.
func (c *runs) commands() {
	known := func(h model.Handled) bool {
		return slices.ContainsFunc(c.before.Commands, func(o model.Handled) bool { return o.ID == h.ID })
	}
	for _, h := range c.now.Run.Commands {
		if known(h) {
			continue
		}
		change := Change{At: h.At, To: h.Action, Commit: h.Commit, By: h.By}
		if h.Refused != "" {
			change.Reason, change.Message = ReasonRefused, h.Refused
		}
		c.add(Command, Subject{Step: h.Step}, change, 0)
	}
}

// step announces what became of a step.
func (c *runs) step(s *model.StepRun) {
	old := &model.StepRun{}
	if rec, ok := c.before.Step(s.Name); ok {
		old = rec
	}
	about := Subject{Step: s.Name, Type: typeOf(c.now, s.Name)}
	c.stages(about, old, s)
	if s.Phase != old.Phase && (old.Phase != "" || s.Phase != model.StepPending) {
		var took time.Duration
		by := ""
		if s.Phase.Ended() {
			by = strings.Join(s.Actors, ", ")
			if !s.Started.IsZero() {
				took = s.Since.Sub(s.Started)
			}
		}
		c.add(Step, about, Change{At: s.Since, From: string(old.Phase), To: string(s.Phase), Reason: s.Reason, Message: s.Message, By: by}, took)
	}
	c.undo(about, old.Undo, s.Undo)
}

// stages announces the stages that a step has passed.
func (c *runs) stages(about Subject, old, s *model.StepRun) {
	first := old.Stage
	if old.Attempt != s.Attempt {
		first = 0
	}
	if s.Staged.IsZero() {
		return // nothing ran beside another version
	}
	for n := first; n < s.Stage; n++ {
		about.Stage = n + 1
		c.add(Stage, about, Change{At: s.Staged, To: "passed"}, 0)
	}
}

// undo announces how far a step was taken back.
func (c *runs) undo(about Subject, old, now *model.Undo) {
	from := model.StepPending
	if old != nil {
		from = old.Phase
	}
	if now == nil || now.Phase == from || now.Phase == model.StepPending || now.Phase == model.StepQueued {
		return
	}
	c.add(Undo, about, Change{At: now.Since, From: string(from), To: string(now.Phase), Message: now.Message}, 0)
}

// typeOf is the type of a step of the latest run.
func typeOf(inst *model.Instance, step string) string {
	if spec := inst.RunSpec(); spec != nil && spec.Workflow != nil {
		if s, ok := model.Find(spec.Workflow.Steps, step); ok {
			return s.Type
		}
	}
	return ""
}
