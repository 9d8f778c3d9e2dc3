package reference

import (
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// fast: a run that goes back to one of the releases that succeeded last brings it, and does nothing else. How many these are
// is declared.
func (c *change) fast() {
	const rule = "a run that goes back brings the release and does nothing else"
	if c.before.ID == "" {
		window := min(c.spec.Workflow.RollbackWindow, len(c.good))
		if back := slices.Contains(c.good[:window], c.run.Spec); back != c.run.Fast {
			c.breaks(rule, "it goes back to %s: %t; of the releases that succeeded last, %d count: %s", c.run.Spec.Short(), c.run.Fast, window, c.good[:window])
		}
	}
	if !c.run.Fast {
		return
	}
	for i := range c.run.Steps {
		if decl := &c.spec.Workflow.Steps[i]; c.starts(i) && !rolls(decl) && decl.Type != "notify" {
			c.breaks(rule, "step %s begins, a %s", decl.Name, decl.Type)
		}
	}
	for i := range c.run.Targets {
		if t := &c.run.Targets[i]; t.Next != nil {
			c.breaks(rule, "%s runs in two versions", t.Component)
		}
	}
}

// holds: a release that was taken back is on hold, and is not tried again unless a person asks.
func (c *change) holds() {
	const rule = "what was taken back is on hold"
	if c.before.ID == "" && c.was.Number == c.is.Number && slices.Contains(c.was.Held, c.run.Spec) {
		if c.tried[c.run.Spec]++; c.tried[c.run.Spec] > c.retries(c.run.Spec) {
			c.breaks(rule, "it brings release %s, which is on hold", c.run.Spec.Short())
		}
	}
	back := c.run.Phase == model.RunRolledBack && c.run.Superseded == "" && c.is.Spec != nil && c.run.Instance == c.is.Number
	if !back || c.is.Spec.Release == c.run.Spec || !c.is.Phase.Active() {
		return
	}
	if len(c.good) == 0 || c.is.Spec.Release != c.good[0] {
		return // another release was accepted
	}
	if len(c.is.Held) < 10 && !slices.Contains(c.is.Held, c.run.Spec) && c.retries(c.run.Spec) == 0 {
		c.breaks(rule, "release %s is not on hold", c.run.Spec.Short())
	}
}
