package reference

import (
	"encoding/json"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// Asked is a request in a file of the fleet repo. By signed the commit, "" if it is not signed; then nobody has a role.
type Asked struct {
	model.Command
	By string
}

// names reports whether a request is about a run: it has its digest, or at least the first twelve digits.
func (a Asked) names(run *model.Run) bool {
	return len(a.Run) >= 12 && strings.HasPrefix(string(run.ID), string(a.Run))
}

// people: nothing that people decide comes about unless they asked for it in this run.
func (c *change) people() {
	const rule = "what people decide, they asked for"
	switch was, now := c.before.Phase, c.run.Phase; {
	case now == model.RunPaused && was != now && c.asks(model.CommandPause, "") == 0:
		c.breaks(rule, "nobody asked to pause it")
	case was == model.RunPaused && now == model.RunRunning && c.asks(model.CommandResume, "")+c.restarts() == 0:
		c.breaks(rule, "nobody asked to resume it")
	case was.Ended() && !now.Ended() && c.restarts() == 0:
		c.breaks(rule, "it had ended, and nobody asked to restart it")
	case now == model.RunStopped && was != now && c.is.Phase.Active() && c.run.Instance == c.is.Number && c.asks(model.CommandStop, "") == 0:
		c.breaks(rule, "nobody asked to stop it")
	}
	for i := range c.run.Steps {
		rec, old, decl := &c.run.Steps[i], c.old(i), &c.spec.Workflow.Steps[i]
		switch {
		case decl.Type == "approval" && rec.Phase == model.StepSucceeded && old.Phase != rec.Phase:
			if want, have := c.approvals(decl); have < want {
				c.breaks(rule, "step %s is approved, and %d of %d people did that", decl.Name, have, want)
			}
		case strings.HasPrefix(rec.Message, "rejected:") && old.Phase != rec.Phase && c.asks(model.CommandReject, decl.Name) == 0:
			c.breaks(rule, "step %s is rejected by nobody", decl.Name)
		case staged(decl) && !c.starts(i) && c.passes[decl.Name]+c.manual(i) > c.asks(model.CommandResume, decl.Name):
			c.breaks(rule, "step %s goes on from a stage that waits for a person, and nobody asked for that", decl.Name)
		}
	}
}

// asks counts the requests of one sort that name the run and a step of it.
func (c *change) asks(action, step string) (n int) {
	for _, a := range c.asked {
		if a.Action == action && a.Step == step {
			n++
		}
	}
	return n
}

// restarts counts the requests to restart the run, or a step of it.
func (c *change) restarts() (n int) {
	for _, a := range c.asked {
		if a.Action == model.CommandRestart {
			n++
		}
	}
	return n
}

// retries counts the requests to have a release tried again.
func (c *change) retries(release model.Digest) (n int) {
	for _, a := range c.retry {
		if a.Release == release {
			n++
		}
	}
	return n
}

// approvals counts the people who approved a step and have a role that it requires, and returns how many there must be.
func (c *change) approvals(decl *model.Step) (want, have int) {
	var p struct {
		Roles []string `json:"roles"`
		Count int      `json:"count"`
	}
	_ = json.Unmarshal(decl.Properties, &p)
	who := map[string]bool{}
	for _, a := range c.asked {
		if a.Action == model.CommandApprove && a.Step == decl.Name && (a.By != "" || len(p.Roles) == 0) {
			who[a.By] = true
		}
	}
	return max(1, p.Count), len(who)
}

// manual counts the stages that wait for a person and that a step has left with this save.
func (c *change) manual(step int) (n int) {
	var p struct {
		Stages []struct {
			Manual bool `json:"manual"`
		} `json:"stages"`
	}
	_ = json.Unmarshal(c.spec.Workflow.Steps[step].Properties, &p)
	for k := c.old(step).Stage; k < min(c.run.Steps[step].Stage, len(p.Stages)); k++ {
		if p.Stages[k].Manual {
			n++
		}
	}
	return n
}
