package workflow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// approvalStep waits until enough people have approved, or one has rejected.
type approvalStep struct {
	simple
	approvalProperties
}

func (approvalStep) traits() traits { return traits{passive: true, people: true} }

func (approvalStep) begin(s *step) error {
	s.rec.Deadline = s.x.now.Add(cmp.Or(s.Timeout, approvalTimeout))
	return nil
}

func (a approvalStep) progress(s *step) {
	if len(s.rec.Actors) >= max(1, a.Count) {
		s.succeed(reasonApproved, nil)
	}
}

func (a approvalStep) wait(_ *model.Step, rec *model.StepRun) Wait {
	text := "an approval"
	if missing := max(1, a.Count) - len(rec.Actors); missing > 1 {
		text = fmt.Sprintf("%d approvals", missing)
	} else if len(rec.Actors) > 0 {
		text = "one more approval"
	}
	if len(a.Roles) > 0 {
		text += " of a " + strings.Join(a.Roles, " or ")
	}
	return Wait{For: text, Until: rec.Deadline, Action: model.CommandApprove, People: true}
}

// decide takes an approval or a rejection.
func (s *step) decide(c model.Command) (early bool, refused string) {
	a, ok := s.kind.(approvalStep)
	switch {
	case !ok:
		return false, fmt.Sprintf("step %s is of type %s and needs no approval", c.Step, s.Type)
	case s.rec.Phase.Ended():
		return false, fmt.Sprintf("step %s does not wait any more: it is %s %s", c.Step, s.rec.Phase, s.rec.Message)
	case s.rec.Phase != model.StepActive || !s.x.now.Before(s.rec.Deadline):
		return true, ""
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
		s.fail(ClassRejected, strings.TrimSuffix(fmt.Sprintf("by %s: %s", c.By, c.Why), ": "))
		return false, ""
	}
	s.rec.Actors = append(s.rec.Actors, c.By)
	return false, ""
}
