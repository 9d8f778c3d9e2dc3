package workflow

import (
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Refuses returns why the latest run of an instance would refuse a command that came at
// the time now, "" if it would take it, now or when its step has begun. It takes the
// person to have the roles that a step demands.
func Refuses(inst *model.Instance, c model.Command, now time.Time) string {
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
