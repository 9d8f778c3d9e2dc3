package reference

import "github.com/d-aros/d-aros/pkg/model"

// memo is the reason of a step that was spared.
const memo model.Reason = "UnchangedInputs"

// memos: a step is spared only if it is given the same as when it succeeded last, and that still stands.
func (c *change) memos() {
	for i := range c.run.Steps {
		rec, decl := &c.run.Steps[i], &c.spec.Workflow.Steps[i]
		if rec.Reason != memo || rec.Phase != model.StepSucceeded || !c.starts(i) {
			continue
		}
		if c.done[decl.Name] == "" || c.done[decl.Name] != c.given(rec, decl) {
			c.breaks("a step is spared if the same was done", "step %s is spared, and what it is given was not done last", decl.Name)
		}
	}
}

// given identifies what a step is given.
func (c *change) given(rec *model.StepRun, decl *model.Step) model.Digest {
	component := model.Digest("")
	if s, ok := c.spec.Component(decl.Component); ok {
		component = s.Content(c.spec.ID)
	}
	return model.DigestOf([]any{decl.Type, decl.Properties, component, rec.Inputs})
}

// rememberStep keeps in mind that a step began, succeeded, or was taken back.
func (c *change) rememberStep(rec, old *model.StepRun, decl *model.Step) {
	if rec.Attempt > old.Attempt && (rec.Attempt == rec.First || c.begun[decl.Name] == 0) {
		c.begun[decl.Name] = c.saves
	}
	switch {
	case rec.Undo != nil && rec.Undo.Attempt > 0, rec.First != old.First && old.Attempt > 0:
		delete(c.done, decl.Name) // it was taken back, or somebody had it done again
	}
	if decl.Memo && rec.Phase == model.StepSucceeded && old.Phase != rec.Phase && rec.Reason != memo {
		c.done[decl.Name] = c.given(rec, decl)
	}
	c.passes[decl.Name] += c.manualOf(rec.Name)
}

// manualOf counts as manual does, for a step by name. A step that goes all the way at once has nothing to stage.
func (c *change) manualOf(name string) int {
	for i := range c.run.Steps {
		if c.run.Steps[i].Name == name && !c.starts(i) && staged(&c.spec.Workflow.Steps[i]) {
			return c.manual(i)
		}
	}
	return 0
}
