package workflow

import (
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Due is when the run has to be looked at again even if nothing is reported: the
// first of its deadlines and pauses after the time at which it was advanced last. When
// its probes are due, the tallies say.
// It is zero only if the run has ended.
func Due(run *model.Run, last time.Time) time.Time {
	if run.Phase.Ended() {
		return time.Time{}
	}
	due := run.Deadline
	sooner := func(times ...time.Time) {
		for _, t := range times {
			if t.After(last) && t.Before(due) {
				due = t
			}
		}
	}
	for _, s := range run.Steps {
		switch s.Phase {
		case model.StepActive:
			sooner(s.Deadline, s.Until)
		case model.StepRetrying:
			sooner(s.Next)
		}
		if u := s.Undo; u != nil && run.Phase == model.RunRollingBack {
			switch u.Phase {
			case model.StepActive:
				sooner(u.Deadline)
			case model.StepRetrying:
				sooner(u.Next)
			}
		}
	}
	return due
}
